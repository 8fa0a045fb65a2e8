package measure

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// A pkg is a package of one side that has benchmarks to look at.
type pkg struct{ path, dir string }

// A goTool calls the go command in one side's module.
type goTool struct {
	side  side
	dir   string
	temp  string // where it builds
	guard *guard
}

// run returns what the go command prints; an error has the first lines of what it complains about.
func (g goTool) run(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = g.dir
	cmd.Env = append(cmd.Environ(), "GOTMPDIR="+g.temp)
	out, err := printed(ctx, g.guard, cmd, 8)
	if said, ok := errors.AsType[*commandError](err); ok {
		if said.lines != "" {
			return "", &goError{said.lines}
		}
		return "", fmt.Errorf("go %s: %w", args[0], said.err)
	}
	return out, err
}

// A goError is what the go command said.
type goError struct{ lines string }

func (e *goError) Error() string { return e.lines }

// findGo makes sure that there is a go command, and a module.
func findGo(ctx context.Context, g goTool) error {
	if _, err := exec.LookPath("go"); err != nil {
		return errors.New("no go: it is needed to build the benchmarks, and is not in $PATH")
	}
	mod, err := g.run(ctx, "env", "GOMOD")
	if err != nil {
		return err
	}
	if mod = strings.TrimSpace(mod); mod == "" || mod == os.DevNull {
		return fmt.Errorf("the %v is no Go module: no go.mod in that directory, or above it",
			g.side)
	}
	return nil
}

// packages lists those whose tests declare a benchmark that the pattern may match. They alone are
// built.
func (g goTool) packages(ctx context.Context, patterns []string, bench string) ([]pkg, error) {
	out, err := g.run(ctx,
		append([]string{"list", "-json=ImportPath,Dir,TestGoFiles,XTestGoFiles", "--"},
			patterns...)...)
	if err != nil {
		return nil, fmt.Errorf("the packages of the %v cannot be listed: %w", g.side, err)
	}
	matches := mayMatch(bench)
	var found []pkg
	for decode := json.NewDecoder(strings.NewReader(out)); ; {
		var p struct {
			ImportPath, Dir           string
			TestGoFiles, XTestGoFiles []string
		}
		if err := decode.Decode(&p); errors.Is(err, io.EOF) {
			return found, nil
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		for _, file := range append(p.TestGoFiles, p.XTestGoFiles...) {
			source, err := os.ReadFile(filepath.Join(p.Dir, file))
			if err != nil {
				return nil, err
			}
			if declares(source, matches) {
				found = append(found, pkg{p.ImportPath, p.Dir})
				break
			}
		}
	}
}

func declares(source []byte, matches func(string) bool) bool {
	for _, f := range benchmarkFunctions.FindAllSubmatch(source, -1) {
		if matches(string(f[1])) {
			return true
		}
	}
	return false
}
