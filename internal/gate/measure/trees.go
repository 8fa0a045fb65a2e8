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

	"github.com/poolbench/poolbench/internal/files"
)

const treesName = "gate"

type trees struct {
	repository *repository
	dir        string
	// temp is $TMPDIR of go and the benchmarks. Killed processes leave files in it.
	temp  string
	home  *files.ScratchDir
	added []string
}

func newTrees(ctx context.Context, r *repository) (t *trees, err error) {
	files.SweepScratch()
	_ = pruneWorktrees(ctx, r) // best effort: the end of this gate tries again, and reports an error
	home, err := files.NewScratch("", treesName)
	if err != nil {
		return nil, err
	}
	t = &trees{repository: r, home: home, dir: home.Path, temp: filepath.Join(home.Path, "tmp")}
	if err := os.Mkdir(t.temp, 0o700); err != nil {
		return nil, errors.Join(err, t.remove())
	}
	return t, nil
}

// git worktree prune would also remove worktrees on an unmounted disk.
func pruneWorktrees(ctx context.Context, r *repository) error {
	list, err := r.git(ctx, nil, "worktree", "list", "--porcelain")
	if err != nil {
		return err
	}
	for line := range strings.Lines(list) {
		path, ok := strings.CutPrefix(strings.TrimSpace(line), "worktree ")
		if ours, _ := filepath.Match(files.ScratchPattern(treesName),
			filepath.Base(filepath.Dir(path))); !ok ||
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

// The paths of both sides have the same length, because binaries contain them.
func (t *trees) checkOut(ctx context.Context, s side, r revision) error {
	path := t.top(s)
	var err error
	if r.Name == workingTree {
		err = t.repository.writeSnapshot(ctx, path)
	} else {
		t.added = append(t.added, path) // recorded first, because git may be stopped half way
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

func (t *trees) top(s side) string { return filepath.Join(t.dir, s.String()) }
func (t *trees) module(s side) string {
	return filepath.Join(t.top(s), filepath.FromSlash(t.repository.within))
}

const removing = 30 * time.Second

// remove continues after an error, and has its own time limit, because it also runs after a signal.
func (t *trees) remove() error {
	ctx, cancel := context.WithTimeout(context.Background(), removing)
	defer cancel()
	for _, path := range t.added {
		// The directory is removed in any case. git may not know the worktree yet.
		_, _ = t.repository.git(ctx, nil, "worktree", "remove", "--force", "--force", path)
	}
	err := t.home.Remove()
	if len(t.added) > 0 {
		if left := pruneWorktrees(ctx, t.repository); left != nil {
			err = errors.Join(err,
				fmt.Errorf("a worktree that is gone, and that git cannot forget: %w", left))
		}
	}
	return err
}
