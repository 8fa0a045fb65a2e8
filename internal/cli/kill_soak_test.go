//go:build unix

package cli

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/poolbench/poolbench/reports/results"
)

// soakLine is a soak of a second or so.
const soakLine = "run --soak --clock virtual --limit 4 --strategy worker_pool --load 0.8 " +
	"--warmup 0 --n 1000000 --out "

// killedSoak starts a soak and kills it when its directory tells of it.
func killedSoak(t *testing.T, dir, how string) *results.Results {
	t.Helper()
	for range 5 { // a soak may be over before it is killed
		cmd := process(t, []string{soonEnough + "=1"}, strings.Fields(soakLine+dir+how)...)
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

// TestKillSoak: a soak that is killed leaves what it had, for every reader, and marked; resumed, it
// comes to its end and says in every form what is missing.
func TestKillSoak(t *testing.T) {
	t.Chdir(t.TempDir())
	r := killedSoak(t, "x", "")
	if len(r.Runs) != 1 || !strings.HasPrefix(r.Partial, "cut off after line ") {
		t.Fatalf("%d runs, partial: %q", len(r.Runs), r.Partial)
	}
	run := r.Runs[0]
	if verdict, _ := run.Verdict(); verdict != results.Suspect || len(run.Doubts) == 0 ||
		!strings.HasPrefix(run.Doubts[0].Text, "unfinished: the run is not over, or was cut off") {
		t.Errorf("it is %v for %+v", verdict, run.Doubts)
	}
	if p99, ok := run.Value("p99-response-sec"); !ok || p99 <= 0 || run.Iters < 4096 {
		t.Errorf("it says %v (%v) of %d tasks", p99, ok, run.Iters)
	}
	if o := command(t, "report", "x"); o.code != fine {
		t.Errorf("report: exit code %d\n%s", o.code, o.stderr)
	}
	if page := read(t, "x/report.html"); !strings.Contains(page, "the run is not over, or was") {
		t.Error("the page does not say that it is not over")
	}

	o := command(t, strings.Fields(soakLine+"x --resume")...)
	if o.code != fine {
		t.Fatalf("resumed: exit code %d\n%s", o.code, o.stderr)
	}
	const missing = "gap: the run was cut off and went on with an empty system: missing are "
	all, err := results.ReadDir("x")
	if err != nil || len(all.Runs) != 1 || all.Partial != "" {
		t.Fatalf("resumed: %v, %+v", err, all)
	}
	if run := all.Runs[0]; run.Iters <= r.Runs[0].Iters || len(run.Doubts) == 0 ||
		!strings.HasPrefix(run.Doubts[0].Text, missing) {
		t.Errorf("resumed, it has %d tasks and %+v", run.Iters, run.Doubts)
	}
	again := command(t, strings.Fields(soakLine+"x --resume --format json")...)
	for where, text := range map[string]string{"terminal": o.stderr,
		"page": read(t, "x/report.html"), "document": again.stdout} {
		if !strings.Contains(strings.Join(strings.Fields(text), " "), missing) {
			t.Errorf("the %s does not say what is missing:\n%.3000s", where, text)
		}
	}
}
