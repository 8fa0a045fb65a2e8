package page

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/charts"
	"github.com/poolbench/poolbench/reports/results"
)

func readRuns(t testing.TB, lines ...string) *results.Results {
	t.Helper()
	all, err := results.Read(strings.NewReader("# poolbench results 1\n# strategies a b serial\n"+
		strings.Join(lines, "\n")+"\n"), "results.txt")
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func runLine(strategy, rest, metrics string) string {
	return "BenchmarkRun/strategy=" + strategy + "/" + rest + "/clock=virtual 100 " + metrics
}

func TestGroupRuns(t *testing.T) {
	all := readRuns(t,
		"commit: one",
		runLine("b", "workload=w/arrival=poisson/limit=10/load=0.9", "1 ops/s"),
		runLine("a", "workload=w/arrival=poisson/limit=10/load=0.9", "2 ops/s"),
		runLine("a", "workload=w/arrival=poisson/limit=9/load=0.9", "3 ops/s"),
		runLine("a", "workload=w/arrival=poisson/limit=10/load=0.9", "4 ops/s"),
		runLine("a", "workload=w/arrival=batch/limit=10", "5 ops/s"),
		"commit: two",
		runLine("a", "workload=w/arrival=poisson/limit=10/load=0.9", "6 ops/s"),
	)
	var got []string
	for _, g := range Groups(all) {
		got = append(got, strings.Join(factsOf(g), " "))
		for _, c := range g.Cells {
			got = append(got, fmt.Sprintf("  %s, %s: %d runs, %v ops/s, style %d", c.Place(),
				c.Strategy, len(c.Cell), c.Value("ops/s"), c.Style))
		}
	}
	want := []string{
		// runs of another commit are never merged with these
		"w poisson arrivals virtual clock commit one",
		"  limit 9, load 0.9, a: 1 runs, 3 ops/s, style 0",
		"  limit 10, load 0.9, a: 2 runs, 3 ops/s, style 0",
		"  limit 10, load 0.9, b: 1 runs, 1 ops/s, style 1",
		"w batch arrivals virtual clock commit one",
		"  limit 10, a: 1 runs, 5 ops/s, style 0",
		"w poisson arrivals virtual clock commit two",
		"  limit 10, load 0.9, a: 1 runs, 6 ops/s, style 0",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestEstimate(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   results.Estimate
	}{
		{[]float64{7}, results.Estimate{Mid: 7, Lo: 7, Hi: 7}},
		{[]float64{3, 1, 2}, results.Estimate{Mid: 2, Lo: 1, Hi: 3}},
		// For six values, the smallest and the largest are the 95 % interval of the median: each
		// tail has a probability of 1/64.
		{[]float64{6, 5, 4, 3, 2, 1}, results.Estimate{Mid: 3.5, Lo: 1, Hi: 6}},
		// For ten values, the second and the ninth: 11/1024 in each tail.
		{[]float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, results.Estimate{Mid: 5.5, Lo: 2, Hi: 9}},
	} {
		cell := &Cell{}
		for _, v := range c.values {
			cell.Cell = append(cell.Cell, &results.Run{Values: map[string]float64{"x": v}})
		}
		got, ok := cell.Estimate("x")
		if !ok || got != c.want {
			t.Errorf("%v: %v, want %v", c.values, got, c.want)
		}
		if _, ok := cell.Estimate("y"); ok {
			t.Error("a metric that no run has is estimated")
		}
	}
}

func TestSweeps(t *testing.T) {
	for _, c := range []struct {
		name  string
		where []string
		want  []string
	}{
		{"loads", []string{"limit=4/load=0.9", "limit=4/load=0.5"}, []string{"0 [0.5 0.9] ''"}},
		{"loads and limits", []string{"limit=4/load=0.5", "limit=4/load=0.9", "limit=8/load=0.5"},
			[]string{"0 [0.5 0.9] 'limit 4'", "0 [0.5] 'limit 8'"}},
		{"one load, limits", []string{"limit=4/load=0.5", "limit=8/load=0.5"},
			[]string{"2 [4 8] ''"}},
		{"rates", []string{"limit=4/rate=100", "limit=4/rate=200"}, []string{"1 [100 200] ''"}},
		{"closed", []string{"limit=4", "limit=8"}, []string{"2 [4 8] ''"}},
		{"nothing", []string{"n=5"}, []string{"2 [0] ''"}},
	} {
		var lines []string
		for _, where := range c.where {
			lines = append(lines, runLine("a", where, "1 ops/s"), runLine("b", where, "1 ops/s"))
		}
		groups := Groups(readRuns(t, lines...))
		var got []string
		for _, s := range groups[0].Sweeps() {
			got = append(got, fmt.Sprintf("%d %v '%s'", s.Across, s.At, s.Fixed))
			if n := len(s.CellsAt(s.At[0])); n != 2 {
				t.Errorf("%s: %d cells at the first place, want those of two strategies", c.name, n)
			}
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

func TestFallsBehind(t *testing.T) {
	for _, c := range []struct {
		metrics string
		want    bool
	}{
		{"400 ops/s 400 offered-ops/s", false},
		{"370 ops/s 400 offered-ops/s", false}, // a short run with a long last task
		{"100 ops/s 400 offered-ops/s", true},
		{"100 ops/s 400 offered-ops/s 0.75 shed/op", false}, // refused, not queued
		{"100 ops/s 400 offered-ops/s 0 shed/op 0.001 failed/op", true},
		{"100 ops/s", false}, // unknown
		// the last tasks of a short run, without waits
		{"300 ops/s 400 offered-ops/s 0 mean-wait-sec 0.01 mean-service-sec", false},
		{"300 ops/s 400 offered-ops/s 5 mean-wait-sec 0.01 mean-service-sec", true},
		// nearly simultaneous arrivals: the load generator causes the waits
		{"900 ops/s 1e6 offered-ops/s 0.005 mean-wait-sec 0.1 mean-service-sec", false},
		{"900 ops/s 1e6 offered-ops/s 0.05 mean-wait-sec 0.001 mean-service-sec", true},
	} {
		groups := Groups(readRuns(t, runLine("serial", "limit=4/load=0.5", c.metrics)))
		if got := groups[0].Cells[0].FallsBehind(); got != c.want {
			t.Errorf("%s: %v, want %v", c.metrics, got, c.want)
		}
	}
	closed := Groups(readRuns(t, runLine("serial", "limit=4", "100 ops/s 400 offered-ops/s")))
	if closed[0].Cells[0].FallsBehind() {
		t.Error("closed arrivals wait for completions: nothing can fall behind")
	}
}

func TestVarianceSets(t *testing.T) {
	line := func(strategy, workload, metrics string) string {
		return runLine(strategy, "workload="+workload+"/arrival=poisson/limit=4/load=0.8", metrics)
	}
	groups := Groups(readRuns(t,
		// clock jitter counts as no variance
		line("a", "constant", "320 offered-ops/s 0.00001 service-c2 0.034 p99-response-sec"),
		line("a", "exponential", "319 offered-ops/s 0.98 service-c2 0.068 p99-response-sec"),
		// 16 by definition
		line("a", "hyperexp:mean=10ms",
			"321 offered-ops/s 16 workload-c2 11 service-c2 0.4 p99-response-sec"),
		// another mean
		line("a", "lognormal:mean=1s", "3.2 offered-ops/s 4 service-c2 9 p99-response-sec"),
		// no rate
		runLine("a", "workload=exponential/arrival=batch/limit=4",
			"0.98 service-c2 0.068 p99-response-sec"),
		runLine("a", "workload=exponential/arrival=poisson/limit=4/load=0.5",
			"0.98 service-c2 200 offered-ops/s 0.05 p99-response-sec"),
	))
	sets := varianceSets(groups)
	if len(sets) != 1 {
		t.Fatalf("%d sets, want 1", len(sets))
	}
	var got []float64
	for _, c := range sets[0].cells {
		got = append(got, sets[0].c2[c])
	}
	if diff := cmp.Diff([]float64{0, 0.98, 16}, got); diff != "" {
		t.Error(diff)
	}
	if want := "poisson arrivals · virtual clock · limit 4, load 0.8"; sets[0].title != want {
		t.Errorf("title %q, want %q", sets[0].title, want)
	}
}

func TestWords(t *testing.T) {
	for got, want := range map[string]string{
		percentDiff(0.0123):                       "+1.2 %",
		percentDiff(-0.31):                        "−31 %",
		percentDiff(0):                            "0 %",
		percentDiff(-0.00042):                     "−0.04 %",
		text.Factor(3.04):                         "3.0",
		text.Factor(633.2):                        "633",
		text.List([]string{"a"}):                  "a",
		text.List([]string{"a", "b", "c"}):        "a, b and c",
		text.Span("1.2 ms", " – ", "3 ms"):        "1.2 – 3 ms",
		text.Span("900 µs", " – ", "1.1 ms"):      "900 µs – 1.1 ms",
		Tasks(0) + Tasks(1) + Tasks(59):           "no taskat most 1 taskat most 59 tasks",
		charts.FileName("Response: p99 / C² (x)"): "response-p99-c-x",
		charts.Count(Number("x")):                 charts.Count(math.NaN()),
		between([]ranked{{Name: "a", Value: 1}, {Name: "b", Value: 1}, {Name: "c", Value: 1},
			{Name: "d", Value: 2}},
			nil, "p99"): "runs from 1.00 s (a and 2 others) to 2.00 s (d), a factor of 2.0",
		between([]ranked{{Name: "a", Value: 1}, {Name: "b", Value: 1}},
			nil, "p99"): "is 1.00 s for every strategy",
		between([]ranked{{Name: "a", Value: 1}, {Name: "b", Value: 1.05}},
			nil, "p99"): "runs from 1.00 s (a) to 1.05 s (b), 5.0 % apart",
		strings.Join(growingQueues(Sweep{At: []float64{1}}), ""): "",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// Attacks without a strategy, or with one strategy and several targets, have a series per target.
func TestAttacks(t *testing.T) {
	line := func(name string, p99 float64) string {
		return fmt.Sprintf("BenchmarkAttack/%s/duration=5s/clock=real 500 100 ops/s 100 "+
			"goodput-ops/s 0.01 p50-response-sec %v p99-response-sec 0.01 p99-service-sec 0 "+
			"resent/op 0 verdict", name, p99)
	}
	for _, c := range []struct {
		names  []string
		series []string
		of     string
	}{
		{[]string{"target=shop:80/arrival=constant/rate=100"}, []string{"shop:80"}, "target"},
		{[]string{"target=shop:80%2Fa/arrival=constant/rate=100",
			"target=shop:80%2Fb/arrival=constant/rate=100"}, []string{"shop:80/a", "shop:80/b"},
			"target"},
		{[]string{"target=a/arrival=constant/rate=100", "target=b/arrival=constant/rate=200"},
			[]string{"a", "b"}, "target"},
		{[]string{"strategy=serial/target=a/arrival=constant/limit=1/rate=100"},
			[]string{"serial"}, "strategy"},
		{[]string{"strategy=serial/target=a/arrival=constant/limit=1/rate=100",
			"strategy=serial/target=b/arrival=constant/limit=1/rate=100"},
			[]string{"serial to a", "serial to b"}, "strategy"},
		{[]string{"target=a/arrival=closed:clients=4,think=0s",
			"target=b/arrival=closed:clients=4,think=0s"}, []string{"a", "b"}, "target"},
	} {
		var lines []string
		for i, name := range c.names {
			lines = append(lines, line(name, 0.02*float64(i+1)))
		}
		all := readRuns(t, lines...)
		groups := Groups(all)
		if len(groups) != 1 || !slices.Equal(strategiesOf(groups[0].Cells), c.series) ||
			groups[0].Varies() != c.of || Foreign(groups[0]) {
			t.Errorf("%q: %d groups, the first of %q, each a %s", c.names, len(groups),
				strategiesOf(groups[0].Cells), groups[0].Varies())
			continue
		}
		in := &reportInput{results: all}
		drawn := 0
		for _, s := range groups[0].Sweeps() {
			figures, _, err := in.chart(groups[0], s)
			if err != nil {
				t.Error(err)
			}
			for _, f := range figures {
				drawn++
				if c.of == "target" && strings.Contains(f.caption, "strategy") {
					t.Errorf("%q: %s", c.names, f.caption)
				}
			}
		}
		// A single point has charts only if other files exist.
		if table := Results(groups[0]); drawn == 0 &&
			strings.Contains(strings.Join(c.names, ""),
				"rate=200") || table.Of != c.of || len(table.Heads) > 9 {
			t.Errorf("%q: %d charts, and a table of %d columns, each row a %s", c.names, drawn,
				len(table.Heads), table.Of)
		}
	}
}
