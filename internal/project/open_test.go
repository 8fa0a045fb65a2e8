package project_test

import (
	"encoding/json"
	"errors"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// Users cannot name types of internal packages, so the API of public packages must not contain
// them.
func TestOpen(t *testing.T) {
	readDirectories(t)
	cmd := exec.Command("go", "list", "-export", "-deps", "-json=ImportPath,Export,Name",
		module+"/...")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	exports, public := map[string]string{}, []string(nil)
	for decode := json.NewDecoder(out); ; {
		var p struct{ ImportPath, Export, Name string }
		if err := decode.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		exports[p.ImportPath] = p.Export
		if within(p.ImportPath, module) && !isInternal(p.ImportPath) && p.Name != "main" &&
			!ownUse(p.ImportPath) {
			public = append(public, p.ImportPath)
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	if len(public) < 10 {
		t.Fatalf("%d public packages: %v", len(public), public)
	}
	from := importer.ForCompiler(token.NewFileSet(), "gc",
		func(path string) (io.ReadCloser, error) {
			return os.Open(exports[path])
		})
	for _, path := range public {
		p, err := from.Import(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range p.Scope().Names() {
			if o := p.Scope().Lookup(name); o.Exported() {
				if hidden := hiddenIn(o); hidden != nil {
					t.Errorf("%s.%s has the types %v of internal packages", path, name, hidden)
				}
			}
		}
	}
}

// ownUse reports whether only the command uses a package.
func ownUse(path string) bool {
	for _, of := range []string{"reports", "internal/objectives", "internal/capacity", "internal/advise"} {
		if within(path, module+"/"+of) {
			return true
		}
	}
	return false
}

func isInternal(path string) bool { return strings.Contains(path+"/", "/internal/") }

func hiddenIn(o types.Object) (hidden []string) {
	seen := map[types.Type]bool{}
	var look func(t types.Type)
	tuple := func(all *types.Tuple) {
		for v := range all.Variables() {
			look(v.Type())
		}
	}
	look = func(t types.Type) {
		if seen[t] {
			return
		}
		seen[t] = true
		switch t := t.(type) {
		case *types.Alias:
			look(types.Unalias(t))
		case *types.Named:
			if t.Obj().Pkg() != nil && isInternal(t.Obj().Pkg().Path()) &&
				within(t.Obj().Pkg().Path(), module) {
				hidden = append(hidden, t.String())
			}
			for arg := range t.TypeArgs().Types() {
				look(arg)
			}
		case *types.Struct:
			for f := range t.Fields() {
				if f.Exported() {
					look(f.Type())
				}
			}
		case *types.Interface:
			for m := range t.Methods() {
				if m.Exported() {
					look(m.Type())
				}
			}
		case *types.Signature:
			tuple(t.Params())
			tuple(t.Results())
		case *types.Map:
			look(t.Key())
			look(t.Elem())
		case interface{ Elem() types.Type }: // pointers, slices, arrays, channels
			look(t.Elem())
		}
	}
	if name, ok := o.(*types.TypeName); ok && !name.IsAlias() {
		look(name.Type().Underlying())
		if named, ok := types.Unalias(name.Type()).(*types.Named); ok {
			for m := range named.Methods() {
				if m.Exported() {
					look(m.Type())
				}
			}
		}
	} else {
		look(o.Type())
	}
	return hidden
}
