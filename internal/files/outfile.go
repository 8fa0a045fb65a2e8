package files

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

func Write(path string, data []byte) error {
	p, err := find(path)
	switch {
	case err != nil:
	case p.isFile():
		err = p.replace(data)
	default:
		err = p.writeInto(data)
	}
	return Named(path, err)
}

// flag is os.O_APPEND or os.O_EXCL. A new file gets the given mode.
func Open(path string, flag int, mode fs.FileMode) (w io.WriteCloser, err error) {
	p, err := find(path)
	switch {
	case err != nil:
	case p.isFile():
		w, err = os.OpenFile(p.path, os.O_CREATE|os.O_WRONLY|flag, mode)
	default:
		w, err = p.open()
	}
	return w, Named(path, err)
}

// Check does not open pipes and devices, because that may block or have effects.
func Check(path string) error {
	p, err := find(path)
	if err == nil {
		err = p.check()
	}
	return Named(path, err)
}

// Replaces reports whether Write creates a new file, as for a regular or missing one.
func Replaces(path string) bool {
	p, err := find(path)
	return err == nil && p.isFile()
}

// Remove removes the file that Write would replace, if it exists.
func Remove(path string) error {
	p, err := find(path)
	if err != nil || p.info == nil || !p.isFile() {
		return Named(path, err)
	}
	return Named(path, os.Remove(p.path))
}

func CheckDir(path string) error {
	p, err := find(path)
	at := p
	for err == nil && at.fd < 0 && at.info == nil && at.path != filepath.Dir(at.path) {
		at, err = find(filepath.Dir(filepath.Clean(at.path)))
	}
	switch {
	case err != nil:
	case at.fd >= 0 || at.info != nil && !at.info.IsDir():
		err = syscall.ENOTDIR
	case at.path == p.path:
		err = writable(at.path)
	default:
		probe := filepath.Join(at.path, besideName())
		if err = os.Mkdir(probe, 0o777); err == nil {
			err = os.Remove(probe)
		}
	}
	return Named(path, err)
}

func MakeDir(path string) error {
	p, err := find(path)
	if err == nil {
		err = os.MkdirAll(p.path, 0o777)
	}
	return Named(path, err)
}

func Target(path string) (string, error) {
	p, err := find(path)
	return p.path, Named(path, err)
}

// Named returns err with the path instead of the failed system call, or nil for nil.
func Named(path string, err error) error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		err = e.Err
	} else if e, ok := errors.AsType[*os.LinkError](err); ok {
		err = e.Err
	}
	return fmt.Errorf("%s: %w", path, err)
}

type place struct {
	path string
	info fs.FileInfo // nil if the target does not exist
	fd   int         // descriptor of this process, or -1
}

// Linux follows as many links.
const maxLinks = 40

func find(path string) (place, error) {
	for range maxLinks {
		if fd, ok := descriptor(path); ok {
			return place{path, nil, fd}, nil
		}
		info, err := os.Lstat(path)
		if errors.Is(err, fs.ErrNotExist) {
			return place{path, nil, -1}, nil
		}
		if err != nil || info.Mode()&fs.ModeSymlink == 0 {
			return place{path, info, -1}, err
		}
		to, err := os.Readlink(path)
		if err != nil {
			return place{path, nil, -1}, err
		}
		if !filepath.IsAbs(to) {
			dir, _ := filepath.Split(path) // not Join, which removes "link/.."
			to = dir + to
		}
		path = to
	}
	return place{path, nil, -1}, errors.New("too many levels of symbolic links")
}

func (p place) isFile() bool {
	return p.fd < 0 && (p.info == nil || p.info.Mode().IsRegular())
}

func (p place) check() error {
	switch {
	case p.fd >= 0:
		return descriptorWritable(p.fd)
	case p.info != nil && p.info.IsDir():
		return syscall.EISDIR
	case p.info != nil && !p.isFile():
		return writable(p.path)
	}
	f, err := p.createBeside()
	if err != nil {
		return err
	}
	return cmp.Or(f.Close(), os.Remove(f.Name()))
}

func (p place) createBeside() (*os.File, error) {
	if p.info != nil { // a file without write permission must not be replaced
		if err := writable(p.path); err != nil {
			return nil, err
		}
	}
	dir, _ := filepath.Split(p.path)
	if _, err := os.Stat(cmp.Or(dir, ".")); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no directory %s", filepath.Clean(dir))
	}
	return os.OpenFile(dir+besideName(), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
}

func (p place) replace(data []byte) error {
	f, err := p.createBeside()
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if p.info != nil {
		keepOwner(f, p.info)
		err = cmp.Or(err, f.Chmod(p.info.Mode().Perm()))
	}
	if err = cmp.Or(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), p.path)
	}
	if err == nil {
		return nil
	}
	if left := os.Remove(f.Name()); left != nil {
		return fmt.Errorf("%w (and %s stays behind: %w)", err, f.Name(), left)
	}
	return err
}

// writeInto writes to a file that is not regular. A reader that stops early is not an error.
func (p place) writeInto(data []byte) error {
	w, err := p.open()
	if err != nil {
		return err
	}
	_, err = w.Write(data)
	if err = cmp.Or(err, w.Close()); errors.Is(err, syscall.EPIPE) {
		return nil
	}
	return err
}

func (p place) open() (io.WriteCloser, error) {
	switch {
	case p.fd >= 0:
		return openDescriptor(p.fd)
	case p.info.Mode()&fs.ModeSocket != 0:
		return openSocket(p.path)
	}
	return os.OpenFile(p.path, os.O_WRONLY, 0)
}
