package cli

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "write the modules of examples anew")

const checkout = "../.."

// Each module in examples must require the versions of this module. -update (make generate) writes
// the requirements.
func TestExampleModules(t *testing.T) {
	mains, err := filepath.Glob(checkout + "/examples/*/main.go")
	if err != nil || len(mains) != 4 {
		t.Fatal(mains, err)
	}
	theirs, sums := contents(t, checkout+"/go.mod"), contents(t, checkout+"/go.sum")
	for _, path := range mains {
		name := filepath.Base(filepath.Dir(path))
		for file, want := range map[string]string{
			"go.mod": goMod("example.com/"+name, theirs, "../.."), "go.sum": sums,
		} {
			path := filepath.Join(checkout, "examples", name, file)
			if *update {
				if err := os.WriteFile(path, []byte(want), 0o666); err != nil {
					t.Fatal(err)
				}
			} else if contents(t, path) != want {
				t.Errorf("%s is behind that of the checkout: make generate", path)
			}
		}
	}
}

func contents(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
