package manual

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// With -short, the examples are only compiled.
func TestExamples(t *testing.T) {
	root, err := filepath.Abs(checkout)
	if err != nil {
		t.Fatal(err)
	}
	mains, err := filepath.Glob(root + "/examples/*/main.go")
	if err != nil || len(mains) != 4 {
		t.Fatal(mains, err)
	}
	if testing.Short() {
		overlay, packages := map[string]string{}, []string(nil)
		for _, path := range mains {
			dir := filepath.Dir(path)
			overlay[filepath.Join(dir, "go.mod")] = "" // removes the file from the overlay
			packages = append(packages, "examples/"+filepath.Base(dir))
		}
		compileWithin(t, root, overlay, packages)
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
			for _, step := range []string{"mod edit -replace=" + module + "=" + root, "vet ./...",
				"test ./..."} {
				cmd := exec.Command("go", strings.Fields(step)...)
				// with the tags of this test, because these builds are cached
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

// TestLongBlocks builds and runs the output of poolbench new.
func TestNewCompiles(t *testing.T) {
	root, err := filepath.Abs(checkout)
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	const name = "compiled_here" // differs from mypool, which the README creates
	dir, overlay := filepath.Join(t.TempDir(), name), map[string]string{}
	write := exec.Command(self, "new", dir, "--source", root)
	write.Env = append(os.Environ(), asCommand+"=1")
	if out, err := write.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	requirements := read(t, filepath.Join(dir, "go.mod"))
	if !strings.HasPrefix(requirements, "module example.com/"+name+"\n") {
		t.Errorf("go.mod: %.60s", requirements)
	}
	tidy := exec.Command("go", "mod", "tidy", "-diff")
	tidy.Dir, tidy.Env = dir, append(os.Environ(), "GOPROXY=off", "GOFLAGS=-mod=mod")
	if out, _ := tidy.Output(); len(out) > 0 { // without the modules there is only an error
		t.Errorf("go.mod is not tidy: %s", out)
	}
	for _, pattern := range []string{"*.go", "mine/*.go"} {
		files, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil || len(files) == 0 {
			t.Fatal(pattern, files, err)
		}
		for _, file := range files {
			text := strings.ReplaceAll(read(t, file), `"example.com/`, `"`+module+`/`)
			if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
			overlay[root+strings.TrimPrefix(file, filepath.Dir(dir))] = file
		}
	}
	compileWithin(t, root, overlay, []string{name, name + "/mine"})
}

const module = "github.com/poolbench/poolbench"

// compileWithin compiles packages by an overlay of the checkout. For separate modules, Go would
// compile the checkout again.
func compileWithin(t *testing.T, root string, overlay map[string]string, packages []string) {
	t.Helper()
	text, err := json.Marshal(map[string]any{"Replace": overlay})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "overlay.json")
	if err := os.WriteFile(file, text, 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "list", "-export", "-test", "-overlay", file)
	for _, p := range packages {
		cmd.Args = append(cmd.Args, "./"+p+"/...")
	}
	cmd.Dir, cmd.Env = root, append(os.Environ(), "GOWORK=off")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", cmd, err, out)
	}
	for _, p := range packages {
		if !bytes.Contains(out, []byte(module+"/"+p+"\n")) {
			t.Errorf("%s is not compiled: %s", p, out)
		}
	}
}
