package measure

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/poolbench/poolbench/internal/lock"
)

// treesPattern names the temporary directories of gates.
const treesPattern = "poolbench-gate-*"

// lockName is the file in it that a living gate holds a lock on. The system lets go of the lock
// however a process ends.
const lockName = "lock"

// trees is a temporary directory with both sides checked out, and room for what is built of them.
type trees struct {
	repository *repository
	dir        string
	// for what go and the benchmarks write to $TMPDIR, which a killed process leaves there
	temp  string
	lock  *os.File
	added []string // worktrees that git knows of
}

// newTrees makes the directory, and removes those of gates that were killed.
func newTrees(ctx context.Context, r *repository) (t *trees, err error) {
	removeStale(ctx, r)
	dir, err := os.MkdirTemp("", treesPattern)
	if err != nil {
		return nil, err
	}
	t = &trees{repository: r, dir: dir, temp: filepath.Join(dir, "tmp")}
	// The lock is held before the file has its name, so that no other gate finds the name without
	// the lock.
	beside := filepath.Join(dir, "new"+lockName)
	if t.lock, err = os.OpenFile(beside, os.O_CREATE|os.O_RDWR, 0o600); err == nil {
		if _, err = lock.Try(t.lock); err == nil || errors.Is(err, errors.ErrUnsupported) {
			err = errors.Join(os.Rename(beside, filepath.Join(dir, lockName)),
				os.Mkdir(t.temp, 0o700))
		}
	}
	if err != nil {
		return nil, errors.Join(err, t.remove())
	}
	return t, nil
}

// stale is the age from which a directory without a lock is not that of a gate that is only just
// making it.
const stale = time.Hour

// removeStale removes what killed gates have left. What cannot be removed, because it is another
// user's, is left to him.
func removeStale(ctx context.Context, r *repository) {
	dirs, _ := filepath.Glob(filepath.Join(os.TempDir(), treesPattern)) // the pattern is a good one
	for _, dir := range dirs {
		bury(dir)
	}
	_ = forget(ctx, r) // the end of this gate tries again, and tells
}

// bury removes the directory of a gate, unless that lives.
func bury(dir string) {
	file, err := os.OpenFile(filepath.Join(dir, lockName), os.O_RDWR, 0)
	if err != nil { // not a gate's, not ours, only just begun, or killed just then and so empty
		if info, err := os.Stat(dir); err == nil && time.Since(info.ModTime()) > stale {
			_ = os.Remove(dir)
		}
		return
	}
	if held, err := lock.Try(file); err == nil && held {
		_ = removeAll(dir)
	}
	_ = file.Close()
}

// forget has git forget the worktrees of gates whose directories are gone. To prune all that are
// gone would take those with them that somebody has on a disk that is not there at the moment.
func forget(ctx context.Context, r *repository) error {
	list, err := r.git(ctx, nil, "worktree", "list", "--porcelain")
	if err != nil {
		return err
	}
	for line := range strings.Lines(list) {
		path, ok := strings.CutPrefix(strings.TrimSpace(line), "worktree ")
		if ours, _ := filepath.Match(treesPattern, filepath.Base(filepath.Dir(path))); !ok ||
			!ours {
			continue
		}
		if _, there := os.Stat(path); !errors.Is(there, fs.ErrNotExist) {
			continue
		}
		if _, remove := r.git(ctx, nil, "worktree", "remove", "--force", "--force",
			path); remove != nil {
			err = errors.Join(err, remove)
		}
	}
	return err
}

// checkOut puts the revision of a side into a worktree. The paths of both sides are as long, since
// they end up in the binaries.
func (t *trees) checkOut(ctx context.Context, s side, r revision) error {
	path := t.top(s)
	var err error
	if r.Name == workingTree {
		err = t.repository.put(ctx, path)
	} else {
		t.added = append(t.added, path) // git may be stopped half way
		_, err = t.repository.git(ctx, nil, "worktree", "add", "--detach",
			"--force", path, r.Commit)
	}
	if err != nil {
		return fmt.Errorf("checking out the %v, %v: %w", s, r, err)
	}
	if _, err := os.Stat(t.module(s)); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("the %v, %v, has no directory %s", s, r, t.repository.within)
	}
	return nil
}

// top is where a side is checked out, and module the directory in it that the options name.
func (t *trees) top(s side) string { return filepath.Join(t.dir, s.String()) }
func (t *trees) module(s side) string {
	return filepath.Join(t.top(s), filepath.FromSlash(t.repository.within))
}

// removing bounds how long the end of a gate may take.
const removing = 30 * time.Second

// remove takes all of it away. It goes on where one part cannot be removed, and has a time of its
// own: it comes after a signal, too.
func (t *trees) remove() error {
	ctx, cancel := context.WithTimeout(context.Background(), removing)
	defer cancel()
	var wrong []error
	for _, path := range t.added {
		// The directory goes anyway; git may not know of it yet.
		_, _ = t.repository.git(ctx, nil, "worktree", "remove", "--force", "--force", path)
	}
	wrong = append(wrong, removeAll(t.dir))
	if len(t.added) > 0 {
		if err := forget(ctx, t.repository); err != nil {
			wrong = append(wrong,
				fmt.Errorf("a worktree that is gone, and that git cannot forget: %w", err))
		}
	}
	if t.lock != nil {
		wrong = append(wrong, t.lock.Close())
	}
	return errors.Join(wrong...)
}

// removeAll removes a gate's directory, the lock last, so that what a kill leaves of it is known
// for a gate's. It does so also where benchmarks have made directories that cannot be written to.
func removeAll(dir string) error {
	entries, _ := os.ReadDir(dir)
	var wrong []error
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if e.Name() == lockName || os.RemoveAll(path) == nil {
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
	return os.RemoveAll(dir)
}
