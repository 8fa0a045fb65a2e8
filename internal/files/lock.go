package files

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// The lock file contains the holder. It is removed with the lock, unless the holder was killed.
const LockName = ".lock"

type LockedDir struct{ file *os.File }

type HeldError struct {
	Path string
	By   string // "pid 1234 on HOST", or "" if unknown
}

func (e *HeldError) Error() string {
	by := e.By
	if by == "" {
		by = "another process"
	}
	return fmt.Sprintf("%s is being written to by %s: wait for its end", e.Path, by)
}

// A child that the killed holder was starting has its open files, and so its lock, until the
// child's program begins.
const inherited = 500 * time.Millisecond

// If another process has locked the directory, the error is a HeldError. On a system without locks
// LockDir always succeeds.
func LockDir(path string) (*LockedDir, error) {
	name := filepath.Join(path, LockName)
	for began := time.Now(); ; {
		// The file will be truncated and finally removed.
		if info, err := os.Lstat(name); err == nil && !info.Mode().IsRegular() {
			return nil, fmt.Errorf("%s is not a regular file", name)
		}
		f, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o666)
		if err != nil {
			return nil, err
		}
		held, err := TryLock(f)
		switch {
		case errors.Is(err, errors.ErrUnsupported):
		case err != nil:
			return nil, errors.Join(fmt.Errorf("%s: %w", name, err), f.Close())
		case !held && time.Since(began) < inherited:
			_ = f.Close() // nothing was written
			time.Sleep(20 * time.Millisecond)
			continue
		case !held:
			defer f.Close()
			return nil, &HeldError{path, holder(f)}
		case !isSameFile(f, name):
			_ = f.Close() // its holder has removed it since it was opened
			continue
		}
		d := &LockedDir{f}
		if err := d.writeHolder(); err != nil {
			return nil, errors.Join(err, d.Release())
		}
		return d, nil
	}
}

// isSameFile reports whether name still refers to the open file.
func isSameFile(f *os.File, name string) bool {
	mine, err := f.Stat()
	if err != nil {
		return false
	}
	theirs, err := os.Stat(name)
	return err == nil && os.SameFile(mine, theirs)
}

func (d *LockedDir) writeHolder() error {
	host, err := os.Hostname()
	if err != nil {
		host = "an unknown host"
	}
	if err := d.file.Truncate(0); err != nil {
		return err
	}
	_, err = d.file.WriteAt(fmt.Appendf(nil, "pid %d on %s\n", os.Getpid(), host), 0)
	return err
}

// holder reads twice, because a new holder may not have written its name yet, and a killed one has
// left its own.
func holder(f *os.File) (by string) {
	for range 2 {
		text := make([]byte, 300)
		n, _ := f.ReadAt(text, 0)
		by = strings.TrimSpace(string(text[:n]))
		time.Sleep(20 * time.Millisecond)
	}
	return by
}

func (d *LockedDir) Release() error {
	return errors.Join(os.Remove(d.file.Name()), d.file.Close())
}
