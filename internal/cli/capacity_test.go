package cli

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/internal/cli/search"
	"github.com/poolbench/poolbench/internal/text/jsondoc"
)

// TestCapacity: the answer is a table, a document and a benchmark that say the same; all runs are
// in the directory, and the chart is in the report.
func TestCapacity(t *testing.T) {
	t.Chdir(t.TempDir())
	args := quickSearch("--strategy", "unbounded", "--objective", "p99-response<100ms,shed<1%")
	o := succeed(t, args...)
	var doc search.Document
	if err := json.Unmarshal([]byte(succeed(t,
		append(args, "--force", "--format", "json")...).stdout), &doc); err != nil {
		t.Fatal(err)
	}
	if doc.Head.Head != jsondoc.NewHead("capacity") || doc.Objective != "p99-response<100ms,shed<1%" ||
		doc.Axis != "load" || doc.From != 0.1 || doc.To != 1.2 || doc.Confidence != 0.95 ||
		len(doc.Answers) != 2 {
		t.Fatalf("%+v", doc)
	}
	semaphore, unbounded := doc.Answers[0], doc.Answers[1]
	if semaphore.Outcome != "between" || *semaphore.Met >= *semaphore.Missed ||
		unbounded.Outcome != "at least" || *unbounded.Met != 1.2 || unbounded.Missed != nil {
		t.Fatalf("%+v", doc.Answers)
	}
	runs := 0
	for _, a := range doc.Answers {
		for _, p := range a.Tried {
			runs += p.Met + p.Missed + p.Untold
		}
	}
	if runs != semaphore.Runs+unbounded.Runs {
		t.Errorf("%d runs in all, %d and %d", runs, semaphore.Runs, unbounded.Runs)
	}
	for _, want := range []string{
		"highest load at which more than half of the runs meet p99-response<100ms,shed<1%, with " +
			"95 % confidence\n",
		"exponential, poisson arrivals, limit 4, 500 tasks, virtual clock\n",
		fmt.Sprintf("%v to %v ", *semaphore.Met, *semaphore.Missed), "at least 1.2",
		"Report: " + filepath.Join("x", "report.html"),
	} {
		if !strings.Contains(o.stdout, want) {
			t.Errorf("no %q in\n%s", want, o.stdout)
		}
	}
	results := read(t, "x/results.txt")
	for _, want := range []string{
		fmt.Sprintf("%s %d %v capacity-met-load %v capacity-missed-load ", semaphore.Name,
			semaphore.Runs, *semaphore.Met, *semaphore.Missed),
		fmt.Sprintf("\n# complete %d runs\n", runs+2),
		"/objective=p99-response<100ms,shed<1% ",
	} {
		if !strings.Contains(results, want) {
			t.Errorf("no %q in the results", want)
		}
	}
	if n := strings.Count(results, "\nBenchmarkRun/"); n != runs {
		t.Errorf("%d runs in the results, want %d", n, runs)
	}
	if page := read(t, "x/report.html"); !strings.Contains(page,
		"Capacity for p99-response&lt;100ms,shed&lt;1%") {
		t.Error("no chart in the report")
	}
	if charts, err := filepath.Glob("x/charts/capacity-*.svg"); err != nil || len(charts) != 1 {
		t.Errorf("charts %v, %v", charts, err)
	}
	again := succeed(t, "compare", "x", "x", "--metric", "capacity-met-load",
		"--all").stdout
	if !strings.Contains(again, "Capacity/strategy=semaphore") {
		t.Errorf("compare knows nothing of it:\n%s", again)
	}
}

// TestCapacityExitCodes: no load that meets is a missed objective, and what cannot be told is not
// decided.
func TestCapacityExitCodes(t *testing.T) {
	for _, c := range []struct {
		flags string
		code  int
		want  string
	}{
		{"--objective p99-response<10s --load-range 0.1,0.5", fine, "at least 0.5"},
		{"--objective p99-response<1ms", regression, "below 0.1"},
		{"--objective short-mean-response<10s", undecided,
			"semaphore: 36 runs could not tell, for want of tasks"},
		{"--objective goodput>=150", fine,
			"semaphore: missed also at 0.1, 0.32, below a load that is met"},
		{"--objective throttled<1% --target token_bucket --rate-range 20,200 --resolution 50%",
			fine, "rate (/s)"},
	} {
		t.Run(c.flags, func(t *testing.T) {
			t.Chdir(t.TempDir())
			o := command(t, quickSearch(strings.Fields(c.flags)...)...)
			if o.code != c.code || o.stderr != "" || !strings.Contains(o.stdout, c.want) {
				t.Errorf("exit code %d, want %d and %q in\n%s%s", o.code, c.code, c.want,
					o.stdout, o.stderr)
			}
		})
	}
}

// TestCapacityDryRun: it says what it would begin with and how long that is, and leaves nothing
// behind.
func TestCapacityDryRun(t *testing.T) {
	t.Chdir(t.TempDir())
	o := succeed(t, quickSearch("--objective", "p99-response<100ms", "--dry-run")...)
	if !strings.Contains(o.stdout, "/load=0.1/") || !strings.Contains(o.stdout, "/load=1.2/") ||
		!strings.Contains(o.stdout,
			"\n6 scenarios and 36 runs to begin with, about 1 s; at most ") {
		t.Errorf("%s", o.stdout)
	}
	if left := tree(t); left != "" {
		t.Errorf("left behind: %s", left)
	}
}

// TestCapacitySameSeed: a search is as repeatable as a run.
func TestCapacitySameSeed(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, out := range []string{"a", "b"} {
		succeed(t, quickSearch("--objective", "p99-response<100ms", "--out", out)...)
	}
	if read(t, "a/results.txt") != read(t, "b/results.txt") {
		t.Error("two searches with one seed differ")
	}
}

// TestCapacityChildFault: a strategy that takes its process along ends its own search after one
// run, and no other.
func TestCapacityChildFault(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv(childFault, "exit")
	o := command(t, quickSearch("--strategy", "serial", "--objective", "p99-response<100ms")...)
	if o.code != unusable || !strings.Contains(o.stderr, "exit status 7") ||
		strings.Count(o.stderr, "\n") > 4 {
		t.Errorf("exit code %d\n%s", o.code, o.stderr)
	}
	if !strings.Contains(o.stdout, "serial: given up, since a run gave no result") ||
		!strings.Contains(o.stdout, " to ") {
		t.Errorf("%s", o.stdout)
	}
	results := read(t, "x/results.txt")
	if !strings.Contains(results, "BenchmarkCapacity/strategy=semaphore/") ||
		strings.Contains(results, "BenchmarkCapacity/strategy=serial/") ||
		!strings.HasSuffix(results, ": runs failed\n") {
		t.Errorf("results end %q", results[max(0, len(results)-100):])
	}
}

// TestCapacityLimit: the smallest limit at a rate, with what a larger one would bring; no limit
// meets what the service alone misses.
func TestCapacityLimit(t *testing.T) {
	for _, c := range []struct {
		flags string
		code  int
		want  []string
	}{
		{"--find limit --rate 203 --workload exponential:mean=20ms --objective p99-response<110ms",
			fine, []string{"smallest limit at which", "rate 203 /s", "semaphore  5 or 6",
				"nobody waits, so that a larger one gains nothing",
				" runs are calculated from their plans (first come, first served); 6 of them at " +
					"the ends of the answers were run as well: equal to the nanosecond\n"}},
		{"--find limit --rate 203 --workload exponential:mean=20ms --objective p99-response<70ms",
			regression, []string{"none up to 64", "the service alone misses it: at a limit of 64 " +
				"nobody waits, and no limit can meet it"}},
		{"--find limit --limit-range 1,2 --rate 203 --objective p99-response<70ms", regression,
			[]string{"none up to 2", "% of the tasks still wait: search further with --limit-range"}},
		{"--find queue --strategy bounded_queue_shed --load 0.9 --objective p99-response<100ms",
			unusable, []string{"strategy semaphore: it sheds nothing"}},
		{"--find limit --objective p99-response<70ms", unusable, []string{"give a rate"}},
		{"--find limit --limit 4 --rate 10 --objective p99-response<70ms", unusable,
			[]string{"--limit: it is searched; give its range, --limit-range"}},
		{"--rate 10 --objective p99-response<70ms", unusable, []string{"--rate: it is searched"}},
		{"--find limit --rate 9 --load-range 1,2 --objective p99-response<70ms", unusable,
			[]string{"--load-range: the limit is searched"}},
	} {
		t.Run(c.flags, func(t *testing.T) {
			t.Chdir(t.TempDir())
			o := command(t, quickSearch(strings.Fields(c.flags)...)...)
			for _, want := range c.want {
				if o.code != c.code || !strings.Contains(o.stdout+o.stderr, want) {
					t.Errorf("exit code %d, want %d and %q in\n%s%s", o.code, c.code, want,
						o.stdout, o.stderr)
				}
			}
		})
	}
}

// TestCapacityQueue: the longest queue of a strategy that sheds. Under a load of 1.2 it is about
// full for most of the run, and 4 slots of 10 ms take 80 ms for some 24 tasks and the last one's
// service.
func TestCapacityQueue(t *testing.T) {
	t.Chdir(t.TempDir())
	args := quickSearch("--find", "queue", "--load", "1.2", "--objective", "p90-response<80ms",
		"--format", "json")
	args[slices.Index(args, "semaphore")] = "bounded_queue_shed"
	var doc search.Document
	if err := json.Unmarshal([]byte(succeed(t, args...).stdout), &doc); err != nil {
		t.Fatal(err)
	}
	a := doc.Answers[0]
	if doc.Axis != "queue" || doc.From != 0 || doc.To != 1024 || *a.Met != 21 || *a.Missed != 28 ||
		a.Calculated != a.Runs || a.Confirmed != 6 {
		t.Errorf("%+v", doc)
	}
}
