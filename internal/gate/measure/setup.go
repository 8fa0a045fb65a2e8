package measure

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/poolbench/poolbench/internal/text"
)

func (g *gate) setUp(ctx context.Context, s side) error {
	if g.Setup == "" {
		return nil
	}
	g.watch.Doing(fmt.Sprintf("setting up the %v", s))
	cmd := exec.CommandContext(ctx, "sh", "-c", g.Setup)
	cmd.Dir = g.trees.module(s)
	_, err := printed(ctx, g.guard, cmd, "sh", 8)
	if failed, ok := errors.AsType[*commandError](err); ok {
		return fmt.Errorf("--setup fails in the %v: %w\n    %s", s, failed.err,
			strings.ReplaceAll(failed.lines, "\n", "\n    "))
	}
	return err
}

// hint adds possible causes to a build error: missing submodules, and files that git ignores.
func (g *gate) hint(ctx context.Context, err error) error {
	if err == nil || ctx.Err() != nil {
		return err
	}
	lines := slices.Clone(g.missing)
	if g.Setup == "" {
		if ignored := g.repository.ignored(ctx, err.Error()); len(ignored) > 0 {
			lines = append(lines, fmt.Sprintf("git ignores %s, so no checkout contains it: "+
				"create it with --setup COMMAND", text.List(text.Truncate(ignored, 3))))
		}
	}
	if len(lines) == 0 {
		return err
	}
	return fmt.Errorf("%w\n    %s", err, strings.Join(lines, "\n    "))
}

// ignored returns the ignored files that a build may need: Go files, and files that the error
// names.
func (r *repository) ignored(ctx context.Context, complaint string) (files []string) {
	out, err := r.git(ctx, nil, "ls-files", "-z", "--others", "--ignored", "--exclude-standard",
		"--", "./"+r.within)
	if err != nil {
		return nil
	}
	for file := range strings.SplitSeq(out, "\x00") {
		if name := filepath.Base(file); file != "" && !strings.Contains(file, "poolbench-out/") &&
			(strings.HasSuffix(name, ".go") || strings.Contains(complaint, name)) {
			files = append(files, file)
		}
	}
	return files
}
