package project_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// printing lists files outside cmd that may print or exit, and what they may use of package os.
var printing = map[string][]string{
	"poolbench.go":                         {"Stdout", "Stderr", "Exit"}, // Main
	"bench/benchmark.go":                   {"Stdout", "Exit"},
	"cmd/benchgate/main.go":                {"Stdin", "Stdout", "Stderr", "Exit"},
	"cmd/playground/main.go":               {"Stderr", "Exit"},
	"strategies/strategytest/childside.go": {"Stdout", "Exit"},
	// stdout carries messages to the parent process
	"internal/crash/work.go": {"Stdout", "Stderr"},
}

// sources parses the package without its tests.
func sources(t *testing.T, p listed) (*token.FileSet, []*ast.File) {
	t.Helper()
	set := token.NewFileSet()
	var files []*ast.File
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(set, filepath.Join(p.Dir, name), nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	return set, files
}

func TestOnlyCommandPrints(t *testing.T) {
	for _, p := range packages(t) {
		if within(p.ImportPath, module+"/internal/cli") {
			continue
		}
		set, files := sources(t, p)
		for _, f := range files {
			name := strings.TrimPrefix(p.ImportPath+"/"+filepath.Base(set.File(f.Pos()).Name()),
				module+"/")
			for _, pos := range prints(f, printing[name]) {
				t.Errorf("%v: only the command prints and exits", set.Position(pos))
			}
		}
	}
}

// prints returns the positions where the file prints or exits.
func prints(f *ast.File, allowed []string) (found []token.Pos) {
	forbidden := map[string][]string{"os": {"Stdout", "Stderr", "Exit"},
		"fmt": {"Print", "Printf", "Println"}}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			pkg, ok := n.X.(*ast.Ident)
			if ok && slices.Contains(forbidden[pkg.Name], n.Sel.Name) &&
				!(pkg.Name == "os" && slices.Contains(allowed, n.Sel.Name)) {
				found = append(found, n.Pos())
			}
		case *ast.CallExpr:
			if builtin, ok := n.Fun.(*ast.Ident); ok &&
				(builtin.Name == "print" || builtin.Name == "println") {
				found = append(found, n.Pos())
			}
		}
		return true
	})
	return found
}

func TestPrintsTest(t *testing.T) {
	const source = `package p
import ("fmt"; "os")
func f() {
	fmt.Println(); println(); os.Exit(1); fmt.Fprintln(os.Stdout); fmt.Sprint(); _ = os.Stderr
}
`
	f, err := parser.ParseFile(token.NewFileSet(), "p.go", source, 0)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(prints(f, nil)); n != 5 {
		t.Errorf("found %d of 5", n)
	}
	if n := len(prints(f, []string{"Stdout"})); n != 4 {
		t.Errorf("found %d of 4", n)
	}
	if n := len(prints(f, []string{"Stdout", "Stderr", "Exit", "Println"})); n != 2 {
		// fmt.Println and the builtin println
		t.Errorf("found %d of 2", n)
	}
}

// Packages and the API of public packages must be documented.
func TestExportedNamesAreDocumented(t *testing.T) {
	for _, p := range packages(t) {
		set, files := sources(t, p)
		internal := strings.Contains(p.ImportPath+"/", "/internal/")
		hasDoc := false
		for _, f := range files {
			hasDoc = hasDoc || f.Doc != nil
			if internal {
				continue
			}
			for _, d := range f.Decls {
				for _, name := range undocumented(d) {
					t.Errorf("%v: %s is exported and has no comment", set.Position(d.Pos()), name)
				}
			}
		}
		if !hasDoc {
			t.Errorf("package %s has no comment", p.ImportPath)
		}
	}
}

// undocumented returns exported names without a comment, their own or that of their group.
func undocumented(d ast.Decl) (names []string) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Doc == nil && d.Name.IsExported() &&
			(d.Recv == nil || receiverIsExported(d) && !ofInterface(d)) {
			names = append(names, d.Name.Name)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				if d.Doc == nil && s.Doc == nil && s.Name.IsExported() {
					names = append(names, s.Name.Name)
				}
			case *ast.ValueSpec:
				for _, n := range s.Names {
					if d.Doc == nil && s.Doc == nil && s.Comment == nil && n.IsExported() {
						names = append(names, n.Name)
					}
				}
			}
		}
	}
	return names
}

// ofInterface reports whether d is a method of a standard interface.
func ofInterface(d *ast.FuncDecl) bool {
	return slices.Contains([]string{"Error", "String", "Unwrap", "Is", "As", "Write", "Read",
		"Close"}, d.Name.Name)
}

func receiverIsExported(d *ast.FuncDecl) bool {
	typ := d.Recv.List[0].Type
	if star, ok := typ.(*ast.StarExpr); ok {
		typ = star.X
	}
	if generic, ok := typ.(*ast.IndexExpr); ok {
		typ = generic.X
	}
	name, ok := typ.(*ast.Ident)
	return ok && name.IsExported()
}
