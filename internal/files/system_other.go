//go:build !unix

package files

import (
	"errors"
	"io"
	"io/fs"
	"os"
)

// On this system no path names a descriptor, and missing permissions are detected by writing.

func descriptor(string) (fd int, ok bool) { return 0, false }

func descriptorWritable(int) error { return errors.ErrUnsupported }

func openDescriptor(int) (io.WriteCloser, error) { return nil, errors.ErrUnsupported }

func writable(string) error { return nil }

func keepOwner(*os.File, fs.FileInfo) {}
