package house_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestSerial: what make race leaves out starts no goroutine, in its tests neither, and imports
// nothing that does.
func TestSerial(t *testing.T) {
	makefile, err := os.ReadFile("../../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile(`(?m)^SERIAL := (.*)$`).FindSubmatch(makefile)
	serial, left := regexp.MustCompile(strings.ReplaceAll(string(line[1]), "$$", "$")), 0
	all := map[string]listed{}
	for _, p := range packages(t) {
		all[p.ImportPath] = p
	}
	seen := map[string]bool{}
	var imports func(p listed, by string)
	imports = func(p listed, by string) {
		for _, path := range p.Imports {
			if other, ours := all[path]; ours && !seen[path] && !serial.MatchString(path) {
				seen[path] = true
				for _, at := range starts(t, other, func(name string) bool {
					return !strings.HasSuffix(name, "_test.go")
				}) {
					t.Errorf("%v: a goroutine: make race is to have %s", at, by)
				}
				imports(other, by)
			}
		}
	}
	for _, p := range all {
		if !serial.MatchString(p.ImportPath) {
			continue
		}
		left++
		for _, at := range starts(t, p, func(string) bool { return true }) {
			t.Errorf("%v: a goroutine: make race is to have it", at)
		}
		imports(p, p.ImportPath)
	}
	if left < 30 {
		t.Errorf("only %d packages are left out", left)
	}
}

// starts is where files of a package start goroutines.
func starts(t *testing.T, p listed, of func(name string) bool) (at []token.Position) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(p.Dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		if !of(path) {
			continue
		}
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			_, starts := n.(*ast.GoStmt)
			if call, ok := n.(*ast.CallExpr); ok {
				starts = isCall(call, "Go") || isCall(call, "Parallel")
			}
			if starts {
				at = append(at, set.Position(n.Pos()))
			}
			return true
		})
	}
	return at
}
