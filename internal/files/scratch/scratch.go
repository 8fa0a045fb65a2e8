// Package scratch makes temporary directories that outlive no process: what one that was killed has
// left is removed by the next start of the command.
//
// The process holds a lock on a file in the directory. The system lets go of it however the process
// ends, and a child does not inherit it.
package scratch

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/poolbench/poolbench/internal/files/lock"
)

// prefix begins all names.
const prefix = "poolbench-"

// Pattern matches the names of the directories that are for that.
func Pattern(what string) string { return prefix + what + "-*" }

// A Dir is a temporary directory of this process.
type Dir struct {
	Path string
	lock *os.File
}

// New makes a directory in parent, "" is the system's own for temporary files, whose name says what
// it is for. What killed processes have left in another parent is removed then.
func New(parent, what string) (*Dir, error) {
	if parent != "" {
		sweep(parent)
	}
	path, err := os.MkdirTemp(parent, Pattern(what))
	if err != nil {
		return nil, err
	}
	d := &Dir{Path: path}
	// The lock is held before the file has its name, so that nobody finds the name without the
	// lock.
	beside := filepath.Join(path, "new"+lock.FileName)
	if d.lock, err = os.OpenFile(beside, os.O_CREATE|os.O_RDWR, 0o600); err == nil {
		if _, err = lock.Try(d.lock); err == nil || errors.Is(err, errors.ErrUnsupported) {
			err = os.Rename(beside, filepath.Join(path, lock.FileName))
		}
	}
	if err != nil {
		return nil, errors.Join(err, d.Remove())
	}
	return d, nil
}

// Remove removes the directory with all that is in it. It may be called again.
func (d *Dir) Remove() error {
	return errors.Join(removeAll(d.Path), d.Abandon())
}

// Abandon leaves the directory to whoever sweeps next, as the end of the process does.
func (d *Dir) Abandon() error {
	if d.lock == nil {
		return nil
	}
	err := d.lock.Close()
	d.lock = nil
	return err
}

// stale is the age from which a directory without a lock is not one that is only just being made.
const stale = time.Hour

// Sweep removes what processes have left that were killed: directories of this user's, in the
// system's directory for temporary files. What cannot be removed stays.
func Sweep() { sweep(os.TempDir()) }

func sweep(parent string) {
	entries, err := os.ReadDir(parent)
	if err != nil {
		return
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), prefix) && e.IsDir() { // a link is none
			Bury(filepath.Join(parent, e.Name()))
		}
	}
}

// Bury removes a directory that New has made in some process, unless that lives.
func Bury(dir string) {
	info, err := os.Lstat(dir)
	if err != nil || !info.IsDir() {
		return
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return
	}
	defer root.Close()
	// a server may have been given the directory, but the lock is its owner's
	if at, err := root.Lstat(lock.FileName); err == nil && !(at.Mode().IsRegular() && isMine(at)) {
		return
	}
	file, err := root.OpenFile(lock.FileName, os.O_RDWR, 0)
	if err != nil { // none of ours, only just begun, or killed just then
		if errors.Is(err, fs.ErrNotExist) && isMine(info) && time.Since(info.ModTime()) > stale {
			_ = os.Remove(filepath.Join(dir, "new"+lock.FileName))
			_ = os.Remove(dir) // one that is not empty is somebody's
		}
		return
	}
	defer file.Close()
	if held, err := lock.Try(file); err == nil && held {
		_ = removeAll(dir)
	}
}

// removeAll removes a directory, the lock last, so that a partly removed one is still recognised
// after a kill. It also removes directories in it that are read-only.
func removeAll(dir string) error {
	entries, _ := os.ReadDir(dir)
	var wrong []error
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if e.Name() == lock.FileName || os.RemoveAll(path) == nil {
			continue
		}
		_ = filepath.WalkDir(path, func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.IsDir() {
				_ = os.Chmod(path, 0o700)
			}
			return nil
		})
		wrong = append(wrong, os.RemoveAll(path))
	}
	if err := errors.Join(wrong...); err != nil {
		return err
	}
	err := os.RemoveAll(dir)
	if err != nil {
		// a child of the process that was killed lives on and has made a file meanwhile: the next
		// sweep is to know the directory
		if file, made := os.Create(filepath.Join(dir, lock.FileName)); made == nil {
			err = errors.Join(err, file.Close())
		}
	}
	return err
}
