package measure

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/poolbench/poolbench/internal/files"
	"github.com/poolbench/poolbench/internal/project/need"
)

// arguments that run the test binary as the guard or the control of a gate
const (
	asGuard   = "as-guard"
	asControl = "as-control"
)

func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == asGuard {
		if err := Guard(context.Background(), os.Stdin, os.Args[2]); err != nil {
			panic(err)
		}
		os.Exit(0)
	}
	if len(os.Args) > 2 && os.Args[1] == asControl {
		if len(os.Args) == 5 {
			var work, iterations int
			if _, err := fmt.Sscanf(os.Args[3]+" "+os.Args[4], "%d %dx", &work,
				&iterations); err != nil {
				panic(err)
			}
			for i := range work * iterations {
				spin(i)
			}
		}
		ns := os.Args[2]
		if ns == "wild" {
			ns = fmt.Sprint(1000 * math.Exp(2*rand.NormFloat64()))
		}
		// a custom metric prevents splitting the run into several processes
		fmt.Printf("%s \t 100\t %s ns/op \t 1 steady\n", ControlName, ns)
		os.Exit(0)
	}
	if err := os.Setenv("GORACE", "atexit_sleep_ms=0"); err != nil {
		// with the default, each of hundreds of processes sleeps for a second at exit
		panic(err)
	}
	goleak.VerifyTestMain(m)
}

//go:noinline
func spin(int) {}

func control(t *testing.T, same, slower string) func(bool, string) []string {
	t.Helper()
	path := self(t)
	return func(isSlower bool, benchTime string) []string {
		if isSlower {
			return []string{path, asControl, slower, benchTime}
		}
		return []string{path, asControl, same, benchTime}
	}
}

func self(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// benchmarks is a test file whose benchmarks report synthetic times. %d is the mean time of A in
// ns.
const benchmarks = `package m

import (
	"fmt"
	"os"
	"strconv"
	"testing"
)

func BenchmarkA(b *testing.B) {
	seed, err := strconv.ParseUint(os.Getenv("POOLBENCH_SEED"), 10, 64)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
	}
	fmt.Println("warning: this is no configuration line")
	fmt.Print("and this no result ")
	b.ReportMetric(%d+float64(seed%%7), "ns/op")
}

func BenchmarkLater(b *testing.B) { b.Skip("not yet") }

func BenchmarkB(b *testing.B) {
	for _, n := range []int{1, 20} {
		b.Run(fmt.Sprintf("n=%%d", n), func(b *testing.B) {
			for b.Loop() {
			}
			b.ReportMetric(50, "ns/op")
		})
	}
}
`

type module struct {
	t   *testing.T
	dir string
}

// newModule commits a module in a subdirectory of a repository.
func newModule(t *testing.T) module {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		need.Skip(t, "there is no git here")
	}
	m := module{t, t.TempDir()}
	t.Setenv("TMPDIR", t.TempDir())
	m.git("init", "--quiet")
	m.write("sub/go.mod", "module example.org/m\n\ngo 1.24\n")
	m.write("sub/m.go", "package m\n")
	m.write("sub/m_test.go", fmt.Sprintf(benchmarks, 1000))
	m.write("sub/without/w.go", "package without\n")
	m.commit()
	return m
}

func (m module) git(args ...string) string {
	m.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = m.dir
	cmd.Env = append(os.Environ(), "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a",
		"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a", "GIT_CONFIG_GLOBAL="+os.DevNull)
	out, err := cmd.CombinedOutput()
	if err != nil {
		m.t.Fatalf("git %s: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (m module) commit() {
	m.t.Helper()
	m.git("add", "--all")
	m.git("commit", "--quiet", "--message", "a")
}

func (m module) write(path, text string) {
	m.t.Helper()
	path = filepath.Join(m.dir, path)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		m.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		m.t.Fatal(err)
	}
}

func (m module) options() Options {
	m.t.Helper()
	o := Defaults()
	o.Dir, o.Base = filepath.Join(m.dir, "sub"), "HEAD"
	o.BenchTime = BenchTime{Time: time.Millisecond}
	o.Layouts = 2
	o.Out = filepath.Join(m.t.TempDir(), "out")
	o.Control = control(m.t, "1000", "1150")
	o.Guard = []string{self(m.t), asGuard}
	o.Judge.ScreenPairs, o.Judge.ClearAt, o.Judge.FreshPairs = 3, 0.25, 6
	return o
}

func (m module) clean() {
	m.t.Helper()
	if list := m.git("worktree", "list"); strings.Count(list, "\n") != 0 {
		m.t.Errorf("worktrees are left:\n%s", list)
	}
	trees := filepath.Join(os.TempDir(), files.ScratchPattern(treesName))
	if left, err := filepath.Glob(trees); err != nil ||
		len(left) > 0 {
		m.t.Errorf("left behind: %v, %v", left, err)
	}
}

type quiet struct{ lines []string }

func (s *quiet) Println(line string)   { s.lines = append(s.lines, line) }
func (*quiet) Doing(string)            {}
func (*quiet) More(int, time.Duration) {}
func (*quiet) Ran(int, time.Duration)  {}
