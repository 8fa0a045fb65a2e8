package files

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const prefix = "poolbench-"

func ScratchPattern(what string) string { return prefix + what + "-*" }

type ScratchDir struct {
	Path string
	lock *os.File
}

// NewScratch uses the system's directory for temporary files if parent is "". In another parent, it
// first removes the directories that killed processes left.
func NewScratch(parent, what string) (*ScratchDir, error) {
	if parent != "" {
		sweep(parent)
	}
	path, err := os.MkdirTemp(parent, ScratchPattern(what))
	if err != nil {
		return nil, err
	}
	d := &ScratchDir{Path: path}
	// The lock file is locked before it gets its name, so no process finds it unlocked.
	beside := filepath.Join(path, "new"+LockName)
	if d.lock, err = os.OpenFile(beside, os.O_CREATE|os.O_RDWR, 0o600); err == nil {
		if _, err = TryLock(d.lock); err == nil || errors.Is(err, errors.ErrUnsupported) {
			err = os.Rename(beside, filepath.Join(path, LockName))
		}
	}
	if err != nil {
		return nil, errors.Join(err, d.Remove())
	}
	return d, nil
}

// Remove may be called repeatedly.
func (d *ScratchDir) Remove() error {
	return errors.Join(removeAll(d.Path), d.Abandon())
}

// Abandon leaves the directory to the next sweep, like the end of the process.
func (d *ScratchDir) Abandon() error {
	if d.lock == nil {
		return nil
	}
	err := d.lock.Close()
	d.lock = nil
	return err
}

// From this age, a directory without a lock cannot be a new one that is not yet locked.
const stale = time.Hour

// SweepScratch removes directories of this user that killed processes left in the system's
// directory for temporary files.
func SweepScratch() { sweep(os.TempDir()) }

func sweep(parent string) {
	entries, err := os.ReadDir(parent)
	if err != nil {
		return
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), prefix) && e.IsDir() { // not a link
			RemoveScratch(filepath.Join(parent, e.Name()))
		}
	}
}

// RemoveScratch removes a directory made by NewScratch, unless its process is alive.
func RemoveScratch(dir string) {
	info, err := os.Lstat(dir)
	if err != nil || !info.IsDir() {
		return
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return
	}
	defer root.Close()
	// The directory may belong to the user of a server, but the lock must belong to this user.
	if at, err := root.Lstat(LockName); err == nil && !(at.Mode().IsRegular() && isMine(at)) {
		return
	}
	file, err := root.OpenFile(LockName, os.O_RDWR, 0)
	// no scratch directory, one that is being created, or one whose process was killed at that
	// moment
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) && isMine(info) && time.Since(info.ModTime()) > stale {
			_ = os.Remove(filepath.Join(dir, "new"+LockName))
			_ = os.Remove(dir) // fails for a non-empty directory, which is in use
		}
		return
	}
	defer file.Close()
	if held, err := TryLock(file); err == nil && held {
		_ = removeAll(dir)
	}
}

// removeAll removes the lock last, so a partly removed directory can still be recognized after a
// kill. It also removes read-only directories.
func removeAll(dir string) error {
	entries, _ := os.ReadDir(dir)
	var wrong []error
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if e.Name() == LockName || os.RemoveAll(path) == nil {
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
		// A child of the killed process has created a file in the meantime. The lock file lets the
		// next sweep recognize the directory.
		if file, made := os.Create(filepath.Join(dir, LockName)); made == nil {
			err = errors.Join(err, file.Close())
		}
	}
	return err
}
