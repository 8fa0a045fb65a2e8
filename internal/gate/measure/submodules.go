package measure

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/poolbench/poolbench/internal/text"
)

type gitlink struct{ path, commit string }

// submodules works recursively. git submodule update would write to the configuration that all
// worktrees share, and download existing objects again. missing contains the reason for each
// submodule that cannot be checked out, because it may not be needed.
func (r *repository) submodules(
	ctx context.Context, env []string, tree, dir string,
) (missing []string, err error) {
	if _, err := os.Stat(filepath.Join(dir, ".gitmodules")); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	links, err := r.gitlinks(ctx, env, tree)
	if err != nil {
		return nil, err
	}
	for _, link := range links {
		own := &repository{top: filepath.Join(r.top, filepath.FromSlash(link.path)),
			guard: r.guard}
		to := filepath.Join(dir, filepath.FromSlash(link.path))
		if err := r.cloneSubmodule(ctx, own, link, dir, to); err != nil {
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			missing = append(missing, fmt.Sprintf("submodule %s cannot be checked out: %s",
				link.path, text.FirstLines(err.Error(), 1)))
			continue
		}
		more, err := own.submodules(ctx, nil, link.commit, to)
		if err != nil {
			return nil, err
		}
		for _, line := range more {
			missing = append(missing, link.path+": "+line)
		}
	}
	return missing, nil
}

func (r *repository) gitlinks(
	ctx context.Context, env []string, tree string,
) (links []gitlink, err error) {
	out, err := r.git(ctx, env, "ls-tree", "-r", "-z", tree)
	if err != nil {
		// the commit may be in the submodule's clone and not in the repository's own checkout
		return nil, fmt.Errorf("listing submodules: %w", err)
	}
	for line := range strings.SplitSeq(out, "\x00") {
		entry, path, _ := strings.Cut(line, "\t")
		if fields := strings.Fields(entry); len(fields) == 3 && fields[1] == "commit" {
			links = append(links, gitlink{path, fields[2]})
		}
	}
	return links, nil
}

func (r *repository) cloneSubmodule(
	ctx context.Context, own *repository, link gitlink, dir, to string,
) error {
	from := own.top
	_, err := os.Stat(filepath.Join(own.top, ".git"))
	if err == nil {
		_, err = own.git(ctx, nil, "cat-file", "-e", link.commit)
	}
	if err != nil {
		if from, err = r.submoduleURL(ctx, dir, link.path); err != nil {
			return err
		}
	}
	if _, err := r.git(ctx, nil, "clone", "--quiet", "--no-checkout", "--", from, to); err != nil {
		return err
	}
	clone := &repository{top: to, guard: r.guard}
	if _, err := clone.git(ctx, nil, "cat-file", "-e", link.commit); err != nil {
		if _, err := clone.git(ctx, nil, "fetch", "--quiet", "origin", link.commit); err != nil {
			return err
		}
	}
	_, err = clone.git(ctx, nil, "checkout", "--quiet", "--detach", link.commit)
	if own.top != from {
		own.top = to
	}
	return err
}

// A submodule's URL that begins with a dot is relative to the repository's URL.
func (r *repository) submoduleURL(ctx context.Context, dir, path string) (string, error) {
	file := filepath.Join(dir, ".gitmodules")
	paths, err := r.git(ctx, nil, "config", "--file", file, "--get-regexp",
		`^submodule\..*\.path$`)
	if err != nil {
		return "", fmt.Errorf(".gitmodules does not name it: %w", err)
	}
	for line := range strings.Lines(paths) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		if value != path {
			continue
		}
		url, err := r.git(ctx, nil, "config", "--file", file, "--get",
			strings.TrimSuffix(key, ".path")+".url")
		if err != nil || !strings.HasPrefix(url, "./") && !strings.HasPrefix(url, "../") {
			return url, err
		}
		origin, err := r.git(ctx, nil, "config", "--get", "remote.origin.url")
		if err != nil {
			origin = r.top
		}
		for origin = strings.TrimRight(origin, "/"); ; {
			if rest, ok := strings.CutPrefix(url, "./"); ok {
				url = rest
			} else if rest, ok := strings.CutPrefix(url, "../"); ok {
				url = rest
				origin = origin[:max(0, strings.LastIndexAny(origin, "/:"))]
			} else {
				return origin + "/" + url, nil
			}
		}
	}
	return "", errors.New(".gitmodules does not name it")
}
