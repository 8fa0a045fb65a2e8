package project_test

import (
	"bytes"
	"flag"
	"go/format"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/a-h/templ/generator"
	templ "github.com/a-h/templ/parser/v2"
)

var update = flag.Bool("update", false, "write the Go of the pages' components anew")

// watched matches calls by which templ reads text from files if TEMPL_DEV_MODE is set.
var watched = regexp.MustCompile(`(\w+ = )templruntime\.WriteString\((\w+), \d+, `)

func TestComponents(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	eachFile(t, ".templ", func(path string, text []byte) {
		n++
		name, err := filepath.Rel(root, path)
		if err != nil {
			t.Fatal(err)
		}
		name = filepath.ToSlash(name)
		file, err := templ.ParseString(string(text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			return
		}
		var made bytes.Buffer
		_, err = generator.Generate(file, &made, generator.WithFileName(name))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			return
		}
		want, err := format.Source(
			watched.ReplaceAll(made.Bytes(), []byte("_, ${1}${2}.WriteString(")))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			return
		}
		goPath := strings.TrimSuffix(path, ".templ") + "_templ.go"
		if *update {
			if err := os.WriteFile(goPath, want, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := os.ReadFile(goPath); err != nil {
			t.Error(err)
		} else if !bytes.Equal(got, want) {
			t.Errorf("%s is not what it is made of: run make generate", filepath.Base(goPath))
		}
	})
	if n == 0 {
		t.Error("there is no component")
	}
}

// eachFile skips test data and generated Go code.
func eachFile(t *testing.T, ending string, do func(path string, text []byte)) {
	t.Helper()
	readDirectories(t)
	for _, p := range packages(t) {
		for _, in := range []string{p.Dir, filepath.Join(p.Dir, "help")} {
			paths, err := filepath.Glob(filepath.Join(in, "*"+ending))
			if err != nil {
				t.Fatal(err)
			}
			for _, path := range paths {
				text, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				if !bytes.HasPrefix(text, []byte("// Code generated ")) {
					do(path, text)
				}
			}
		}
	}
}
