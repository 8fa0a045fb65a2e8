//go:build unix

package kills

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/poolbench/poolbench/internal/cli/clitest"
	"github.com/poolbench/poolbench/internal/machine/race"
	"github.com/poolbench/poolbench/internal/rundir"
	"github.com/poolbench/poolbench/reports/results"
)

var soakLine = fmt.Sprintf("run --soak --clock virtual --limit 4 --strategy worker_pool "+
	"--load 0.8 --warmup 0 --n %d --out ", map[bool]int{false: 1_000_000, true: 300_000}[race.Enabled])

// killedSoak kills a soak that has written an interim result.
func killedSoak(t *testing.T, dir, how string) *results.Results {
	t.Helper()
	for range 5 { // a soak may end before it is killed
		cmd := clitest.Process(t, []string{clitest.SoonEnough + "=1"},
			strings.Fields(soakLine+dir+how)...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan struct{})
		go func() {
			_ = cmd.Wait() // killed
			close(ended)
		}()
		for over := false; !over && readable(t, dir) == 0; {
			select {
			case <-ended:
				over = true
			case <-time.After(10 * time.Millisecond):
			}
		}
		if err := cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
			t.Fatal(err)
		}
		<-ended
		r, err := results.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		if r.Partial != "" {
			return r
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
	}
	t.Fatal("every soak was over before it was killed")
	return nil
}

// Every reader must mark the interim result of a killed soak. After a resume, every format must
// report the missing tasks.
func TestKillSoak(t *testing.T) {
	for name, how := range map[string]string{"alone": "", "workers": " --workers 1"} {
		t.Run(name, func(t *testing.T) {
			if testing.Short() && how != "" {
				t.Skip("long: skipped with -short")
			}
			killSoak(t, how)
		})
	}
}

func killSoak(t *testing.T, how string) {
	t.Chdir(t.TempDir())
	r := killedSoak(t, "x", how)
	if len(r.Runs) != 1 || !strings.HasPrefix(r.Partial, "cut off after line ") {
		t.Fatalf("%d runs, partial: %q", len(r.Runs), r.Partial)
	}
	run := r.Runs[0]
	if verdict, _ := run.Verdict(); verdict != results.Suspect || len(run.Doubts) == 0 ||
		!strings.HasPrefix(run.Doubts[0].Text, "unfinished: the run is not over") {
		t.Errorf("it is %v for %+v", verdict, run.Doubts)
	}
	if p99, ok := run.Value("p99-response-sec"); !ok || p99 <= 0 || run.Iters < 4096 {
		t.Errorf("it says %v (%v) of %d tasks", p99, ok, run.Iters)
	}
	if o := clitest.Command(t, "report", "x"); o.Code != clitest.Fine {
		t.Errorf("report: exit code %d\n%s", o.Code, o.Stderr)
	}
	if page := clitest.Read(t, "x/report.html"); !strings.Contains(page, "the run is not over") {
		t.Error("the page does not say that it is not over")
	}

	o := clitest.Command(t, strings.Fields(soakLine+"x --resume"+how)...)
	if o.Code != clitest.Fine {
		t.Fatalf("resumed: exit code %d\n%s", o.Code, o.Stderr)
	}
	const missing = "gap: the run was interrupted and continued with an empty system; missing: "
	all, err := results.ReadDir("x")
	if err != nil || len(all.Runs) != 1 || all.Partial != "" {
		t.Fatalf("resumed: %v, %+v", err, all)
	}
	if run := all.Runs[0]; run.Iters <= r.Runs[0].Iters || len(run.Doubts) == 0 ||
		!strings.HasPrefix(run.Doubts[0].Text, missing) {
		t.Errorf("resumed, it has %d tasks and %+v", run.Iters, run.Doubts)
	}
	again := clitest.Command(t, strings.Fields(soakLine+"x --resume --format json")...)
	for where, text := range map[string]string{"terminal": o.Stderr,
		"page": clitest.Read(t, "x/report.html"), "document": again.Stdout} {
		if !strings.Contains(strings.Join(strings.Fields(text), " "), missing) {
			t.Errorf("the %s does not say what is missing:\n%.3000s", where, text)
		}
	}
}

func missing(run *results.Run) (tasks, gaps int) {
	for _, doubt := range run.Doubts {
		for _, gap := range rundir.ParseGaps(doubt.Text) {
			tasks, gaps = tasks+gap.Tasks, gaps+1
		}
	}
	return tasks, gaps
}

func TestKillAttack(t *testing.T) {
	t.Chdir(t.TempDir())
	url, served := clitest.Shop(t, 500)
	kills := 4
	if testing.Short() {
		kills = 1
	}
	kills = rounds(t, kills)
	n := 500 * (kills + 1) // a second per kill, so the plan is longer than the killed parts
	line := fmt.Sprintf(" --soak --rate 500 --n %d --name shop --quiet --header X-Key:old --out ", n)
	args := func(more string) []string { return strings.Fields("attack " + url + line + more) }
	random := rand.New(rand.NewPCG(3, 4))
	resume, cuts := "", 0
	// On a busy machine, a kill may precede the first result.
	for i := 0; i < kills || cuts == 0; i++ {
		cmd := clitest.Process(t, []string{clitest.SoonEnough + "=1"}, args("x"+resume)...)
		before := served.Load()
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for served.Load() == before {
			time.Sleep(time.Millisecond)
		}
		time.Sleep(time.Duration(random.IntN(900)) * time.Millisecond)
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait() // killed
		resume = " --resume"
		if n := readable(t, "x"); n > 0 {
			r, err := results.ReadDir("x")
			if err != nil || len(r.Runs) != 1 || r.Partial == "" {
				t.Fatalf("%v, %+v", err, r)
			}
			_, cuts = missing(&r.Runs[0])
			cuts++ // cuts still expected
		}
	}
	for more, want := range map[string]string{
		"x --resume --timeout 2s":              "x was begun with another plan: it contains ",
		"x --resume --header X-Accept:*":       "x was begun with another plan: 1 attacks, ",
		"x --resume --count 2":                 ", and this one is 2 attacks, ",
		"x --resume --name inn --rate 20":      "x was begun with another plan: it contains ",
		"x --resume --method POST --append":    "exclude each other",
		"x --resume --body @kill_soak_test.go": "--body: ",
	} {
		o := clitest.Command(t, args(more)...)
		if o.Code != clitest.Unusable || !strings.Contains(o.Stderr, want) ||
			strings.Count(o.Stderr, "\n") != 1 {
			t.Errorf("%s: exit code %d\n%s", more, o.Code, o.Stderr)
		}
	}
	line = strings.Replace(line, "old", "new", 1)
	o := clitest.Command(t, args("x --resume")...)
	if o.Code != clitest.Fine && o.Code != clitest.Undecided {
		t.Fatalf("resumed: exit code %d\n%s", o.Code, o.Stderr)
	}
	r, err := results.ReadDir("x")
	if err != nil || len(r.Runs) != 1 || r.Partial != "" {
		t.Fatalf("resumed: %v, %+v", err, r)
	}
	lost, gaps := missing(&r.Runs[0])
	if gaps != cuts || r.Runs[0].Iters+lost != n {
		t.Errorf("%d measured, %d missing in %d gaps, want %d and %d gaps",
			r.Runs[0].Iters, lost, gaps, n, cuts)
	}
	if !strings.Contains(o.Stdout, "since --resume") ||
		!strings.Contains(clitest.Read(t, "x/report.html"), "continued with an empty system") {
		t.Errorf("it does not say that it was resumed:\n%s", o.Stdout)
	}
	clitest.Succeed(t, "run", "--clock", "virtual", "--n", "10", "--quiet", "--out", "ran")
	for dir, want := range map[string]string{"x": "--out: x is complete: nothing is left to resume",
		"ran": "--out: ran "} {
		o := clitest.Command(t, args(dir+" --resume")...)
		if o.Code != clitest.Unusable || !strings.Contains(o.Stderr, want) ||
			strings.Count(o.Stderr, "\n") != 1 {
			t.Errorf("%s: exit code %d\n%s", dir, o.Code, o.Stderr)
		}
	}
}

// A killed soak of sessions cannot be resumed.
func TestKillSessions(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	t.Chdir(t.TempDir())
	url, _ := clitest.Shop(t, 500)
	clitest.Write(t, "s.yaml", "steps: [{name: enter, url: /}, {name: leave, url: /, think: 5ms}]")
	args := strings.Fields("attack " + url + " --session s.yaml --soak --duration 1h --quiet --out x")
	cmd := clitest.Process(t, []string{clitest.SoonEnough + "=1"}, args...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for readable(t, "x") == 0 {
		time.Sleep(10 * time.Millisecond)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // killed
	r, err := results.ReadDir("x")
	if err != nil || len(r.Runs) != 1 || r.Partial == "" {
		t.Fatalf("%v, %+v", err, r)
	}
	for _, unit := range []string{"session-count", "step1-enter-count", "step2-leave-failed/op"} {
		if _, ok := r.Runs[0].Value(unit); !ok {
			t.Errorf("it has no %s", unit)
		}
	}
	if o := clitest.Command(t, "report", "x"); o.Code != clitest.Fine {
		t.Errorf("report: exit code %d\n%s", o.Code, o.Stderr)
	}
	o := clitest.Command(t, append(args, "--resume")...)
	if o.Code != clitest.Unusable || strings.Count(o.Stderr, "\n") != 1 ||
		!strings.Contains(o.Stderr, "--resume and --session exclude each other: running sessions") {
		t.Errorf("resumed: exit code %d\n%s", o.Code, o.Stderr)
	}
}
