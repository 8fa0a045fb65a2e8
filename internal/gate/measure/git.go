package measure

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/poolbench/poolbench/internal/text"
)

type side int

const (
	base side = iota
	head
)

func (s side) String() string { return [...]string{"base", "head"}[s] }

type revision struct {
	Name   string `json:"name"`   // as the user wrote it
	Commit string `json:"commit"` // "" for the working tree
	Tree   string `json:"tree"`   // hash of the content, which two commits may share
}

const workingTree = "the working tree"

func (r revision) String() string {
	if r.Name == workingTree {
		return r.Name
	}
	return fmt.Sprintf("%s (%.12s)", r.Name, r.Commit)
}

type repository struct {
	top    string
	within string

	// snapshotEnv is the environment in which git sees the snapshot of the working tree.
	snapshotEnv []string
	guard       *guard
}

func openRepository(ctx context.Context, dir string) (*repository, error) {
	if _, err := exec.LookPath("git"); err != nil {
		return nil, errors.New("git is not in $PATH, but gate needs it to check out revisions")
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(dir); err != nil {
		return nil, err
	} else if !info.IsDir() {
		return nil, fmt.Errorf("%s is not a directory", dir)
	}
	r := &repository{top: dir}
	out, err := r.git(ctx, nil, "rev-parse", "--show-toplevel", "--show-prefix")
	if err != nil {
		return nil, fmt.Errorf("%s is not in a git repository with a working tree: %w", dir, err)
	}
	top, within, _ := strings.Cut(out, "\n")
	return &repository{top: filepath.FromSlash(top), within: strings.Trim(within, "/\n")}, nil
}

// Git sets these variables for its hooks. A gate started by a hook would otherwise use the hook's
// index.
var atHooks = []string{"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX",
	"GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES"}

// The error of git is the first line of the command's error output.
func (r *repository) git(ctx context.Context, env []string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git",
		append([]string{"-c", "core.hooksPath=" + os.DevNull}, args...)...)
	cmd.Dir = r.top
	cmd.Env = slices.DeleteFunc(cmd.Environ(), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return slices.Contains(atHooks, name)
	})
	cmd.Env = append(cmd.Env, "LC_ALL=C", "GIT_OPTIONAL_LOCKS=0")
	cmd.Env = append(cmd.Env, env...)
	out, err := printed(ctx, r.guard, cmd, "git "+args[0], 1)
	return strings.TrimSuffix(out, "\n"), err
}

type commandError struct {
	name, lines string
	err         error
}

func (e *commandError) Error() string { return cmp.Or(e.lines, e.name+": "+e.err.Error()) }
func (e *commandError) Unwrap() error { return e.err }

// If the command fails and ctx has not ended, the error is a *commandError with at most the given
// number of lines.
func printed(
	ctx context.Context, g *guard, cmd *exec.Cmd, name string, lines int,
) (string, error) {
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := g.run(cmd)
	switch {
	case err == nil:
		return stdout.String(), nil
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	}
	return "", &commandError{name,
		strings.TrimPrefix(text.FirstLines(stderr.String(), lines), "fatal: "), err}
}

func (r *repository) resolve(ctx context.Context, name string) (revision, error) {
	commit, err := r.git(ctx, nil, "rev-parse", "--verify", "--quiet", "--end-of-options",
		name+"^{commit}")
	if ctx.Err() != nil {
		return revision{}, context.Cause(ctx)
	}
	if err != nil {
		known, _ := r.git(ctx, nil, "for-each-ref", "--format=%(refname:short)", "refs/heads",
			"refs/remotes")
		return revision{}, fmt.Errorf("git finds no revision %q in %s (branches: %s; a shallow "+
			"clone contains only the last revision)", name, r.top,
			cmp.Or(text.List(text.Truncate(strings.Fields(known), 6)), "none"))
	}
	tree, err := r.git(ctx, nil, "rev-parse", commit+"^{tree}")
	return revision{Name: name, Commit: commit, Tree: tree}, err
}

// snapshot records the working tree without changing index, branch or objects. It excludes
// directories of results.
func (r *repository) snapshot(ctx context.Context, scratch, out string) (revision, error) {
	trouble := func(err error) (revision, error) {
		return revision{}, fmt.Errorf("copying the working tree: %w", err)
	}
	index, own := filepath.Join(scratch, "index"), filepath.Join(scratch, "objects")
	if err := os.MkdirAll(own, 0o700); err != nil {
		return trouble(err)
	}
	objects, err := r.gitPath(ctx, "objects")
	if err != nil {
		return trouble(err)
	}
	was, err := r.gitPath(ctx, "index")
	if err != nil {
		return trouble(err)
	}
	// A copy of the index contains the times of files, so git need not read every file. A
	// repository may have no index yet.
	if data, err := os.ReadFile(was); err == nil {
		if err := os.WriteFile(index, data, 0o600); err != nil {
			return trouble(err)
		}
		// Git reads files again that are as new as the index. A newer copy would hide changes since
		// then.
		info, err := os.Stat(was)
		if err == nil {
			err = os.Chtimes(index, info.ModTime(), info.ModTime())
		}
		if err != nil {
			return trouble(err)
		}
	}
	r.snapshotEnv = []string{"GIT_INDEX_FILE=" + index, "GIT_OBJECT_DIRECTORY=" + own,
		"GIT_ALTERNATE_OBJECT_DIRECTORIES=" + objects}
	add := []string{"add", "--all", "--", ".", ":(exclude,glob)**/poolbench-out/**"}
	if real, err := filepath.EvalSymlinks(out); err == nil {
		out = real
	}
	if below, err := filepath.Rel(r.top, out); err == nil &&
		filepath.IsLocal(below) && below != "." {
		if _, err := r.git(ctx, nil, "check-ignore", "--quiet", "--", below); err != nil {
			add = append(add, ":(exclude,literal)"+filepath.ToSlash(below))
		}
	}
	if _, err := r.git(ctx, r.snapshotEnv, add...); err != nil {
		return trouble(err)
	}
	tree, err := r.git(ctx, r.snapshotEnv, "write-tree")
	if err != nil {
		return trouble(err)
	}
	return revision{Name: workingTree, Tree: tree}, nil
}

// writeSnapshot does not use a git worktree: git fetch and git gc fail while a worktree has objects
// that are not in the repository.
func (r *repository) writeSnapshot(ctx context.Context, dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	_, err := r.git(ctx, r.snapshotEnv, "checkout-index", "--all", "--prefix="+filepath.ToSlash(dir)+"/")
	return err
}

func (r *repository) gitPath(ctx context.Context, what string) (string, error) {
	path, err := r.git(ctx, nil, "rev-parse", "--git-path", what)
	if err == nil && !filepath.IsAbs(path) {
		path = filepath.Join(r.top, path)
	}
	return path, err
}
