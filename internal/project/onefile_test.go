package project_test

import (
	"go/ast"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/bench/arrivals"
	"github.com/poolbench/poolbench/strategies"
	_ "github.com/poolbench/poolbench/strategies/builtin"
	_ "github.com/poolbench/poolbench/strategies/peers"
	"github.com/poolbench/poolbench/targets"
	"github.com/poolbench/poolbench/workloads"
	_ "github.com/poolbench/poolbench/workloads/regex"
	_ "github.com/poolbench/poolbench/workloads/rpc"
	_ "github.com/poolbench/poolbench/workloads/sql"
)

// The name of a variant may occur only in its own file and in packages that use variants, such as
// studies.
func TestOneFile(t *testing.T) {
	var names []string
	kinds := map[string]string{} // package by name
	all := packages(t)
	for path, registered := range map[string][]string{
		module + "/strategies":     namesOf(strategies.All(), strategies.Spec.String),
		module + "/workloads":      namesOf(workloads.All(), workloads.Spec.String),
		module + "/targets":        namesOf(targets.All(), targets.Spec.String),
		module + "/bench/arrivals": namesOf(arrivals.All(), arrivals.Spec.String),
	} {
		for _, name := range registered {
			home := path // or a package below it, which registers heavy variants
			for _, p := range all {
				if within(p.ImportPath, path) && slices.Contains(p.GoFiles, name+".go") {
					home = p.ImportPath
				}
			}
			kinds[home+" "+name] = name
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	above := map[string]bool{module + "/internal/studies": true,
		module + "/internal/machine/calibration": true, module + "/bench": true}
	// file names by package and variant
	places := map[string][]string{}
	for _, p := range all {
		set, files := sources(t, p)
		for _, f := range files {
			for _, name := range literals(f, names) {
				places[p.ImportPath+" "+name] = append(places[p.ImportPath+" "+name],
					filepath.Base(set.Position(f.Pos()).Filename))
			}
		}
	}
	for key, files := range places {
		path, name, _ := strings.Cut(key, " ")
		if kinds[key] == "" && !above[path] && strings.Contains(name, "_") {
			// a single word may have another meaning
			t.Errorf("%s names %s, a variant of another package, in %v", path, name, files)
		}
	}
	for key, name := range kinds {
		path, _, _ := strings.Cut(key, " ")
		if files := places[key]; len(files) != 1 || files[0] != name+".go" {
			t.Errorf("%s is named in %v of %s, want once, in %s.go", name, files, path, name)
		}
	}
}

func namesOf[T any](all []T, name func(T) string) (names []string) {
	for _, v := range all {
		names = append(names, name(v))
	}
	return names
}

// literals returns the string literals of the file that are names.
func literals(f *ast.File, names []string) (found []string) {
	ast.Inspect(f, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			if text, err := strconv.Unquote(lit.Value); err == nil {
				for _, name := range names {
					if text == name {
						found = append(found, name)
					}
				}
			}
		}
		return true
	})
	return found
}
