package house_test

import (
	"go/ast"
	"slices"
	"strings"
	"testing"
)

// A package is small enough to be read at once. One with more exported names says under this
// heading of its comment why, and what is where; with more files is one of variants alone.
const (
	sizeHeading = "Size"
	mostFiles   = 25 // without tests, and without what is generated
	mostNames   = 20 // exported, methods and fields not counted
)

// manyFiles are the packages that may have more: a variant, or a part of a drawing, each.
var manyFiles = []string{"strategies/builtin", "workloads", "targets", "reports/charts",
	"internal/studies"}

// TestSize: no package has too many files, and one with many exported names says why.
func TestSize(t *testing.T) {
	for _, p := range packages(t) {
		_, files := sources(t, p)
		written, names, says := 0, 0, false
		for _, f := range files {
			if !ast.IsGenerated(f) {
				written++
			}
			names += exported(f)
			says = says || hasHeading(f.Doc, sizeHeading)
		}
		if written > mostFiles &&
			!slices.Contains(manyFiles, strings.TrimPrefix(p.ImportPath, module+"/")) {
			t.Errorf("package %s has %d files, want at most %d: divide it", p.ImportPath,
				written, mostFiles)
		}
		if names > mostNames && !says {
			t.Errorf("package %s has %d exported names, and its comment has no # %s that says why",
				p.ImportPath, names, sizeHeading)
		}
	}
}

// exported counts the names that a file gives to other packages.
func exported(f *ast.File) (n int) {
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil && d.Name.IsExported() {
				n++
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					if spec.Name.IsExported() {
						n++
					}
				case *ast.ValueSpec:
					for _, name := range spec.Names {
						if name.IsExported() {
							n++
						}
					}
				}
			}
		}
	}
	return n
}

func hasHeading(doc *ast.CommentGroup, heading string) bool {
	if doc == nil {
		return false
	}
	for _, line := range doc.List {
		if line.Text == "// # "+heading {
			return true
		}
	}
	return false
}
