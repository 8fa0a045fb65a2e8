package project_test

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A study must not use declarations of another study. retry_judge.go belongs to the study of
// retry.go. Files without a study are shared.
func TestStudiesAreIndependent(t *testing.T) {
	found := false
	for _, p := range packages(t) {
		if p.ImportPath != module+"/internal/studies" {
			continue
		}
		found = true
		for _, line := range foreignUses(sources(t, p)) {
			t.Error(line)
		}
	}
	if !found {
		t.Error("no package of studies")
	}
}

func TestForeignUses(t *testing.T) {
	set := token.NewFileSet()
	var files []*ast.File
	for name, text := range map[string]string{
		"load.go": "package p\nvar _ = register(1)\nconst mean, a = shared, 2\n" +
			"func f() { mean := 1; _ = mean }",
		"load_draw.go": "package p\nfunc draw() int { return mean }",
		"retry.go":     "package p\nvar _ = register(a)\nfunc g(a int) int { return a }",
		"parts.go":     "package p\nconst shared = 1\nfunc register(int) int { return mean }",
	} {
		f, err := parser.ParseFile(set, name, text, 0)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	if got, want := fmt.Sprint(foreignUses(set, files)), "[parts.go:3: mean is of the study load "+
		"retry.go:2: a is of the study load]"; got != want {
		t.Errorf("found %s, want %s", got, want)
	}
}

// foreignUses returns uses of names that are declared by another study.
func foreignUses(set *token.FileSet, files []*ast.File) (found []string) {
	info := types.Info{Uses: map[*ast.Ident]types.Object{}}
	config := types.Config{Importer: noImports{}, Error: func(error) {}}
	p, err := config.Check("studies", set, files, &info)
	if p == nil {
		return []string{err.Error()}
	}
	homes := map[string]bool{}
	for use := range info.Uses {
		if use.Name == "register" {
			homes[stem(set, use.Pos())] = true
		}
	}
	study := func(pos token.Pos) string {
		file, name := stem(set, pos), ""
		for home := range homes {
			if (file == home || strings.HasPrefix(file, home+"_")) && len(home) > len(name) {
				name = home
			}
		}
		return name
	}
	for use, of := range info.Uses {
		if of.Parent() != p.Scope() {
			continue
		}
		if owner := study(of.Pos()); owner != "" && owner != study(use.Pos()) {
			at := set.Position(use.Pos())
			found = append(found, fmt.Sprintf("%s:%d: %s is of the study %s",
				filepath.Base(at.Filename), at.Line, use.Name, owner))
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

func stem(set *token.FileSet, pos token.Pos) string {
	return strings.TrimSuffix(filepath.Base(set.Position(pos).Filename), ".go")
}

// noImports resolves no imports, which names of the package itself do not need.
type noImports struct{}

func (noImports) Import(path string) (*types.Package, error) {
	return nil, errors.New("not looked at: " + path)
}
