package manual

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/internal/house/check"
)

// TestExamples: each module of examples can be vetted, keeps its own tests, and does what its page
// says.
func TestExamples(t *testing.T) {
	root, err := filepath.Abs(checkout)
	if err != nil {
		t.Fatal(err)
	}
	mains, err := filepath.Glob(root + "/examples/*/main.go")
	if err != nil || len(mains) != 4 {
		t.Fatal(mains, err)
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
			steps := []string{"mod edit -replace=github.com/poolbench/poolbench=" + root, "vet ./..."}
			whole := check.Whole(t) // each test is another link
			if whole {
				steps = append(steps, "test ./...")
			}
			for _, step := range steps {
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
			if whole {
				follow(t, filepath.Join(source, "README.md"), dir)
			}
		})
	}
}
