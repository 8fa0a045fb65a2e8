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

// A revision is what is checked out of one side.
type revision struct {
	Name   string `json:"name"`   // as it was asked for
	Commit string `json:"commit"` // the working tree has none
	Tree   string `json:"tree"`   // hash of the content, which two commits may share
}

// workingTree is the name of a head that is no revision.
const workingTree = "the working tree"

func (r revision) String() string {
	if r.Name == workingTree {
		return r.Name
	}
	return fmt.Sprintf("%s (%.12s)", r.Name, r.Commit)
}

// A repository is git's, and the directory in it that the options name.
type repository struct {
	top string // absolute
	// the directory below top, with slashes and without one at the end; "" is top itself
	within string

	// environment in which git knows the snapshot of the working tree, once there is one
	taken []string
	guard *guard // hears of git's processes, once there is one
}

func openRepository(ctx context.Context, dir string) (*repository, error) {
	if _, err := exec.LookPath("git"); err != nil {
		return nil, errors.New("no git: it is needed to check revisions out, and is not in $PATH")
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(dir); err != nil {
		return nil, err
	} else if !info.IsDir() {
		return nil, fmt.Errorf("%s is no directory", dir)
	}
	r := &repository{top: dir}
	out, err := r.git(ctx, nil, "rev-parse", "--show-toplevel", "--show-prefix")
	if err != nil {
		return nil, fmt.Errorf("%s is not in a git repository with a working tree: %w", dir, err)
	}
	top, within, _ := strings.Cut(out, "\n")
	return &repository{top: filepath.FromSlash(top), within: strings.Trim(within, "/\n")}, nil
}

// atHooks are the variables by which git tells its hooks where they are; a gate that a hook starts
// would else work on the hook's index.
var atHooks = []string{"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX",
	"GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES"}

// git runs a git command at the top and returns what it prints, less the last newline. An error is
// git's own first line.
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

// A commandError is a command that failed, and the first lines of what it complained about.
type commandError struct {
	name, lines string
	err         error
}

func (e *commandError) Error() string { return cmp.Or(e.lines, e.name+": "+e.err.Error()) }
func (e *commandError) Unwrap() error { return e.err }

// printed runs the command of that name, in a group that ends with it, and returns what it prints.
// Where ctx has not ended it, its failure is a *commandError with so many lines at most.
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
		return revision{}, fmt.Errorf("git knows no revision %q in %s (branches: %s; a shallow clone "+
			"has only the last revision)", name, r.top,
			cmp.Or(text.List(text.Few(strings.Fields(known), 6)), "none"))
	}
	tree, err := r.git(ctx, nil, "rev-parse", commit+"^{tree}")
	return revision{Name: name, Commit: commit, Tree: tree}, err
}

// snapshot takes the working tree: what git would commit after git add --all, without touching
// index, branch or objects. Directories of results do not count as part of it; neither does out,
// below the top or not.
func (r *repository) snapshot(ctx context.Context, scratch, out string) (revision, error) {
	trouble := func(err error) (revision, error) {
		return revision{}, fmt.Errorf("taking the working tree: %w", err)
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
	// With the times that it holds git need not read every file again. A repository may have none
	// yet.
	if data, err := os.ReadFile(was); err == nil {
		if err := os.WriteFile(index, data, 0o600); err != nil {
			return trouble(err)
		}
		// Git reads files again that are as new as the index; a copy that is younger would hide
		// what has changed since.
		info, err := os.Stat(was)
		if err == nil {
			err = os.Chtimes(index, info.ModTime(), info.ModTime())
		}
		if err != nil {
			return trouble(err)
		}
	}
	r.taken = []string{"GIT_INDEX_FILE=" + index, "GIT_OBJECT_DIRECTORY=" + own,
		"GIT_ALTERNATE_OBJECT_DIRECTORIES=" + objects}
	add := []string{"add", "--all", "--", ".", ":(exclude,glob)**/poolbench-out/**"}
	if real, err := filepath.EvalSymlinks(out); err == nil {
		out = real // as git's own path of the top is
	}
	if below, err := filepath.Rel(r.top, out); err == nil &&
		filepath.IsLocal(below) && below != "." {
		// git add fails when it is told to leave out what is ignored already.
		if _, err := r.git(ctx, nil, "check-ignore", "--quiet", "--", below); err != nil {
			add = append(add, ":(exclude,literal)"+filepath.ToSlash(below))
		}
	}
	if _, err := r.git(ctx, r.taken, add...); err != nil {
		return trouble(err)
	}
	tree, err := r.git(ctx, r.taken, "write-tree")
	if err != nil {
		return trouble(err)
	}
	return revision{Name: workingTree, Tree: tree}, nil
}

// put writes the files of the snapshot to a directory. It is no worktree of git's: while one stands
// on objects that the repository does not have, git fetch and git gc fail, and they would for as
// long as a killed gate's directory is there.
func (r *repository) put(ctx context.Context, dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	_, err := r.git(ctx, r.taken, "checkout-index", "--all", "--prefix="+filepath.ToSlash(dir)+"/")
	return err
}

// gitPath is where git keeps something, in this worktree of the repository.
func (r *repository) gitPath(ctx context.Context, what string) (string, error) {
	path, err := r.git(ctx, nil, "rev-parse", "--git-path", what)
	if err == nil && !filepath.IsAbs(path) {
		path = filepath.Join(r.top, path)
	}
	return path, err
}
