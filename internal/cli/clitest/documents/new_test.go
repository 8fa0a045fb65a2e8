package documents

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/internal/cli/clitest"
)

func TestNew(t *testing.T) {
	if testing.Short() {
		t.Skip("it links a program; TestNewCompiles compiles it")
	}
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "mypool")
	source := sources(t)
	clitest.Succeed(t, "new", dir, "--source", source)
	if o := clitest.Command(t, "new", dir, "--source", source); o.Code != clitest.Unusable ||
		!strings.Contains(o.Stderr, "file exists") {
		t.Errorf("a second time: exit code %d, %s", o.Code, o.Stderr)
	}
	inDir := func(name string, args ...string) string {
		cmd := exec.Command(name, args...)
		cmd.Dir, cmd.Env = dir, slices.DeleteFunc(os.Environ(), func(v string) bool {
			return strings.HasPrefix(v, clitest.AsCommand+"=")
		})
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("%s %q: %v\n%s", name, args, err, out)
		}
		return string(out)
	}
	inDir("go", "vet", "./...")
	inDir("go", "build", "-o", "own", ".")
	own := filepath.Join(dir, "own")
	if out := inDir(own, "list"); !strings.Contains(out, "\n  mine ") ||
		!strings.Contains(out, "\n  checkout ") {
		t.Errorf("list: %s", out)
	}
	inDir(own, "run", "--clock", "virtual", "--strategy", "mine:burst=3,worker_pool", "--n", "500",
		"--quiet", "--out", "virtual")
	if page := clitest.Read(t, filepath.Join(dir, "virtual",
		"report.html")); !strings.Contains(page,
		"mine:burst=3") || !strings.Contains(page, "worker_pool") {
		t.Error("the report does not have both strategies")
	} else if want := "go run . run --clock virtual --strategy mine:burst=3,worker_pool --n 500"; !strings.Contains(page, "<code>"+want+"</code>") {
		t.Errorf("the report does not contain the command %q, which knows mine", want)
	}
	// A real-clock run may be SUSPECT or INVALID on a busy machine, so only its results are
	// checked.
	real := exec.Command(own, "run", "--strategy", "mine", "--workload", "checkout", "--rate", "50",
		"--n", "50", "--quiet", "--out", "real")
	real.Dir = dir
	if out, err := real.CombinedOutput(); !strings.Contains(clitest.Read(t,
		filepath.Join(dir, "real", "results.txt")), "/strategy=mine/workload=checkout/") {
		t.Errorf("a run under the real clock: %v, %s", err, out)
	}
	inDir("go", "test", "-run", "^TestMine$", "-bench", ".", "-benchtime", "500x", "./mine")
}

func sources(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs(checkout)
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestNewRefuses(t *testing.T) {
	source := sources(t)
	t.Chdir(t.TempDir())
	for _, c := range []struct{ dir, source, want string }{
		{"Mine", "", "the name of the directory becomes the name of the module"},
		{"..", "", "the name of the directory becomes the name of the module"},
		{"a b", "", "the name of the directory becomes the name of the module"},
		{"mine", "nowhere", "is no checkout of"},
		{"nowhere/mine", source, "nowhere/mine"},
	} {
		args := []string{"new", c.dir}
		if c.source != "" {
			args = append(args, "--source", c.source)
		}
		if o := clitest.Command(t, args...); o.Code != clitest.Unusable ||
			!strings.Contains(o.Stderr, c.want) ||
			strings.Count(o.Stderr, "\n") != 1 {
			t.Errorf("new %s: exit code %d, %s", c.dir, o.Code, o.Stderr)
		}
	}
	if all, err := os.ReadDir("."); err != nil || len(all) > 0 {
		t.Errorf("it left %v, %v", all, err)
	}
}
