package manual

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/internal/house/check"
)

// TestExamples: each module of examples compiles. Whole, it can be vetted, keeps its own tests, and
// does what its page says.
func TestExamples(t *testing.T) {
	root, err := filepath.Abs(checkout)
	if err != nil {
		t.Fatal(err)
	}
	mains, err := filepath.Glob(root + "/examples/*/main.go")
	if err != nil || len(mains) != 4 {
		t.Fatal(mains, err)
	}
	if !check.Whole(t) {
		compileWithin(t, root, mains)
		return
	}
	copied := t.TempDir()
	for _, path := range mains {
		source := filepath.Dir(path)
		name := filepath.Base(source)
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(copied, name)
			if err := os.CopyFS(dir, os.DirFS(source)); err != nil {
				t.Fatal(err)
			}
			for _, step := range []string{"mod edit -replace=github.com/poolbench/poolbench=" + root,
				"vet ./...", "test ./..."} {
				cmd := exec.Command("go", strings.Fields(step)...)
				// with the tags of what runs this, for which all is compiled
				cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off",
					"GOFLAGS="+os.Getenv("GOFLAGS")+" -mod=readonly", "GOPROXY=off")
				if strings.HasPrefix(step, "mod") {
					cmd.Env = append(cmd.Env, "GOFLAGS=")
				}
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Fatalf("go %s: %v\n%s", step, err, out)
				}
			}
			follow(t, filepath.Join(source, "README.md"), dir)
		})
	}
}

// compileWithin compiles the modules, tests included, as packages of the checkout: their go.mod
// says what its own does (TestExampleModules). For modules of their own Go would compile the checkout
// once more, and look at 900 packages before it vets them.
func compileWithin(t *testing.T, root string, mains []string) {
	t.Helper()
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	for _, path := range mains {
		overlay.Replace[filepath.Join(filepath.Dir(path), "go.mod")] = "" // is not there
	}
	text, err := json.Marshal(overlay)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "overlay.json")
	if err := os.WriteFile(file, text, 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "list", "-export", "-test", "-overlay", file, "./examples/...")
	cmd.Dir, cmd.Env = root, append(os.Environ(), "GOWORK=off")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", cmd, err, out)
	}
	for _, path := range mains {
		name := "examples/" + filepath.Base(filepath.Dir(path))
		if !bytes.Contains(out, []byte("github.com/poolbench/poolbench/"+name+"\n")) {
			t.Errorf("%s is not compiled: %s", name, out)
		}
	}
}
