package bisect

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/poolbench/poolbench/internal/gate/measure"
	"github.com/poolbench/poolbench/internal/gate/verdict"
	"github.com/poolbench/poolbench/internal/project/need"
)

// arguments that run the test binary as the guard or the control of a gate
const (
	asGuard   = "as-guard"
	asControl = "as-control"
)

func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == asGuard {
		if err := measure.Guard(context.Background(), os.Stdin, os.Args[2]); err != nil {
			panic(err)
		}
		os.Exit(0)
	}
	if len(os.Args) > 2 && os.Args[1] == asControl {
		// a custom metric prevents splitting the run into several processes
		fmt.Printf("%s \t 100\t %s ns/op \t 1 steady\n", measure.ControlName, os.Args[2])
		os.Exit(0)
	}
	os.Exit(m.Run())
}

type counter struct {
	runs, most int
	end        context.CancelFunc
}

func (c *counter) Println(string)          {}
func (c *counter) Doing(string)            {}
func (c *counter) More(int, time.Duration) {}

func (c *counter) Ran(runs int, _ time.Duration) {
	if c.runs += runs; c.runs > c.most {
		c.end()
	}
}

// The benchmark reports synthetic times with 3 % noise. One of 64 commits is 15 % slower, and
// one does not build.
func TestLive(t *testing.T) {
	if testing.Short() {
		t.Skip("builds eight revisions, and measures")
	}
	if _, err := exec.LookPath("git"); err != nil {
		need.Skip(t, "there is no git here")
	}
	const candidates, broken = 64, 32
	at := 1 + rand.IntN(candidates)
	for at == broken || at == broken+1 {
		at = 1 + rand.IntN(candidates)
	}
	t.Logf("planted at commit %d", at)
	dir := t.TempDir()
	t.Setenv("TMPDIR", t.TempDir())
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a",
			"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a", "GIT_CONFIG_GLOBAL="+os.DevNull)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v\n%s", args, err, out)
		}
	}
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	git("init", "--quiet")
	write("go.mod", "module example.org/m\n\ngo 1.24\n")
	write("m_test.go", `package m

import (
	"math/rand/v2"
	"testing"
)

func BenchmarkParse(b *testing.B) {
	b.ReportMetric(took*(1+0.03*rand.NormFloat64()), "ns/op")
}

func BenchmarkOther(b *testing.B) { b.ReportMetric(500, "ns/op") }
`)
	for i := range candidates + 1 {
		took := 1000.0
		if i >= at {
			took *= 1.15
		}
		text := fmt.Sprintf("package m\n\n// This is change %d.\nconst took = %g\n", i, took)
		if i == broken {
			text += "func"
		}
		write("m.go", text)
		git("add", "--all")
		git("commit", "--quiet", "--message", fmt.Sprintf("change %d", i))
	}
	h, err := measure.ReadHistory(t.Context(), dir, fmt.Sprintf("HEAD~%d", candidates), "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	o := measure.Defaults()
	o.Dir, o.Layouts, o.BenchTime = dir, 1, measure.BenchTime{Iterations: 1}
	o.Base, o.Out = "HEAD", filepath.Join(t.TempDir(), "out")
	o.Guard = []string{self, asGuard}
	o.Control = func(slower bool, _ string) []string {
		return []string{self, asControl, map[bool]string{false: "1000", true: "1150"}[slower]}
	}
	measured := map[string]int{}
	search := func(most int) (*Report, error) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		j, err := OpenJournal(o.Out, h, o, false)
		if err != nil {
			t.Fatal(err)
		}
		watch := &counter{most: most, end: cancel}
		s := &Search{Commits: h.Commits, Judge: o.Judge, Journal: j, Say: func(s string) { t.Log(s) },
			Gate: func(ctx context.Context, q Question) (*verdict.Report, error) {
				measured[directoryOf(q)]++
				r, _, err := j.Measure(ctx, q, o, watch)
				return r, err
			}}
		r, err := s.Run(ctx)
		if err := j.Close(); err != nil {
			t.Error(err)
		}
		return r, err
	}
	if _, err := search(200); !errors.Is(err, context.Canceled) {
		t.Fatalf("interrupted: %v", err)
	}
	r, err := search(1 << 30)
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	if err := errors.Join(WriteText(&text, r, 0), WriteJSON(&text, r)); err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("change %d", at); r.Found == nil || r.Found.Subject != want || r.Gates > 8 {
		t.Errorf("want %s\n%s", want, &text)
	}
	if !strings.Contains(text.String(), "skipped  the head does not build: example.org/m") {
		t.Errorf("no commit is skipped\n%s", &text)
	}
	twice := 0
	for _, n := range measured {
		twice += n - 1
	}
	if twice > 2 {
		t.Errorf("gates are measured again: %v", measured)
	}
}
