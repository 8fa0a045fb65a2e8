package house_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"testing"
)

// TestRacedBy: the test that check.RacedBy names is one of the same package, and is not left out
// itself.
func TestRacedBy(t *testing.T) {
	left := 0
	for _, p := range packages(t) {
		files, err := filepath.Glob(filepath.Join(p.Dir, "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		type call struct {
			at   token.Position
			test string
		}
		calls, by := map[string]call{}, map[string]bool{} // by test, and the tests
		for _, path := range files {
			set := token.NewFileSet()
			f, err := parser.ParseFile(set, path, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range f.Decls {
				test, ok := d.(*ast.FuncDecl)
				if !ok {
					continue
				}
				by[test.Name.Name] = true
				ast.Inspect(test, func(n ast.Node) bool {
					if c, ok := n.(*ast.CallExpr); ok && isCall(c, "RacedBy") {
						other, err := strconv.Unquote(c.Args[1].(*ast.BasicLit).Value)
						if err != nil {
							t.Fatal(err)
						}
						calls[test.Name.Name] = call{set.Position(c.Pos()), other}
						left++
					}
					return true
				})
			}
		}
		for _, c := range calls {
			if _, out := calls[c.test]; out || !by[c.test] {
				t.Errorf("%v: %s does not run under the race detector", c.at, c.test)
			}
		}
	}
	if left == 0 {
		t.Error("no test is left out: the name of the function has changed")
	}
}

func isCall(c *ast.CallExpr, name string) bool {
	f, ok := c.Fun.(*ast.SelectorExpr)
	return ok && f.Sel.Name == name
}
