package house_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestSerial: what make race leaves out starts no goroutine, in its tests neither.
func TestSerial(t *testing.T) {
	makefile, err := os.ReadFile("../../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile(`(?m)^SERIAL := (.*)$`).FindSubmatch(makefile)
	serial, left := regexp.MustCompile(strings.ReplaceAll(string(line[1]), "$$", "$")), 0
	for _, p := range packages(t) {
		if !serial.MatchString(p.ImportPath) {
			continue
		}
		left++
		files, err := filepath.Glob(filepath.Join(p.Dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range files {
			set := token.NewFileSet()
			f, err := parser.ParseFile(set, path, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(f, func(n ast.Node) bool {
				_, starts := n.(*ast.GoStmt)
				if call, ok := n.(*ast.CallExpr); ok {
					f, ok := call.Fun.(*ast.SelectorExpr)
					starts = ok && slices.Contains([]string{"Go", "Parallel"}, f.Sel.Name)
				}
				if starts {
					t.Errorf("%v: a goroutine: make race is to have it", set.Position(n.Pos()))
				}
				return true
			})
		}
	}
	if left < 10 {
		t.Errorf("only %d packages are left out", left)
	}
}
