package project_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"testing"
)

// nameOfMetric matches names of metrics only.
var nameOfMetric = regexp.MustCompile(`^[a-z0-9.]+(-[a-z0-9.]+)+-(sec|ess)$|^[a-z]+(-[a-z]+)*/op$`)

// otherUnits match nameOfMetric, but belong to package testing, the gate or slowest.csv.
var otherUnits = []string{"sec/op", "ns/op", "allocs/op", "instructions/op", "burst-start-sec"}

// Code must use constants of packages metric and rundir, so that a misspelled name of a metric or
// check does not compile.
func TestNames(t *testing.T) {
	checks := constants(t, "../rundir/checks.go")
	if len(checks) < 10 {
		t.Fatalf("the constants of checks are %q", checks)
	}
	for _, p := range packages(t) {
		if p.ImportPath == module+"/internal/metric" {
			continue
		}
		set, files := sources(t, p)
		for _, f := range files {
			ast.Inspect(f, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.BasicLit:
					name := unquoted(n)
					if nameOfMetric.MatchString(name) && !slices.Contains(otherUnits, name) {
						t.Errorf("%v: %s is the name of a metric: want a constant or function of "+
							"internal/metric", set.Position(n.Pos()), n.Value)
					}
				case *ast.CallExpr:
					called, is := n.Fun.(*ast.SelectorExpr)
					for _, arg := range n.Args {
						name := unquoted(arg)
						if is && slices.Contains([]string{"Doubt", "finds"}, called.Sel.Name) &&
							slices.Contains(checks, name) {
							t.Errorf("%v: %q is the name of a check: want its constant",
								set.Position(arg.Pos()), name)
						}
					}
				}
				return true
			})
		}
	}
	if found := constants(t, "../metric/names.go"); !slices.ContainsFunc(found,
		nameOfMetric.MatchString) {
		t.Errorf("none of %q is taken for the name of a metric", found)
	}
}

// unquoted returns the value of a string literal, or "".
func unquoted(e ast.Expr) string {
	literal, ok := e.(*ast.BasicLit)
	if !ok || literal.Kind != token.STRING {
		return ""
	}
	text, err := strconv.Unquote(literal.Value)
	if err != nil {
		return ""
	}
	return text
}

func constants(t *testing.T, path string) (values []string) {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok {
			for _, value := range spec.Values {
				if text := unquoted(value); text != "" {
					values = append(values, text)
				}
			}
		}
		return true
	})
	return values
}
