package comparisons

import (
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/poolbench/poolbench/internal/cli/clitest"
)

var sweep = flag.Bool("sweep", false,
	"all laws and 20,000 tasks of TestCompare…, 300 benchmarks of TestGateRepositories")

type compared struct {
	Columns []string
	Tables  []struct {
		Unit string
		Rows []struct {
			Benchmark string
			Cells     []*struct {
				N      int
				Versus *struct {
					P      *float64
					Change string
					Equal  bool
					Pairs  int
					Ratio  *float64
				}
			}
		}
	}
	Tasks []struct {
		Benchmark             string
		Pairs, Tasks          int
		Later, Earlier, Equal float64
		MeanSec, P99Sec       float64
		OnlyBase, OnlyHere    int
	}
}

func comparedBy(t *testing.T, args ...string) (c compared) {
	t.Helper()
	o := clitest.Succeed(t, append([]string{"compare", "--format", "json"}, args...)...)
	if err := json.Unmarshal([]byte(o.Stdout), &c); err != nil {
		t.Fatal(err)
	}
	return c
}

var (
	pairedStrategies = []string{"worker_pool", "bounded_queue_shed", "ticker_limited",
		"partitioned", "token_bucket"}
	pairedRates = []string{"40", "70"}
)

func virtualRuns(t *testing.T, out, strategy, rate, workload string, seed, tasks int) {
	t.Helper()
	clitest.Succeed(t, "run", "--quiet", "--clock", "virtual", "--strategy", strategy, "--workload",
		workload, "--rate", rate, "--limit", "2", "--n", fmt.Sprint(tasks), "--count", "5",
		"--seed", fmt.Sprint(seed), "--out", out)
}

// laws returns workloads as formats. %g is the mean in milliseconds.
func laws() []string {
	all := []string{"lognormal:mean=%gms,c2=4", "constant:mean=%gms"}
	if *sweep {
		all = append(all, "exponential:mean=%gms", "hyperexp:mean=%gms,c2=9", "hyperexp:mean=%gms")
	}
	return all
}

// With equal seeds, compare must detect a service time that is 1 % longer. Repeated runs must be
// equal, task by task.
func TestCompareFindsOnePercent(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	t.Chdir(t.TempDir())
	tasks := 1000
	if *sweep {
		tasks = 20000
	}
	found, missed := 0, []string{}
	// In partitioned, two steps end in the same nanosecond once in about 10⁶ tasks. Go's virtual
	// clock then continues them in random order, and two tasks change places.
	tied := 0
	for i, law := range laws() {
		dirs := []string{fmt.Sprint("old", i), fmt.Sprint("again", i), fmt.Sprint("new", i)}
		for j, mean := range []float64{20, 20, 20.2} {
			virtualRuns(t, dirs[j], strings.Join(pairedStrategies, ","),
				strings.Join(pairedRates, ","), fmt.Sprintf(law, mean), 100*i+3, tasks)
		}
		for _, table := range comparedBy(t, dirs[0], dirs[2]).Tables {
			for _, row := range table.Rows {
				v := row.Cells[1].Versus
				if v.Pairs != 5 {
					t.Errorf("%s of %s: %d pairs", table.Unit, row.Benchmark, v.Pairs)
				}
				if table.Unit != "mean-response-sec" {
					continue
				}
				if found++; v.Change != "worse" {
					missed = append(missed, fmt.Sprintf("%s: %s %v", law, row.Benchmark, *v.P))
				}
			}
		}
		same := comparedBy(t, dirs[0], dirs[1])
		for _, table := range same.Tables {
			for _, row := range table.Rows {
				v := row.Cells[1].Versus
				if v.Change != "" || !strings.Contains(row.Benchmark, "partitioned") &&
					!(v.Equal && *v.Ratio == 1) {
					t.Errorf("%s of %s is not equal to itself: %+v", table.Unit, row.Benchmark, v)
				}
			}
		}
		for _, d := range same.Tasks {
			if d.Equal != 1 {
				tied++
			}
			if d.Equal != 1 && !strings.Contains(d.Benchmark, "partitioned") || d.Equal < 0.9999 ||
				d.OnlyBase+d.OnlyHere != 0 || d.Tasks == 0 {
				t.Errorf("tasks of the same run: %+v", d)
			}
		}
		if len(same.Tasks) != 10 {
			t.Errorf("%d comparisons of tasks, want 10", len(same.Tasks))
		}
		if tied > 0 { // the headline contains numbers
			continue
		}
		o := clitest.Succeed(t, "compare", dirs[0], dirs[1])
		if want := "Equal: no difference in "; !strings.HasPrefix(o.Stdout, want) ||
			!strings.Contains(o.Stdout, "to the nanosecond") || strings.Contains(o.Stdout, "∞") {
			t.Errorf("of equal sides:\n%s", o.Stdout)
		}
	}
	if tied > 2 {
		t.Errorf("%d comparisons with ties", tied)
	}
	if found != 10*len(laws()) || len(missed) > 0 {
		t.Errorf("not found in %d of %d: %s", len(missed), found, strings.Join(missed, "\n"))
	}
}

// At most one in twenty comparisons of runs that differ only in their seeds may report a
// difference.
func TestCompareFalseAlarms(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	t.Chdir(t.TempDir())
	sides := 1
	if *sweep {
		sides = 8
	}
	alarms, pairs := map[string]int{}, 0
	for i, law := range laws() {
		for j, strategy := range pairedStrategies {
			for k, rate := range pairedRates {
				for side := range sides {
					// own seeds for each pair, so pairs are independent
					pair := ((i*len(pairedStrategies)+j)*len(pairedRates)+k)*sides + side
					for l, out := range []string{"a", "b"} {
						virtualRuns(t, fmt.Sprint(out, pair), strategy, rate,
							fmt.Sprintf(law, 20.0), 10*pair+5*l+7, 500)
					}
					pairs++
					for _, table := range comparedBy(t, fmt.Sprint("a", pair),
						fmt.Sprint("b", pair)).Tables {
						v := table.Rows[0].Cells[1].Versus
						if v.Pairs != 0 || len(table.Rows) != 1 {
							t.Fatalf("%s is paired: %+v", table.Rows[0].Benchmark, v)
						}
						if v.Change != "" {
							alarms[table.Unit]++
						}
					}
				}
			}
		}
	}
	t.Logf("of %d pairs differ: %v", pairs, alarms)
	// Eight of the 252 orders of five old and five new values are significant. The limit is three
	// standard errors above this probability.
	chance, n := 8./252, float64(pairs)
	most := int(n*chance + 3*math.Sqrt(n*chance*(1-chance)))
	if *sweep {
		most = pairs / 20
	}
	for unit, n := range alarms {
		if n > most {
			t.Errorf("%s: %d of %d differ", unit, n, pairs)
		}
	}
	if o := clitest.Succeed(t, "compare", "a0", "b0"); !strings.Contains(o.Stdout,
		"unpaired: fewer than half of the seeds are on both sides\n") {
		t.Errorf("it does not say that it is unpaired:\n%s", o.Stdout)
	}
}

func TestCompareDefaultRun(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	t.Chdir(t.TempDir())
	dirs, loads := []string{"many"}, "0.95"
	dirs, loads = append(dirs, "one"), "0.5,0.95,1.1"
	clitest.Succeed(t, "run", "--quiet", "--clock", "virtual", "--n", "1000", "--out", "one")
	clitest.Succeed(t, "run", "--quiet", "--clock", "virtual", "--n", "500", "--load", loads,
		"--count", "4", "--out", "many")
	t.Setenv("COLUMNS", "80")
	for _, dir := range dirs {
		text := clitest.Succeed(t, "compare", dir, "--col", "/strategy").Stdout
		if n := strings.Count(text, "\n"); n > 60 {
			t.Errorf("%s: %d lines", dir, n)
		}
		for line := range strings.Lines(text) {
			if utf8.RuneCountInString(strings.TrimSuffix(line, "\n")) > 80 {
				t.Errorf("%s: too wide: %s", dir, line)
			}
		}
		for _, word := range []string{"∞", "theory", "verdict", "held", "oracle", "NaN"} {
			if strings.Contains(text, word) {
				t.Errorf("%s: %q in\n%s", dir, word, text)
			}
		}
		for _, want := range []string{"he p99 response of ", "alike in every run: ",
			"paired by seed, ", " same"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %q in\n%s", dir, want, text)
			}
		}
	}
}

// Repetitions with the same seed are paired. Seeds that only one side has must be reported.
func TestCompareSides(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	t.Chdir(t.TempDir())
	run := func(out string, more ...string) {
		t.Helper()
		clitest.Succeed(t, append([]string{"run", "--quiet", "--clock", "virtual", "--strategy",
			"worker_pool,event_loop", "--rate", "60", "--n", "600", "--out", out}, more...)...)
	}
	run("five", "--count", "5")
	run("one", "--count", "1", "--workload", "exponential:mean=11ms")
	run("three", "--count", "3", "--workload", "exponential:mean=11ms")
	run("later", "--count", "5", "--seed", "3")
	run("other", "--count", "5", "--seed", "30")
	run("appended", "--count", "3")
	run("appended", "--count", "2", "--append")
	run("without", "--count", "5", "--responses", "0", "--workload", "exponential:mean=11ms")
	clitest.Succeed(t, "run", "--quiet", "--clock", "virtual", "--strategy", "worker_pool", "--rate", "60",
		"--n", "600", "--count", "5", "--out", "half")
	partial := strings.Replace(clitest.Read(t, "five/results.txt"), "# complete 10 runs",
		"# partial 10 of 20 runs: interrupted", 1)
	clitest.Write(t, "partial", partial)
	var seedless strings.Builder
	for line := range strings.Lines(clitest.Read(t, "five/results.txt")) {
		if !strings.HasPrefix(line, "# seed ") {
			seedless.WriteString(line)
		}
	}
	clitest.Write(t, "old-file", seedless.String())
	for _, c := range []struct {
		args string
		want []string
		not  string
	}{
		{"five five", []string{"Equal: no difference", "paired by seed, 5 pairs; values are medians, changes geometric means of pairs\n",
			"each of 2700 tasks is equal to the nanosecond"}, "omitted"},
		{"five appended", []string{"Equal: no difference", "paired by seed, 5 pairs; values are medians, changes geometric means of pairs\n"},
			"omitted"},
		{"five three", []string{"paired by seed, 3 pairs; values are medians, changes geometric means of pairs\n",
			"4 runs without the other half of the pair: omitted", " end later"}, ""},
		{"five one", []string{"only one pair each, so none of ", "paired by seed, 1 pair\n",
			"not tested"}, "worse"},
		{"five later", []string{"paired by seed, 3 pairs; values are medians, changes geometric means of pairs\n", "omitted"}, ""},
		{"five other", []string{"unpaired: fewer than half of the seeds are on both sides\n"},
			"paired by seed"},
		{"five three --unpaired", []string{"unpaired (--unpaired)\n"}, " end later"},
		{"five without", []string{"paired by seed, 5 pairs; values are medians, changes geometric means of pairs\n"}, " end later"},
		{"five old-file", []string{"unpaired: not every run has a seed\n"}, "paired by seed"},
		{"five partial --allow-partial", []string{"paired by seed, 5 pairs; values are medians, changes geometric means of pairs\n",
			"partial is incomplete"}, ""},
		{"five half", []string{"half has no event_loop\n"}, ""},
		{"five three --metric p99-*,max-response-sec", []string{"p99 service", "max response"},
			"throughput"},
		{"five --col /strategy", []string{"with worker_pool", "paired by seed, 5 pairs; values are medians"}, "∞"},
		{"five later --all", []string{"vs base", "theory-", "oracle-max-diff-sec"}, "pairs"},
	} {
		o := clitest.Succeed(t, append([]string{"compare"}, strings.Fields(c.args)...)...)
		for _, want := range c.want {
			if !strings.Contains(o.Stdout, want) {
				t.Errorf("compare %s: no %q in\n%s", c.args, want, o.Stdout)
			}
		}
		if c.not != "" && strings.Contains(o.Stdout, c.not) {
			t.Errorf("compare %s: not wanted is %q in\n%s", c.args, c.not, o.Stdout)
		}
	}
	o := clitest.Command(t, "compare", "five", "partial")
	if o.Code != clitest.Unusable || !strings.Contains(o.Stderr, "--allow-partial") {
		t.Errorf("partial: exit code %d, %s", o.Code, o.Stderr)
	}
	o = clitest.Command(t, "compare", "five", "three", "--metric", "nothing-*")
	if o.Code != clitest.Unusable || strings.Count(o.Stderr, "\n") != 1 ||
		!strings.Contains(o.Stderr, "no metric nothing-* in") {
		t.Errorf("no such metric: exit code %d, %s", o.Code, o.Stderr)
	}
}

// The expected values are exact: with constant service and no wait, each task ends one millisecond
// later, and no task is lost.
func TestCompareTasks(t *testing.T) {
	t.Chdir(t.TempDir())
	for out, mean := range map[string]string{"old": "10ms", "new": "11ms"} {
		clitest.Succeed(t, "run", "--quiet", "--clock", "virtual", "--strategy", "unbounded", "--workload",
			"constant:mean="+mean, "--rate", "20", "--n", "500", "--warmup", "20%", "--count", "2",
			"--out", out)
	}
	c := comparedBy(t, "old", "new")
	if len(c.Tasks) != 1 {
		t.Fatalf("%+v", c.Tasks)
	}
	d := c.Tasks[0]
	if d.Pairs != 2 || d.Tasks != 800 || d.Later != 1 || d.Earlier != 0 || d.MeanSec != 1e-3 ||
		d.P99Sec != 1e-3 {
		t.Errorf("%+v", d)
	}
	log := clitest.Read(t, "new/distributions.hlog")
	clitest.Write(t, "new/distributions.hlog", strings.Replace(log, "#0:tasks,400,", "#0:tasks,401,", 1))
	o := clitest.Command(t, "compare", "old", "new")
	if o.Code != clitest.Unusable || strings.Count(o.Stderr, "\n") != 1 ||
		!strings.Contains(o.Stderr, "distributions.hlog:") {
		t.Errorf("damaged responses: exit code %d, %s", o.Code, o.Stderr)
	}
}

func TestCompareRealClock(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, out := range []string{"a", "b"} {
		if o := clitest.Command(t, "run", "--quiet", "--strategy", "semaphore", "--workload",
			"exponential:mean=1ms", "--rate", "400", "--limit", "2", "--n", "40", "--count", "3",
			"--out", out); o.Code != clitest.Fine &&
			o.Code != clitest.Undecided { // runs on a busy machine are INVALID
			t.Fatalf("exit code %d\n%s", o.Code, o.Stderr)
		}
	}
	o := clitest.Succeed(t, "compare", "a", "b")
	if !strings.Contains(o.Stdout, "paired by seed, 3 pairs; values are medians, changes geometric means of pairs\n") ||
		strings.Contains(o.Stdout, " end later") {
		t.Errorf("%s", o.Stdout)
	}
}
