package runs

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/internal/cli/clitest"
	"github.com/poolbench/poolbench/reports/results"
)

// A run that is too short must report this instead of an interval. For example, a token bucket of
// 100/s at 90/s has an exact p99 of 199 ms, but runs of 20,000 tasks measure 140 to 240 ms.
func TestTooShortSaysSo(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	type row struct {
		args  string
		short bool
	}
	type cell struct {
		row
		seed int
	}
	rows := []row{
		{"--strategy token_bucket:rate=100,burst=5+worker_pool --workload constant:mean=20ms " +
			"--rate 90 --limit 8 --n 20000", true},
		{"--strategy token_bucket:rate=100,burst=5+worker_pool --workload constant:mean=20ms " +
			"--rate 50 --limit 8", false},
		{"--strategy retry+worker_pool --load 0.9 --n 20000", true},
		{"--strategy shortest_first --load 0.9 --n 20000", true},
		{"--strategy codel_lifo --load 0.9 --n 100000", false}, // old tasks have no lasting effect
		{"--strategy conc --load 0.95 --workload hyperexp --n 20000", true},
		{"--strategy worker_pool", false},
		// Of two task times the p99 is the longer one if clearly more than 1 % of tasks are long.
		{"--strategy worker_pool --rate 60 --limit 16 " +
			"--workload bimodal:p=0.02,short=40ms,long=400ms", false},
		{"--strategy worker_pool --rate 60 --limit 16 " +
			"--workload bimodal:p=0.011,short=40ms,long=400ms", false},
		{"--strategy worker_pool --limit 10000 --load 0.9", false}, // no task waits
		// Waits are short compared with tasks, but a stable queue needs 240 million tasks.
		{"--strategy worker_pool --limit 10000 --load 0.99", false},
	}
	var cells []cell
	for seed := range 3 {
		for _, r := range rows {
			cells = append(cells, cell{r, seed})
		}
	}
	for _, c := range cells {
		dir := t.TempDir()
		o := clitest.Succeed(t, append(strings.Fields("run --clock virtual --quiet --out "+dir+
			"/out --seed "+fmt.Sprint(c.seed)), strings.Fields(c.args)...)...)
		if said := strings.Contains(o.Stdout, "too short for a p99"); said != c.short {
			t.Errorf("%s: said to be short %v, want %v\n%s", c.args, said, c.short, o.Stdout)
		}
		if strings.Contains(o.Stdout, "exact values") {
			t.Errorf("%s: a reader is told of exact values that are not missed:\n%s", c.args,
				o.Stdout)
		}
		read, err := results.ReadDir(dir + "/out")
		if err != nil {
			t.Fatal(err)
		}
		in, ok := results.Cell{&read.Runs[0]}.Interval("p99-response-sec")
		if ok == c.short {
			t.Errorf("%s seed %d: an interval %v", c.args, c.seed, in)
		}
	}
}

// If the interval is unknown, the output must contain the number of tasks needed. An interval wider
// than the value must be shown in percent, without an exponent.
func TestSaysHowShort(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	for args, want := range map[string]string{
		"--load 0.9 --n 2000": "within ±10 %: worker_pool (±5 % needs",
		"--load 0.6 --n 8000 --count 7 --strategy token_bucket:rate=300+worker_pool " +
			"--target flaky --workload lognormal:mean=8ms,c2=3": "rate=300+worker_pool ±376 %",
	} {
		o := clitest.Succeed(t, strings.Fields("run --clock virtual --quiet --strategy worker_pool "+
			"--out "+t.TempDir()+"/out "+args)...)
		if !strings.Contains(o.Stdout, want) || strings.Contains(o.Stdout, "e+") {
			t.Errorf("%s: %s", args, o.Stdout)
		}
	}
}

// If the mean wait varies by half or more between 16 seeds, a run must not be VALID. With 10,000
// slots, one run measured 10.8 µs instead of 22.3 µs. If almost no task waits, or with few slots at
// the same load, a run is VALID.
func TestRareWaits(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	type row struct {
		args  string
		short bool
	}
	for _, c := range []row{
		{"--limit 10000 --load 0.99 --n 50000 --workload exponential", true},
		{"--limit 10000 --load 0.99 --n 250000 --workload exponential", true},
		{"--limit 1000 --load 0.95 --n 30000 --workload exponential", true},
		{"--limit 10000 --load 0.99 --n 250000 --workload constant", true},
		{"--limit 100 --load 0.95 --n 20000 --workload exponential", false}, // ±34 %
		{"--limit 1000 --load 0.95 --n 30000 --workload constant", true},
		{"--limit 4 --load 0.5 --n 400", false},
		{"--limit 100 --load 0.95 --n 20000 --workload constant", false}, // ±26 %
		{"--limit 4 --load 0.1 --n 400", false},
		{"--limit 16 --load 0.5", false},
	} {
		o := clitest.Succeed(t, strings.Fields("run --clock virtual --strategy worker_pool --out "+
			t.TempDir()+"/out "+c.args)...)
		if strings.Contains(o.Stderr, "too short: the ") != c.short {
			t.Errorf("%s: want too short %v: %s", c.args, c.short, o.Stderr)
		}
	}
}

// If waits are short compared with tasks, only the wait is uncertain.
func TestSaysWhatIsShort(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	o := clitest.Succeed(t, strings.Fields("run --clock virtual --strategy worker_pool --limit "+
		"10000 --load 0.99 --out "+t.TempDir()+"/out")...)
	if !strings.Contains(o.Stderr, "too short: the 95 % error of the mean wait of 18000 tasks at "+
		"this load is ±653 %; ±5 % of the p99 needs ") {
		t.Error(o.Stderr)
	}
}

// The load of the slots does not depend on the order of tasks. If a run is far too short for one
// strategy, it is too short for all strategies without losses. The p99 of shortest_first varies
// less: by ±59 % between seeds with 3600 tasks.
func TestShortInAnyOrder(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	type row struct {
		args   string
		short  bool
		except string
	}
	for _, c := range []row{
		{"--load 0.9 --n 4000 --limit 4 --workload tenants:n=3", true, "shortest_first"},
		{"--load 0.9 --n 1500 --limit 4 --workload tenants:n=3", true, ""},
		{"--load 0.5 --n 4000 --limit 4 --workload tenants:n=3", false, ""},
		{"--load 0.85 --n 600 --limit 2 --workload lognormal:mean=5ms,c2=2", true, ""},
		{"--load 0.7 --n 10 --limit 4 --workload tenants:n=3", true, ""},
	} {
		dir := t.TempDir()
		clitest.Succeed(t, append(strings.Fields("run --clock virtual --quiet --out "+dir+"/out "+
			"--strategy worker_pool,fair_share,priority,earliest_deadline,shortest_first,"+
			"limit_per_tenant,partitioned,adaptive_aimd,pipeline,hedged,failsafe_hedge,pond,"+
			"bounded_queue_shed"),
			strings.Fields(c.args)...)...)
		read, err := results.ReadDir(dir + "/out")
		if err != nil {
			t.Fatal(err)
		}
		for i := range read.Runs {
			run := &read.Runs[i]
			if run.Values["shed/op"] > 0 {
				continue
			}
			short := slices.ContainsFunc(run.Doubts, func(d results.Doubt) bool {
				return d.Check() == "too short"
			})
			want := c.short && (c.except == "" || !strings.Contains(run.Name, "="+c.except+"/"))
			if short != want {
				t.Errorf("%s: %s is too short %v, want %v", c.args, run.Name, short, want)
			}
		}
	}
}

// Most tasks of a very short run end after its last arrival. This is no overload.
func TestFewTasksAreNoOverload(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	type cell struct {
		n    int
		more string
	}
	var cells []cell
	for _, n := range []int{1, 2, 3, 20, 100} {
		for _, more := range []string{"--load 0.7", "--load 0.3 --limit 16",
			"--load 0.9 --workload hyperexp"} {
			cells = append(cells, cell{n, more})
		}
	}
	for _, c := range cells {
		o := clitest.Succeed(t, strings.Fields(fmt.Sprintf("run --clock virtual --strategy worker_pool "+
			"--n %d --out %s %s", c.n, t.TempDir()+"/out", c.more))...)
		if strings.Contains(o.Stdout, "overload") || strings.Contains(o.Stdout, "without limit") {
			t.Errorf("%d tasks, %s:\n%s", c.n, c.more, o.Stdout)
		}
		if c.n < 3 && !strings.Contains(o.Stdout+o.Stderr, "too short") {
			t.Errorf("%d tasks, %s: not said to be too short\n%s%s", c.n, c.more, o.Stdout,
				o.Stderr)
		}
	}
}
