package measure

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/poolbench/poolbench/internal/files"
	"github.com/poolbench/poolbench/internal/gate/verdict"
	"github.com/poolbench/poolbench/reports/results"
)

func explain(r *verdict.Report) string { return fmt.Sprintf("%+v", r) }

// Only the benchmark with 30 % more work must be worse.
func TestGate(t *testing.T) {
	m := newModule(t)
	m.write("sub/m_test.go", fmt.Sprintf(benchmarks, 1300))
	before := m.git("status", "--porcelain")
	o := m.options()
	o.Layouts = 2
	if testing.Short() {
		o.Layouts = 1
	}
	outcome, err := Gate(t.Context(), o, &quiet{})
	if err != nil {
		t.Fatal(err)
	}
	m.clean()
	if after := m.git("status", "--porcelain"); after != before {
		t.Errorf("the status of the repository was %q and is %q", before, after)
	}
	r := outcome
	if r.ExitCode() != verdict.ExitRegression {
		t.Fatalf("exit code %d\n%s", r.ExitCode(), explain(r))
	}
	for i, row := range r.Rows {
		worse := row.Benchmark == "A" && row.Metric == "sec/op"
		if (row.Verdict == verdict.Worse) != worse || row.Verdict == verdict.Inconclusive {
			t.Errorf("%s %s is %s", row.Benchmark, row.Metric, row.Verdict)
		}
		pairs := o.Judge.ScreenPairs
		if row.Benchmark == "A" {
			pairs += o.Judge.FreshPairs
		}
		if len(outcome.Pairs[i].Old) != pairs || len(outcome.Pairs[i].New) != pairs ||
			outcome.Pairs[i].Row.Benchmark != row.Benchmark {
			t.Errorf("%s %s has %d pairs, want %d", row.Benchmark, row.Metric,
				len(outcome.Pairs[i].Old), pairs)
		}
	}
	if len(outcome.Pairs) != len(r.Rows)+len(controls) {
		t.Errorf("%d series of pairs for %d rows", len(outcome.Pairs), len(r.Rows))
	}
	if want := "example.org/m.BenchmarkLater is not compared: it calls Skip on both sides: " +
		"m_test.go:22: not yet"; !slices.Contains(r.Warnings, want) {
		t.Errorf("%q is not among %q", want, r.Warnings)
	}
	if r.Spent == nil || r.Spent.Measuring <= 0 || r.Spent.Measuring >= r.Spent.Whole {
		t.Errorf("spent %+v", r.Spent)
	}
	checkPairs(t, o)

	o.Force = true
	if !testing.Short() {
		o.Judge.FreshPairs++
		o.Layouts, o.Bench = 1, "A"
		if outcome, err = Gate(t.Context(), o, &quiet{}); err != nil ||
			len(outcome.Pairs[0].Old) != o.Judge.ScreenPairs+o.Judge.FreshPairs {
			t.Errorf("measured anew with more pairs: %v\n%s", err, explain(outcome))
		}
		m.clean()
		checkPairs(t, o)
	}

	held, err := files.LockDir(o.Out)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Gate(t.Context(), o, &quiet{}); err == nil ||
		!strings.Contains(err.Error(), "is being written to by pid ") {
		t.Errorf("two at once: %v", err)
	}
	if err := held.Release(); err != nil {
		t.Error(err)
	}
	checkPairs(t, o)

	o.Resume, o.Force = true, false
	o.Layouts = 3
	if _, err := Gate(t.Context(), o, &quiet{}); err == nil ||
		!strings.Contains(err.Error(),
			"belongs to another gate, which can only be replaced: layouts was 1, and now is 3") {
		t.Errorf("resumed with another setting: %v", err)
	}
	m.clean()
	o.Layouts = 1
	if err := os.Remove(filepath.Join(o.Out, PlanFile)); err != nil {
		t.Fatal(err)
	}
	if _, err := Gate(t.Context(), o, &quiet{}); err == nil ||
		!strings.HasSuffix(err.Error(), "there is a old.txt, but no plan.json that identifies its gate") {
		t.Errorf("resumed without a plan: %v", err)
	}
	m.clean()
}

// checkPairs checks that both files contain the same pairs. Layouts must rotate in the first stage
// and be new in the second.
func checkPairs(t *testing.T, o Options) {
	t.Helper()
	var sides [2]*results.Results
	for s, file := range resultFiles {
		var err error
		if sides[s], err = results.ReadFile(filepath.Join(o.Out, file)); err != nil {
			t.Fatal(err)
		}
		if sides[s].Partial != "" || len(sides[s].Warnings) > 0 {
			t.Errorf("%s: partial %q, %q", file, sides[s].Partial, sides[s].Warnings)
		}
	}
	if len(sides[base].Runs) != len(sides[head].Runs) {
		t.Fatalf("%d runs and %d", len(sides[base].Runs), len(sides[head].Runs))
	}
	next := map[string]int{}
	for i := range sides[base].Runs {
		a, b := &sides[base].Runs[i], &sides[head].Runs[i]
		if a.Name != b.Name {
			t.Fatalf("run %d is of %s and of %s", i, a.Name, b.Name)
		}
		for _, key := range []string{"pkg", "pair", "seed", "layout", "goos", "cpu"} {
			if a.ConfigValue(key) != b.ConfigValue(key) || key != "cpu" &&
				a.ConfigValue(key) == "" {
				t.Errorf("%s of %s: %q and %q", key, a.Name, a.ConfigValue(key), b.ConfigValue(key))
			}
		}
		if orders := []string{a.ConfigValue("order"),
			b.ConfigValue("order")}; !slices.Contains(orders, "first") ||
			!slices.Contains(orders, "second") {
			t.Errorf("orders %q", orders)
		}
		if want := fmt.Sprint(next[a.Name] + 1); a.ConfigValue("pair") != want {
			t.Errorf("pair %s of %s, want %s", a.ConfigValue("pair"), a.Name, want)
		}
		if want := fmt.Sprint(schedule{layouts: o.Layouts,
			screened: o.Judge.ScreenPairs}.layout(next[a.Name]) +
			1); a.ConfigValue("layout") != want {
			t.Errorf("layout %s of pair %d, want %s", a.ConfigValue("layout"), next[a.Name]+1, want)
		}
		next[a.Name]++
		if strings.HasPrefix(a.Name, "A") && math.Round(a.Values["sec/op"]*1e9) != 1000+
			float64(seedOf(t, a)%7) {
			t.Errorf("%s has %v for seed %s: the benchmark did not see it", a.Name,
				a.Values["sec/op"], a.ConfigValue("seed"))
		}
	}
}

func seedOf(t *testing.T, r *results.Run) (seed uint64) {
	t.Helper()
	if _, err := fmt.Sscan(r.ConfigValue("seed"), &seed); err != nil {
		t.Fatal(err)
	}
	return seed
}

type stopping struct {
	quiet
	after, ran int
	stop       context.CancelCauseFunc
}

var errStop = errors.New("stopped by the test")

func (s *stopping) Ran(runs int, _ time.Duration) {
	if s.ran += runs; s.after > 0 && s.ran >= s.after {
		s.stop(errStop)
	}
}

func TestResume(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	m := newModule(t)
	m.write("sub/uncommitted_test.go", "package m\n")
	o := m.options()
	// a single iteration sometimes includes allocations of the Go runtime
	o.BenchTime, o.Metrics = BenchTime{Iterations: 1}, []string{"ns/op"}
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	first := &stopping{after: 20, stop: cancel}
	if _, err := Gate(ctx, o, first); !errors.Is(err, errStop) {
		t.Fatalf("stopped, and it returned %v", err)
	}
	m.clean()
	old := filepath.Join(o.Out, resultFiles[base])
	kept, err := results.ReadFile(old)
	if err != nil || !strings.HasSuffix(kept.Partial, "of 9 runs: interrupted") {
		t.Fatalf("marked %q, %v", kept.Partial, err)
	}
	text, err := os.ReadFile(old)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(strings.TrimRight(string(text), "\n"), "\n")
	cut := strings.Join(lines[:len(lines)-2], "") + lines[len(lines)-2][:15]
	if err := os.WriteFile(old, []byte(cut), 0o666); err != nil {
		t.Fatal(err)
	}

	o.Resume = true
	second := &stopping{}
	outcome, err := Gate(t.Context(), o, second)
	if err != nil {
		t.Fatal(err)
	}
	m.clean()
	if outcome.ExitCode() != verdict.ExitFine {
		t.Errorf("exit code %d\n%s", outcome.ExitCode(), explain(outcome))
	}
	// Screening: 3 pairs of 5 benchmarks and controls. The slower control needs 7 fresh pairs to be
	// significant at alpha/2. One pair ran twice.
	if want := 2 * (5*3 + 7 + 1); first.ran+second.ran != want {
		t.Errorf("%d runs and then %d, want %d", first.ran, second.ran, want)
	}
	checkPairs(t, o)
}

// Half of the fresh pairs suffices for a benchmark that was slower only in the screening.
func TestFreshStages(t *testing.T) {
	const screened = 30
	for _, c := range []struct {
		name  string
		slow  func(seed string) string // Go expression that selects the slow runs
		pairs int
		stops []int
	}{
		{"settled", func(seeds string) string { return "map[uint64]bool{" + seeds + "}[seed]" },
			3 + 7, []int{screened + 10}},
		{"worse", func(string) string { return "true" }, 3 + 14,
			[]int{screened + 10, screened + 28 + 6}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if testing.Short() {
				t.Skip("TestResume goes on as well")
			}
			m := newModule(t)
			options := func() Options {
				o := m.options()
				o.Layouts, o.BenchTime, o.Judge.FreshPairs = 1, BenchTime{Iterations: 1}, 14
				o.Metrics = []string{"ns/op"}
				return o
			}
			var seeds strings.Builder
			for pair := range options().Judge.ScreenPairs {
				fmt.Fprintf(&seeds, "%d: true, ", schedule{seed: options().Seed}.workSeed(pair))
			}
			m.write("sub/m_test.go",
				strings.Replace(fmt.Sprintf(benchmarks, 1000), "b.ReportMetric(1000+",
					"slow := map[bool]float64{true: 300}["+c.slow(seeds.String())+
						"]\n\tb.ReportMetric(1000+slow+", 1))
			whole, err := Gate(t.Context(), options(), &quiet{})
			if err != nil {
				t.Fatal(err)
			}
			got := make(map[string]int)
			for _, p := range whole.Pairs {
				got[p.Row.Benchmark] = len(p.Old)
			}
			want := map[string]int{"A": c.pairs, "B/n=1": 3, "B/n=20": 3, "ControlSame": 3,
				"ControlSlower": 3 + 7}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("pairs: %s\n%s", diff, explain(whole))
			}
			for _, after := range c.stops {
				ctx, cancel := context.WithCancelCause(t.Context())
				o := options()
				if _, err := Gate(ctx, o, &stopping{after: after, stop: cancel}); !errors.Is(err,
					errStop) {
					t.Fatalf("stopped after %d runs, and it returned %v", after, err)
				}
				o.Resume = true
				again, err := Gate(t.Context(), o, &quiet{})
				if err != nil {
					t.Fatal(err)
				}
				if got, want := fmt.Sprintf("%+v", again.Rows),
					fmt.Sprintf("%+v", whole.Rows); got != want {
					t.Errorf("stopped after %d runs:\n%s\nand not\n%s", after, got, want)
				}
			}
			m.clean()
		})
	}
}

const allocates = `package m

import "testing"

var kept [8]*int

func BenchmarkAllocates(b *testing.B) {
	for b.Loop() {
		for i := range %d {
			kept[i] = new(int)
		}
	}
}
`

// On a machine too busy to measure times, a gate must still report build errors and compare
// allocations.
func TestHopeless(t *testing.T) {
	m := newModule(t)
	m.write("sub/allocates_test.go", fmt.Sprintf(allocates, 3))
	m.commit()
	const busy = "the machine is too busy: the same work, measured 12 times "
	for _, c := range []struct {
		name       string
		file, text string
		metrics    []string
		code       int
		says       string
		rows       int
	}{
		{"does not build", "x_test.go", "package m\n\nvar x int = \"y\"\n", nil, -1,
			"the head does not build: example.org/m", 0},
		{"unchanged", "x_test.go", "package m\n", nil, verdict.ExitUndecidable,
			"; allocations are no worse, and times are undecided", 2 * 4},
		{"one more", "allocates_test.go", fmt.Sprintf(allocates, 4), nil, verdict.ExitRegression,
			"; allocations are worse, and times are undecided", 2 * 4},
		{"one less", "allocates_test.go", fmt.Sprintf(allocates, 2), []string{"allocs/op"},
			verdict.ExitUndecidable, "; allocations are no worse, and times are undecided", 4},
		{"times alone", "allocates_test.go", fmt.Sprintf(allocates, 4), []string{"ns/op"},
			verdict.ExitUndecidable, busy, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			if testing.Short() && c.name != "does not build" && c.name != "one more" {
				t.Skip("long: skipped with -short")
			}
			m.git("checkout", "--quiet", ".")
			m.git("clean", "--quiet", "--force")
			m.write("sub/"+c.file, c.text)
			o := m.options()
			o.Control, o.Metrics = control(t, "wild", "wild"), c.metrics
			r, err := Gate(t.Context(), o, &quiet{})
			m.clean()
			if _, there := os.Stat(o.Out); there == nil {
				t.Error("there is a directory of results")
			}
			if c.code < 0 {
				if err == nil || !strings.HasPrefix(err.Error(), c.says) {
					t.Errorf("%v, want %s", err, c.says)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if r.ExitCode() != c.code || len(r.Unclear) != 1 || len(r.Rows) != c.rows ||
				!strings.HasPrefix(r.Unclear[0], busy) || !strings.Contains(r.Unclear[0], c.says) {
				t.Errorf("exit code %d, want %d\n%s", r.ExitCode(), c.code, explain(r))
			}
			for _, row := range r.Rows {
				more := c.code == verdict.ExitRegression && row.Benchmark == "Allocates"
				if !verdict.IsAllocation(row.Metric) || (row.Verdict == verdict.Worse) != more ||
					row.Verdict == verdict.Inconclusive {
					t.Errorf("%s of %s is %s", row.Metric, row.Benchmark, row.Verdict)
				}
			}
		})
	}
}

// An unsuitable benchmark must be reported before any measurement.
func TestUnfit(t *testing.T) {
	m := newModule(t)
	m.write("sub/s_test.go", "package m\n\nimport \"testing\"\n\nvar skip = func(b *testing.B) { "+
		"b.ReportMetric(1, \"wide\") }\n\nfunc BenchmarkS(b *testing.B) { skip(b) }\n")
	m.commit()
	const function = "package m\n\nimport (\"fmt\"; \"syscall\"; \"testing\"; \"time\")\n\nvar " +
		"_, _, _ = fmt.Sprint, syscall.Exit, time.Now; func Benchmark%s(b *testing.B) { %s }\n"
	for i, c := range []struct {
		name string
		file string
		with func(*Options)
		want []string
	}{
		{"nothing in common",
			"package m\n\nimport \"testing\"\n\nfunc BenchmarkNew(b *testing.B) {}\n",
			func(o *Options) { o.Bench = "New" },
			[]string{"base and head have no benchmark in common: none in the base, " +
				"example.org/m.BenchmarkNew in the head"}},
		{"fails", fmt.Sprintf(function, "New",
			`b.Run("x", func(b *testing.B) { b.Fatal("no luck") })`), nil, []string{
			"BenchmarkNew/x fails in example.org/m of the head: x_test.go:5: no luck"}},
		{"panics", fmt.Sprintf(function, "New", "go panic(7); select {}"), nil,
			[]string{"BenchmarkNew ends the process in example.org/m of the head: exit status 2",
				"    panic: 7"}},
		{"exits", fmt.Sprintf(function, "New",
			`b.Run("x", func(b *testing.B) { println("enough"); syscall.Exit(3) })`), nil, []string{
			"BenchmarkNew/x ends the process in example.org/m of the head: exit status 3",
			"    enough"}},
		{"exits well", fmt.Sprintf(function, "New", "syscall.Exit(0)"), nil,
			[]string{"BenchmarkNew has no result in example.org/m of the head: it panicked, " +
				"ended the process"}},
		{"panics, and testing ends first", fmt.Sprintf(function, "New",
			"fmt.Println(b.Name(), \"\\t1\\tNaN ns/op\"); syscall.Exit(0)"), nil,
			[]string{"BenchmarkNew ends the process in example.org/m of the head: it panics"}},
		{"hangs", fmt.Sprintf(function, "New",
			`b.Run("x", func(b *testing.B) { time.Sleep(time.Hour) })`),
			func(o *Options) { o.Limit = time.Second }, []string{
				"BenchmarkNew/x has not ended in example.org/m of the head after 1s"}},
		{"does not begin",
			"package m\n\nimport \"time\"\n\nfunc init() { time.Sleep(time.Hour) }\n",
			func(o *Options) {
				o.Limit = time.Second
			}, []string{"benchmarks of example.org/m of the head: none has begun after 1s"}},
		{"all skip", "package m\n\nimport \"testing\"\n\nfunc BenchmarkNew(b *testing.B) { " +
			"b.Skip(1) }\n", func(o *Options) {
			o.Bench = "New"
		}, []string{
			"no benchmark left to compare:", "example.org/m.BenchmarkNew is not compared: it is only in " +
				"the head, and calls Skip: x_test.go:5: 1"}},
		{"skips one's part",
			"package m\n\nimport \"testing\"\n\nfunc init() { skip = (*testing.B).SkipNow }\n", nil,
			[]string{
				"BenchmarkS calls Skip in example.org/m of the head"}},
		{"unknown metric", "package m\n",
			func(o *Options) { o.Metrics = []string{"nope", "ns/op", "allocs/op", "none"} },
			[]string{"no benchmark reports nope", "no benchmark reports none"}},
		{"metric without a direction", "package m\n\nimport \"testing\"\n\nfunc BenchmarkNew(b " +
			"*testing.B) { b.ReportMetric(1, \"x\") }\n", func(o *Options) {
			o.Bench, o.Skip, o.Metrics = "S", "New", []string{"wide"}
		}, []string{"the better direction of wide is unknown: give --better " +
			"wide=lower or =higher"}},
		{"no room", "package m\n",
			func(o *Options) { o.Out = filepath.Join(o.Dir, "go.mod", "out") },
			[]string{"go.mod/out: not a directory"}},
		{"not a gate's", "package m\n", func(o *Options) { o.Out, o.Force = o.Dir, true },
			[]string{"contains no gate (it has no plan.json)"}},
		{"does not build", "package m\n\nvar x int = \"y\"\n", nil,
			[]string{"the head does not build: example.org/m", "    # example.org/m",
				"    ./x_test.go:3:13: cannot use"}},
		{"left out", fmt.Sprintf(function, "New", ""),
			func(o *Options) { o.Skip, o.Bench = "New", "New" },
			[]string{"no benchmark matches New, except matches of New, in ./..."}},
		{"none", "package m\n", func(o *Options) { o.Bench = "Nothing" },
			[]string{"no benchmark matches Nothing in ./..."}},
		{"no revision", "package m\n", func(o *Options) { o.Base = "nowhere" },
			[]string{`git finds no revision "nowhere" in ` + m.dir + " (branches: m"}},
		{"an option", "package m\n", func(o *Options) { o.Base = "--all" },
			[]string{`git finds no revision "--all"`}},
		{"no package", "package m\n", func(o *Options) { o.Packages = []string{"./nowhere"} },
			[]string{"the packages of the base cannot be listed: "}},
		{"no module", "package m\n", func(o *Options) { o.Dir = filepath.Dir(o.Dir) },
			[]string{"the base is not a Go module: there is no go.mod"}},
		{"no repository", "package m\n", func(o *Options) { o.Dir = t.TempDir() },
			[]string{"is not in a git repository with a working tree"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if testing.Short() && i%6 != 0 {
				t.Skip("long: skipped with -short")
			}
			m.write("sub/x_test.go", c.file)
			o := m.options()
			o.Layouts = 1
			if c.with != nil {
				c.with(&o)
			}
			_, err := Gate(t.Context(), o, &quiet{})
			if err == nil {
				t.Fatal("no error")
			}
			lines := strings.Split(err.Error(), "\n")
			for i, want := range c.want {
				if i >= len(lines) || !strings.Contains(lines[i], want) {
					t.Fatalf("it says\n%v\nand not %q in line %d", err, want, i)
				}
			}
			m.clean()
			if _, err := os.Stat(o.Out); err == nil && !o.Force {
				t.Error("there is a directory of results")
			}
		})
	}
}
