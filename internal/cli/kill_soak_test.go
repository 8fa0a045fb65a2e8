//go:build unix

package cli

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/poolbench/poolbench/reports/results"
)

// killedSoak starts a soak that takes a minute and more, and kills it when its directory tells of
// it.
func killedSoak(t *testing.T, dir string, args ...string) *results.Results {
	t.Helper()
	cmd := process(t, nil, append(strings.Fields("run --soak --quiet --clock virtual --limit 4 "+
		"--strategy worker_pool --load 0.8 --warmup 0 --n 50000000 --out "+dir), args...)...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for readable(t, dir) == 0 && !t.Failed() {
		time.Sleep(10 * time.Millisecond)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // killed
	r, err := results.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestKillSoak: a soak that is killed leaves what it had, for every reader, and marked.
func TestKillSoak(t *testing.T) {
	t.Chdir(t.TempDir())
	r := killedSoak(t, "x")
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
	page := read(t, "x/report.html")
	for _, want := range []string{"was cut off", "run is not over"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	if _, err := os.Stat("x/charts"); err != nil {
		t.Error(err)
	}
}
