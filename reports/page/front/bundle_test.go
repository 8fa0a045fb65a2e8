package front

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/poolbench/poolbench/internal/project/need"
	"github.com/poolbench/poolbench/reports/charts"
)

var update = flag.Bool("update", false, "write spec.json and bundle.js anew")

// maxScript limits the size of the script, in bytes.
const maxScript = 60_000

func TestSpec(t *testing.T) {
	spec, err := json.Marshal(charts.Specification())
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "spec.json", append(spec, '\n'))
}

func TestBundle(t *testing.T) {
	built := build(t, "main.ts", true)
	golden(t, "bundle.js", built)
	if len(built) > maxScript {
		t.Errorf("the script has %d bytes, want at most %d", len(built), maxScript)
	}
	for _, bad := range []string{"</script", "<!--", "innerHTML", "eval(", "XMLHttpRequest"} {
		if bytes.Contains(built, []byte(bad)) {
			t.Errorf("the script holds %s", bad)
		}
	}
}

func build(t *testing.T, source string, minify bool) []byte {
	t.Helper()
	result := api.Build(api.BuildOptions{EntryPoints: []string{source}, Bundle: true,
		Format: api.FormatIIFE, Target: api.ES2022, Charset: api.CharsetUTF8, GlobalName: "front",
		MinifyWhitespace: minify, MinifyIdentifiers: minify, MinifySyntax: minify,
		LegalComments: api.LegalCommentsNone})
	for _, m := range result.Errors {
		t.Fatalf("%+v: %s", m.Location, m.Text)
	}
	return result.OutputFiles[0].Contents
}

func golden(t *testing.T, name string, want []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(name, want, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is not what it is made of: run make generate", name)
	}
}

func TestTypesOfSources(t *testing.T) {
	tsc := filepath.Join("node_modules", ".bin", "tsc")
	if _, err := exec.LookPath("node"); err != nil {
		need.Skip(t, "there is no node here")
	}
	if _, err := os.Stat(tsc); err != nil {
		need.Skip(t, "the type checker is not installed: npm ci in reports/page/front")
	}
	if out, err := exec.Command(tsc, "--project", ".").CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, strings.TrimSpace(string(out)))
	}
}
