package measure

import (
	"cmp"
	"context"
	"fmt"
	"strings"
)

type Commit struct {
	Name    string `json:"name,omitempty"`
	Hash    string `json:"hash"`
	Author  string `json:"author"`
	Date    string `json:"date"` // author date, 2006-01-02
	Subject string `json:"subject"`
}

func (c Commit) Short() string { return fmt.Sprintf("%.12s", c.Hash) }

func (c Commit) String() string {
	if c.Name == "" {
		return c.Short()
	}
	return fmt.Sprintf("%s (%s)", c.Name, c.Short())
}

// A History contains commits, oldest first. It omits the commits of merged branches.
type History struct {
	Directory string
	Commits   []Commit // the first is the older revision itself
}

func ReadHistory(ctx context.Context, dir, from, to string) (*History, error) {
	r, err := openRepository(ctx, dir)
	if err != nil {
		return nil, err
	}
	first, err := r.resolve(ctx, from)
	if err != nil {
		return nil, err
	}
	last, err := r.resolve(ctx, to)
	if err != nil {
		return nil, err
	}
	if first.Commit == last.Commit {
		return nil, fmt.Errorf("%s and %s are the same commit, %.12s", from, to, first.Commit)
	}
	common, err := r.git(ctx, nil, "merge-base", first.Commit, last.Commit)
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, fmt.Errorf("%s and %s have no commit in common (a shallow clone lacks older "+
			"commits)", from, to)
	case common == last.Commit:
		return nil, fmt.Errorf("%s is older than %s: the order is GOOD BAD", to, from)
	case common != first.Commit:
		return nil, fmt.Errorf("%s is not an ancestor of %s: their common ancestor is %.12s, "+
			"which may be used as GOOD", from, to, common)
	}
	h := &History{Directory: r.within}
	for _, which := range [][]string{{"--max-count=1", first.Commit},
		{"--first-parent", "--reverse", first.Commit + ".." + last.Commit}} {
		out, err := r.git(ctx, nil, append([]string{"log", "--no-show-signature",
			"--format=%H%x00%an%x00%as%x00%s"}, which...)...)
		if err != nil {
			return nil, err
		}
		for line := range strings.SplitSeq(out, "\n") {
			fields := strings.SplitN(line, "\x00", 4)
			if len(fields) < 4 {
				return nil, fmt.Errorf("git log: no commit: %q", line)
			}
			h.Commits = append(h.Commits, Commit{Hash: fields[0], Author: fields[1],
				Date: fields[2], Subject: cmp.Or(fields[3], "(no subject)")})
		}
	}
	h.Commits[0].Name, h.Commits[len(h.Commits)-1].Name = from, to
	return h, nil
}

func Only(shown string) string { return exactPattern("Benchmark" + shown) }
