package runs

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/internal/cli"
	"github.com/poolbench/poolbench/internal/cli/clitest"
	"github.com/poolbench/poolbench/internal/cli/show"
	"github.com/poolbench/poolbench/internal/rundir"
	"github.com/poolbench/poolbench/internal/text"
)

func TestRunWritesDirectory(t *testing.T) {
	t.Chdir(t.TempDir())
	var o clitest.Outcome
	var stdout, stderr bytes.Buffer
	o.Code = cli.Run(t.Context(), clitest.Quick("--load", "0.5,0.8"), strings.NewReader(""),
		&stdout, &stderr)
	if o.Stdout, o.Stderr = stdout.String(), stderr.String(); o.Code != clitest.Fine {
		t.Fatalf("exit code %d\n%s", o.Code, o.Stderr)
	}
	latest, err := os.Readlink("poolbench-out/latest")
	if err != nil {
		t.Fatal(err)
	}
	if report := filepath.Join("poolbench-out", latest, "report.html"); !strings.Contains(o.Stdout,
		"Report: "+report+"\n") {
		t.Errorf("no word of %s in\n%s", report, o.Stdout)
	}
	for _, file := range []string{"results.txt", "distributions.hlog", "timeline.csv",
		"slowest.csv",
		"report.html", "charts"} {
		if _, err := os.Stat(filepath.Join("poolbench-out/latest", file)); err != nil {
			t.Error(err)
		}
	}
	for _, pattern := range []string{"*.svg", "*.png"} {
		drawn, err := filepath.Glob(filepath.Join("poolbench-out/latest/charts", pattern))
		if err != nil || len(drawn) < 3 {
			t.Errorf("%s: %q, %v", pattern, drawn, err)
		}
	}
	if results := clitest.Read(t, "poolbench-out/latest/results.txt"); !strings.HasSuffix(results,
		"\n# complete 2 runs\n") {
		t.Errorf("results end %q", results[max(0, len(results)-50):])
	}
	if o.Stderr != "" {
		t.Errorf("--quiet, and yet: %s", o.Stderr)
	}
	clitest.Succeed(t, clitest.Quick()...)
	if now, err := os.Readlink("poolbench-out/latest"); err != nil || now == latest {
		t.Errorf("latest is still %s (%v)", now, err)
	}
}

func TestLatestInTheWay(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.MkdirAll("poolbench-out/latest/own", 0o777); err != nil {
		t.Fatal(err)
	}
	o := clitest.Succeed(t, clitest.Quick()...)
	if !strings.HasPrefix(o.Stderr, "poolbench: cannot update the link latest: ") ||
		strings.Count(o.Stderr, "\n") != 1 {
		t.Errorf("stderr %q", o.Stderr)
	}
	if entries, err := os.ReadDir("poolbench-out"); err != nil || len(entries) != 2 {
		t.Errorf("%v, %v", entries, err)
	}
}

func TestSameSeed(t *testing.T) {
	t.Chdir(t.TempDir())
	for out, seed := range map[string]string{"a": "7", "b": "7", "c": "8"} {
		clitest.Succeed(t, clitest.Quick("--seed", seed, "--count", "2", "--out", out)...)
	}
	for _, file := range []string{"results.txt", "distributions.hlog", "timeline.csv",
		"slowest.csv"} {
		a, b, c := clitest.Read(t, "a/"+file), clitest.Read(t, "b/"+file),
			clitest.Read(t, "c/"+file)
		if a != b {
			t.Errorf("%s differs between two runs with one seed", file)
		}
		if a == c {
			t.Errorf("%s is the same with another seed", file)
		}
	}
}

// All strategies must be reproducible despite simultaneous events, except those that the manual
// lists.
func TestSameSeedOfAll(t *testing.T) {
	t.Chdir(t.TempDir())
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	drawn := []string{"hedged", "failsafe_hedge", "adaptive_gradient", "adaptive_vegas",
		"adaptive_envoy", "partitioned", "partitioned_all_at_once"}
	for _, flags := range [][]string{{"--target", "freeze"}, {"--target", "token_bucket"},
		{"--arrival", "constant", "--workload", "constant"}, {"--arrival", "mmpp"},
		{"--workload", "two_class"}} {
		var runs [2]map[string]string // by strategy: the result line and its notes
		for i := range runs {
			out := fmt.Sprint(flags, i)
			clitest.Succeed(t, append([]string{"run", "--clock", "virtual", "--strategy", "every",
				"--rate", "320", "--n", "3000", "--quiet", "--out", out}, flags...)...)
			runs[i] = map[string]string{}
			before := ""
			for line := range strings.Lines(clitest.Read(t, out+"/results.txt")) {
				before += line
				if run, is := strings.CutPrefix(line, "BenchmarkRun/strategy="); is {
					name, _, _ := strings.Cut(run, "/")
					runs[i][name], before = before, ""
				}
			}
		}
		if len(runs[0]) < 30 || len(runs[0]) != len(runs[1]) {
			t.Fatalf("%q: %d and %d strategies", flags, len(runs[0]), len(runs[1]))
		}
		for name, a := range runs[0] {
			if b := runs[1][name]; a != b && !slices.Contains(drawn, name) {
				t.Errorf("%q differs between two runs with one seed:\n%s\n%s", flags, a, b)
			}
		}
	}
}

// --force replaces the section. --append adds a second section and continues the numbering of
// repetitions.
func TestForceAndAppend(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, step := range []struct {
		flags    []string
		complete int
	}{{nil, 1}, {[]string{"--append"}, 2}, {[]string{"--force"}, 1}} {
		clitest.Succeed(t, clitest.Quick(append(step.flags, "--out", "x")...)...)
		results := clitest.Read(t, "x/results.txt")
		if n := strings.Count(results, "# complete 1 runs\n"); n != step.complete {
			t.Errorf("%q: %d end marks, want %d", step.flags, n, step.complete)
		}
		for seed := 1; seed <= step.complete; seed++ {
			if line := fmt.Sprintf("\n# seed %d\n", seed); strings.Count(results, line) != 1 {
				t.Errorf("%q: %d runs of seed %d", step.flags, strings.Count(results, line), seed)
			}
		}
	}
}

func TestAppendedSeeds(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	t.Chdir(t.TempDir())
	url, _ := clitest.Shop(t, 200)
	for kind, args := range map[string][]string{
		"run": clitest.Quick("--count", "2"),
		"capacity": clitest.QuickSearch("--objective", "p99-response<100ms", "--resolution", "50%", "--count",
			"6"),
		"attack": {"attack", url, "--name", "shop", "--n", "5", "--count", "2", "--quiet"},
		"gateway": {"gateway", "--strategy", "semaphore", "--n", "5", "--rate", "500", "--count",
			"2", "--quiet"},
	} {
		added := 0
		for range 2 {
			o := clitest.Command(t, append(args, "--out", kind, "--append")...)
			if o.Code == clitest.Unusable {
				t.Fatalf("%s: %s", kind, o.Stderr)
			}
			added = -added
			for name, seeds := range seedsOf(t, kind) {
				added += len(seeds)
				if !slices.IsSortedFunc(seeds, func(a, b int) int { return a - b }) ||
					len(slices.Compact(slices.Clone(seeds))) < len(seeds) {
					t.Errorf("%s: %s has seeds %d", kind, name, seeds)
				}
			}
		}
		if added < 2 {
			t.Errorf("%s: %d runs were added", kind, added)
		}
	}
}

func seedsOf(t *testing.T, dir string) map[string][]int {
	t.Helper()
	seeds, seed := map[string][]int{}, 0
	for line := range strings.Lines(clitest.Read(t, dir+"/results.txt")) {
		if _, err := fmt.Sscanf(line, "# seed %d", &seed); err == nil {
			continue
		}
		if name, _, _ := strings.Cut(line, " "); strings.HasPrefix(name, "Benchmark") {
			seeds[name] = append(seeds[name], seed)
		}
	}
	return seeds
}

func TestRunJSON(t *testing.T) {
	t.Chdir(t.TempDir())
	o := clitest.Succeed(t, clitest.Quick("--format", "json", "--out", "x", "--count", "2")...)
	var doc show.Document
	decode := json.NewDecoder(strings.NewReader(o.Stdout))
	decode.DisallowUnknownFields()
	if err := decode.Decode(&doc); err != nil {
		t.Fatal(err)
	}
	if doc.Head.Head != (text.Head{Format: "poolbench run", Version: 2}) ||
		doc.Planned != 2 || !doc.Complete || len(doc.Runs) != 2 ||
		doc.Report != filepath.Join("x", "report.html") {
		t.Errorf("%+v", doc)
	}
	if m := doc.Runs[1].Metrics; doc.Runs[1].Seed != "2" || m["ops/s"] == 0 ||
		m["broken-laws"] != 0 {
		t.Errorf("%+v", doc.Runs[1])
	}
	var plan struct {
		text.Head
		Runs      int
		Seconds   float64
		Scenarios []show.PlannedScenario
	}
	if err := json.Unmarshal([]byte(clitest.Succeed(t, clitest.Quick("--dry-run", "--format",
		"json")...).Stdout),
		&plan); err != nil {
		t.Fatal(err)
	}
	if plan.Head != text.NewHead("plan") || plan.Runs != 1 ||
		plan.Scenarios[0].Name != doc.Runs[0].Name || plan.Seconds <= 0 {
		t.Errorf("%+v", plan)
	}
}

// Only random arrivals differ from the requested rate. Simultaneous arrivals have no rate.
func TestArrived(t *testing.T) {
	t.Chdir(t.TempDir())
	for args, want := range map[string]string{
		"--rate 100 --arrival poisson --seed 1":  ", rate 100 /s, 100 tasks, warmup 0, virtual clock, arrived 96.1 /s\n",
		"--rate 100 --arrival poisson --seed 2":  ", rate 100 /s, 100 tasks, warmup 0, virtual clock, arrived 107 /s\n",
		"--rate 100 --arrival constant --seed 1": ", rate 100 /s, 100 tasks, warmup 0, virtual clock, arrived 100 /s\n",
		"--arrival batch":                        ", 100 tasks, warmup 0, virtual clock\n",
	} {
		o := clitest.Succeed(t, append(strings.Fields("run --clock virtual --strategy semaphore --warmup 0 "+
			"--workload constant:mean=1ms --n 100 --quiet --force --out x"),
			strings.Fields(args)...)...)
		if heading, _, _ := strings.Cut(o.Stdout, "  strategy"); !strings.HasSuffix(heading, want) {
			t.Errorf("%s: %q, want %q at its end", args, heading, want)
		}
	}
}

func TestChildFaults(t *testing.T) {
	for fault, want := range map[string]string{
		"panic":   "panic: index out of cheese",
		"exit":    "exit status 7",
		"chatter": "the child process returned no result",
	} {
		t.Run(fault, func(t *testing.T) {
			t.Chdir(t.TempDir())
			t.Setenv(clitest.ChildFault, fault)
			o := clitest.Command(t, clitest.Quick("--strategy", "serial,worker_pool", "--out", "x")...)
			name := "Run/strategy=serial/workload=exponential/target=none/arrival=poisson/limit=4/load=0.7/n=500/clock=virtual: "
			if o.Code != clitest.Unusable || !strings.HasPrefix(o.Stderr, "poolbench: "+name) ||
				!strings.Contains(o.Stderr, want) {
				t.Errorf("exit code %d\n%s", o.Code, o.Stderr)
			}
			if n := strings.Count(o.Stderr, "\n"); n > 12 || len(o.Stderr) > 3000 {
				t.Errorf("%d lines, %d bytes of stderr", n, len(o.Stderr))
			}
			if !strings.Contains(o.Stderr, "poolbench: x contains 2 of 3 runs: 1 failed\n") {
				t.Errorf("no word of how much there is:\n%s", o.Stderr)
			}
			if results := clitest.Read(t, "x/results.txt"); !strings.Contains(results,
				"/strategy=worker_pool/") ||
				!strings.HasSuffix(results, "# partial 2 of 3 runs: runs failed\n") {
				t.Errorf("results: %s", results)
			}
			failed := "\n# failed " + strings.TrimSuffix(name, ": ") + " seed 1: "
			if n := strings.Count(clitest.Read(t, "x/results.txt"), failed); n != 1 {
				t.Errorf("%d lines name the failed run", n)
			}
			if page := clitest.Read(t, "x/report.html"); !strings.Contains(page, "These runs failed.") ||
				!strings.Contains(page, "(seed 1)") {
				t.Error("the report does not name the failed run")
			}
			if !strings.Contains(o.Stdout, "worker_pool") ||
				!strings.Contains(o.Stdout, "Report: ") {
				t.Errorf("stdout: %s", o.Stdout)
			}
		})
	}
}

func TestFailedJSON(t *testing.T) {
	t.Chdir(t.TempDir())
	for args, seeds := range map[string][]uint64{"run --n 5 --count 2": {1, 2},
		"capacity --n 500 --objective shed<1%": {1}} {
		drive := func(_ context.Context, s bench.Scenario) (*bench.Result, error) {
			return nil, errors.New("no luck")
		}
		o := clitest.Driven(t, drive, append(strings.Fields(args), "--strategy", "semaphore",
			"--format", "json", "--quiet", "--force", "--out", "x")...)
		var doc struct{ Failed []rundir.Failure }
		if err := json.Unmarshal([]byte(o.Stdout), &doc); err != nil {
			t.Fatalf("%s: %v\n%s", args, err, o.Stderr)
		}
		var got []uint64
		for _, f := range doc.Failed {
			got = append(got, f.Seed)
			if !strings.Contains(f.Name, "/strategy=semaphore/") || f.Reason != "no luck" {
				t.Errorf("%s: %+v", args, f)
			}
		}
		if o.Code != clitest.Unusable || !slices.Equal(got, seeds) {
			t.Errorf("%s: exit code %d, failed: seeds %d, want %d", args, o.Code, got, seeds)
		}
	}
}

func TestHang(t *testing.T) {
	for fault, want := range map[string]string{
		"hang":     "no task was submitted or done in 1.25s of CPU time: an endless loop",
		"deadlock": "no task was submitted or done in 1.25s and no goroutine could run: a deadlock",
	} {
		t.Run(fault, func(t *testing.T) {
			if testing.Short() && fault == "hang" {
				t.Skip("long: skipped with -short")
			}
			t.Chdir(t.TempDir())
			t.Setenv(clitest.ChildFault, fault)
			o := clitest.Command(t, strings.Fields("run --quiet --clock virtual --strategy serial --n "+
				"500 --run-limit 1s --out x")...)
			if o.Code != clitest.Unusable || !strings.Contains(o.Stderr, "/clock=virtual: "+want) ||
				strings.Contains(o.Stdout, "Report") {
				t.Errorf("exit code %d\n%s%s", o.Code, o.Stdout, o.Stderr)
			}
			if results := clitest.Read(t, "x/results.txt"); !strings.HasSuffix(results,
				"# partial 0 of 1 runs: runs failed\n") {
				t.Errorf("results: %s", results)
			}
		})
	}
}

// The result of a child counts even if its pipe is still unread when the child has ended, as on a
// busy machine.
func TestLingering(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv(clitest.ChildFault, "linger")
	clitest.Succeed(t, strings.Fields("run --quiet --clock virtual --strategy serial --n 500 --out x")...)
}

func TestBrokenLaws(t *testing.T) {
	for failing, want := range map[string]int{"": clitest.Undecided, "serial": clitest.Unusable} {
		t.Chdir(t.TempDir())
		drive := func(_ context.Context, s bench.Scenario) (*bench.Result, error) {
			if s.Strategy.Spec.Name == failing {
				return nil, errors.New(s.Name() + ": no luck")
			}
			return &bench.Result{Name: s.Name(), Seed: s.Seed, Tasks: 1,
				Metrics: []result.Metric{{Unit: "ops/s", Value: 1}},
				Broken:  []string{"bound: 5 in flight, limit 4"}}, nil
		}
		o := clitest.Driven(t, drive,
			strings.Fields("run --strategy semaphore,serial --n 5 --quiet --out x")...)
		if o.Code != want || !strings.Contains(o.Stderr,
			"(seed 1) is INVALID: bound: 5 in flight, limit 4\n") {
			t.Errorf("failing %q: exit code %d, want %d\n%s", failing, o.Code, want, o.Stderr)
		}
	}
}

func TestReal(t *testing.T) {
	t.Chdir(t.TempDir())
	o := clitest.Succeed(t, strings.Fields("run --strategy semaphore --workload constant:mean=1ms "+
		"--arrival batch --n 20 --out x")...)
	if !strings.Contains(o.Stdout, "real clock") || !strings.HasPrefix(o.Stderr, "1 of 1 runs\n") {
		// On a busy machine, warnings follow.
		t.Errorf("stdout %s\nstderr %s", o.Stdout, o.Stderr)
	}
}

func TestNoteOnUnlimitedStrategies(t *testing.T) {
	t.Chdir(t.TempDir())
	const note = "has no limit"
	run := func(flags string) string {
		return clitest.Succeed(t, append([]string{"run", "--n", "300", "--clock", "virtual",
			"--quiet"}, strings.Fields(flags)...)...).Stdout
	}
	alone := run("--strategy errgroup --limit 7 --load 0.5")
	if strings.Contains(alone, "limit 7") || !strings.Contains(alone, "errgroup has no limit: "+
		"--limit only defines the load; errgroup_limit has one") {
		t.Errorf("alone: %s", alone)
	}
	both := run("--strategy errgroup,semaphore --limit 7 --rate 90")
	if !strings.Contains(both, "limit 7") || !strings.Contains(both, "errgroup has no limit; ") {
		t.Errorf("with another: %s", both)
	}
	swept := run("--strategy unbounded --limit 7 --load 0.1,0.2,0.3,0.4,0.5")
	if strings.Count(swept, "unbounded has no limit: --limit only defines the load\n") != 1 {
		t.Errorf("over loads: %s", swept)
	}
	if limited := run("--strategy semaphore,errgroup_limit --limit 7"); strings.Contains(limited,
		note) {
		t.Errorf("limited: %s", limited)
	}
}
