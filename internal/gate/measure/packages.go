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
	"regexp"
	"slices"
	"strings"

	"github.com/poolbench/poolbench/internal/lazyregexp"
)

type pkg struct{ path, dir string }

type goTool struct {
	side  side
	dir   string
	temp  string
	guard *guard
}

func (g goTool) run(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = g.dir
	cmd.Env = append(cmd.Environ(), "GOTMPDIR="+g.temp)
	return printed(ctx, g.guard, cmd, "go "+args[0], 8)
}

func findGo(ctx context.Context, g goTool) error {
	if _, err := exec.LookPath("go"); err != nil {
		return errors.New("go is not in $PATH, but gate needs it to build the benchmarks")
	}
	mod, err := g.run(ctx, "env", "GOMOD")
	if err != nil {
		return err
	}
	if mod = strings.TrimSpace(mod); mod == "" || mod == os.DevNull {
		return fmt.Errorf("the %v is not a Go module: there is no go.mod in that directory or "+
			"above it",
			g.side)
	}
	return nil
}

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
			if slices.ContainsFunc(benchmarkFunctions.FindAllSubmatch(source, -1),
				func(f [][]byte) bool { return matches(string(f[1])) }) {
				found = append(found, pkg{p.ImportPath, p.Dir})
				break
			}
		}
	}
}

// Replacement directories outside of the repository are relative to the original.
func (g goTool) fixReplacements(ctx context.Context, checkout, original string) error {
	text, err := g.run(ctx, "mod", "edit", "-json")
	if err != nil {
		return err
	}
	var mod struct {
		Replace []struct {
			Old, New struct{ Path, Version string }
		}
	}
	if err := json.Unmarshal([]byte(text), &mod); err != nil {
		return fmt.Errorf("go mod edit -json: %w", err)
	}
	file, err := g.run(ctx, "env", "GOMOD")
	if err != nil {
		return err
	}
	if checkout, err = filepath.EvalSymlinks(checkout); err != nil {
		return err
	}
	dir, err := filepath.EvalSymlinks(filepath.Dir(strings.TrimSpace(file)))
	if err != nil {
		return err
	}
	module, err := filepath.Rel(checkout, dir)
	if err != nil {
		return err
	}
	for _, r := range mod.Replace {
		path := filepath.FromSlash(r.New.Path)
		if r.New.Version != "" || filepath.IsAbs(path) ||
			filepath.IsLocal(filepath.Join(module, path)) {
			continue
		}
		old := r.Old.Path
		if r.Old.Version != "" {
			old += "@" + r.Old.Version
		}
		if _, err := g.run(ctx, "mod", "edit", "-replace",
			old+"="+filepath.Join(original, module, path)); err != nil {
			return err
		}
	}
	return nil
}

// elements splits a pattern like package testing: alternatives at |, and levels of sub-benchmarks
// at /, both outside of brackets.
func elements(pattern string) (all []string) {
	for _, alternative := range splitOutside(pattern, '|') {
		all = append(all, splitOutside(alternative, '/')...)
	}
	return all
}

func mayMatch(pattern string) func(function string) bool {
	var first []*regexp.Regexp
	for _, alternative := range splitOutside(pattern, '|') {
		first = append(first, regexp.MustCompile(splitOutside(alternative, '/')[0]))
	}
	return func(function string) bool {
		return slices.ContainsFunc(first, func(re *regexp.Regexp) bool {
			return re.MatchString(function)
		})
	}
}

func splitOutside(pattern string, at byte) (parts []string) {
	start, brackets, parentheses := 0, 0, 0
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case c == '\\':
			i++
		case c == '[':
			brackets++
		case c == ']':
			brackets = max(brackets-1, 0)
		case c == '(' && brackets == 0:
			parentheses++
		case c == ')' && brackets == 0:
			parentheses--
		case c == at && brackets == 0 && parentheses == 0:
			parts = append(parts, pattern[start:i])
			start = i + 1
		}
	}
	return append(parts, pattern[start:])
}

func exactPattern(name string) string {
	levels := strings.Split(name, "/")
	for i, level := range levels {
		levels[i] = "^" + regexp.QuoteMeta(level) + "$"
	}
	return strings.Join(levels, "/")
}

// A false match, for example in a comment, only costs a build.
var benchmarkFunctions = lazyregexp.New(`(?m)^func (Benchmark\w*)\(`)
