package cli

import (
	"bufio"
	"errors"
	"os"
)

// A buffered file is written in pieces of 64 KiB, and what is left at its Close.
type buffered struct {
	*bufio.Writer
	file *os.File
}

func newBuffered(f *os.File) *buffered { return &buffered{bufio.NewWriterSize(f, 64<<10), f} }

// Close writes the rest.
func (b *buffered) Close() error { return errors.Join(b.Flush(), b.file.Close()) }
