package studies

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/studies/evidence"
	"github.com/poolbench/poolbench/reports/charts"
)

func ratio(sc bench.Scenario) float64 {
	for _, r := range costRs {
		if costCell(pooled, r).Workload.String() == sc.Workload.String() {
			return r
		}
	}
	return math.NaN()
}

// sampleCost returns runs in which the p99 of short tasks is 3R in a shared pool, 6 in separate
// pools and 5 with partitioning. The crossover is therefore at R = 2, and the tax is 30 at R = 50.
func sampleCost(wobble float64) *evidence.Measured {
	return synthetic(costCells(Standard), 4, func(sc bench.Scenario, i int) map[string]float64 {
		short := map[string]float64{pooled: 3 * ratio(sc), separate: 6,
			sequential: 5}[sc.Strategy.Spec.Name]
		if short == 0 {
			short = 100
		}
		short *= 1 + wobble*float64(i%2) // the same for all strategies of a repetition
		return map[string]float64{"short-p99-response-sec": short * unit.Seconds(),
			"mean-slowdown": short, "utilisation": 0.8, "long-mean-response-sec": 1}
	})
}

func TestCostAnnotations(t *testing.T) {
	for _, wobble := range []float64{0, 0.3} {
		m := sampleCost(wobble)
		for _, of := range []reading{shortTail, slowdown} {
			if at := crossover(m, separate, of); math.Abs(at.Mid-2) > 1e-9 || at.Hi-at.Lo > 1e-9 {
				t.Errorf("%s: the crossover is %+v, want 2: what hits all strategies alike "+
					"does not move it", of.unit, at)
			}
			if tax, _, _ := taxOf(m, of); math.Abs(tax.Mid-30) > 1e-9 || tax.Hi-tax.Lo > 1e-9 {
				t.Errorf("%s: the tax is %+v, want 30", of.unit, tax)
			}
		}
	}
	f, ok, err := drawCost(sampleCost(0)).Page()
	if !ok || err != nil {
		t.Fatal(ok, err)
	}
	var svg bytes.Buffer
	if err := f.Chart.InlineSVG(&svg, charts.Wide); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"×30<", "pay from R = 2<", "exact M/D/4: 3.45<",
		"exact M/D/4: 1.39<", "processor sharing, exact<"} {
		if !strings.Contains(svg.String(), want) {
			t.Errorf("the figure does not say %q", want)
		}
	}
	answer := strings.Join(linesOf(answerCost, sampleCost(0)), "\n")
	for _, want := range []string{"costs more than it saves below R = 2"} {
		if !strings.Contains(answer, want) {
			t.Errorf("the answer does not say %q:\n%s", want, answer)
		}
	}
}

// costsOf returns runs with the value of at R for both metrics of a strategy. wobble changes every
// other repetition of the shared pool.
func costsOf(size Size, wobble float64, of func(strategy string,
	r float64) float64) *evidence.Measured {
	return synthetic(costCells(size), 4, func(sc bench.Scenario, i int) map[string]float64 {
		v := of(sc.Strategy.Spec.Name, ratio(sc))
		if sc.Strategy.Spec.Name == pooled {
			v *= 1 + wobble*float64(i%2)
		}
		return map[string]float64{"short-p99-response-sec": v * unit.Seconds(), "mean-slowdown": v}
	})
}

func TestCostVerdicts(t *testing.T) {
	flatAt := func(partitioned, separated float64) func(string, float64) float64 {
		return func(strategy string, r float64) float64 {
			switch strategy {
			case sequential:
				return partitioned
			case separate:
				return separated
			}
			return 3 * r
		}
	}
	for _, c := range []struct {
		name    string
		wobble  float64
		of      func(string, float64) float64
		verdict decide.ClaimVerdict
		because string
	}{
		{"cheaper at every R", 0, flatAt(3, 5), decide.Holds,
			"both strategies are below the shared pool at every R (the length of a long task " +
				"in short ones); at R = 50 the shared pool has 50 times partitioned's p99 of " +
				"the short tasks"},
		{"level at the lowest R", 0.2, flatAt(6, 6), decide.ClaimUndecided,
			"both strategies are below the shared pool at R = 50, but elsewhere " +
				"the repetitions vary too much to decide: partitioned, short p99 at R " +
				"= 2 (0.913), partitioned, slowdown at R = 2 (0.913) and 2 more"},
		{"never cheaper", 0, flatAt(1000, 1000), decide.DoesNotHold,
			"at R = 50 both strategies are above the shared pool; at R = 50 the " +
				"shared pool has 0.15 times partitioned's p99 of the short tasks"},
		{"not told apart", 1, flatAt(180, 180), decide.ClaimUndecided,
			"the repetitions vary too much to decide: partitioned, short p99 at R " +
				"= 50 (0.849), partitioned, slowdown at R = 50 (0.849), segregated, " +
				"short p99 at R = 50 (0.849) and segregated, slowdown at R = 50 (0.849)"},
		{"cheaper above a crossover", 0, flatAt(7, 9), decide.Depends,
			"on R (the length of a long task in short ones): both strategies pay " +
				"above R = 3, but not partitioned, short p99 at R = 2 (1.17); at R = " +
				"50 the shared pool has 21.4 times partitioned's p99 of the short tasks"},
		{"one of the two", 0, flatAt(7, 400), decide.Depends,
			"on the strategy and the metric: below the shared pool are " +
				"partitioned, short p99 at R = 50 (0.0467) and partitioned, slowdown " +
				"at R = 50 (0.0467), but not segregated, short p99 at R = 50 (2.67) " +
				"and segregated, slowdown at R = 50 (2.67); at R = 50 the shared pool " +
				"has 21.4 times partitioned's p99 of the short tasks"},
		{"dearer again at the end", 0, func(strategy string, r float64) float64 {
			if strategy == separate && r == 200 {
				return 1000
			}
			return flatAt(3, 3)(strategy, r)
		}, decide.Depends,
			"on R (the length of a long task in short ones): both strategies pay " +
				"at R = 50, but not segregated, short p99 at R = 200 (1.67) and " +
				"segregated, slowdown at R = 200 (1.67); at R = 50 the shared pool has " +
				"50 times partitioned's p99 of the short tasks"},
	} {
		for _, size := range []Size{Quick, Standard} {
			expect(t, fmt.Sprintf("%s, size %d", c.name, size),
				judgeCost(costsOf(size, c.wobble, c.of)), c.verdict, c.because)
		}
	}
	for _, missing := range []float64{2, taxAt} {
		cells := slices.DeleteFunc(costCells(Standard), func(sc bench.Scenario) bool {
			return ratio(sc) == missing && sc.Strategy.Spec.Name == separate
		})
		m := synthetic(cells, 3, func(sc bench.Scenario, _ int) map[string]float64 {
			return map[string]float64{"short-p99-response-sec": ratio(sc),
				"mean-slowdown": ratio(sc)}
		})
		if f := judgeCost(m); f.Verdict != decide.ClaimUndecided ||
			!strings.Contains(f.Because,
				fmt.Sprintf("segregated or worker_pool was not measured at R = %v", missing)) {
			t.Errorf("without R = %v: %v, %q", missing, f.Verdict, f.Because)
		}
	}
}

// A strategy added by the user must have all points in both figures, and a line about its lost
// tasks.
func TestCostWith(t *testing.T) {
	study, err := Lookup("variance")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"codel_lifo", "ants", "partitioned:quantum=500us"} {
		suite, err := study.Suite(Quick, 1, strategy(name)...)
		if err != nil {
			t.Fatal(err)
		}
		m := synthetic(suite.Scenarios, 3, func(sc bench.Scenario, i int) map[string]float64 {
			slower := 1.0 // many strategies with equal results are counted instead of listed
			if sc.Strategy.String() == name {
				slower = 2
			}
			return map[string]float64{
				"short-p99-response-sec": 0.002 * (1 + 0.1*float64(i)) * slower,
				"mean-slowdown":          2 * slower, "utilisation": 0.8,
				"ops/s":   4000 * sc.Load.Relative / meanHalves,
				"shed/op": 0.25, "peak-inflight": 7}
		})
		if others := costOthers(m); !slices.Equal(others, []string{name}) {
			t.Errorf("%s is found as %q", name, others)
		}
		f, ok, err := drawCost(m).Page()
		if !ok || err != nil {
			t.Fatal(ok, err)
		}
		var svg bytes.Buffer
		if err := f.Chart.InlineSVG(&svg, charts.Wide); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(svg.String(), name+"<") {
			t.Errorf("%s has no curve of %s", f.Name, name)
		}
		want := "at R = 50 " + name + " has 2 times the shared pool's p99 of the short tasks, " +
			"and 2 times its mean slowdown; it does not complete 25 % of the tasks; it has up " +
			"to 7 tasks in flight, the others 4"
		if lines := linesOf(answerCost, m); !slices.Contains(lines, want) {
			t.Errorf("the answer does not say %q:\n%s", want, strings.Join(lines, "\n"))
		}
	}
}

func TestLastCrossing(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		y    []float64
		want float64
	}{
		{[]float64{-1, -1, 1}, math.Sqrt(1000)},
		{[]float64{-1, 1, 1}, math.Sqrt(10)},
		{[]float64{1, -1, 1}, math.Sqrt(1000)}, // the last crossing counts
		{[]float64{0, 1, 1}, 1},
		{[]float64{1, 1, 1}, nan},
		{[]float64{-1, 1, -1}, nan},
		{[]float64{-1, nan, 1}, nan},
	} {
		if got := evidence.LastCrossing([]float64{1, 10, 100}, c.y); math.Abs(got-c.want) > 1e-9 ||
			math.IsNaN(got) != math.IsNaN(c.want) {
			t.Errorf("%v crosses at %v, want %v", c.y, got, c.want)
		}
	}
}

// At R = 1, strategies with shared slots are M/D/4, and separate pools are M/D/2.
func TestCostAnchors(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	shared := map[float64][]string{}
	for _, name := range costStrategies {
		sc := costCell(name, 1)
		sc.Stop.Tasks = 20_000
		r := runOnce(t, sc)
		got, _ := r.Metric("mean-slowdown")
		want := equalTasks(limit, slowdown)
		if name == separate {
			want = equalTasks(limit/2, slowdown)
		} else {
			shared[got] = append(shared[got], name)
		}
		// Four standard deviations of the mean wait, by Whitt's formula.
		tasks := float64(r.Tasks)
		if tolerance := 4 * (want - 1) * math.Sqrt(2*varianceLoad/tasks) /
			(1 - varianceLoad); math.Abs(got-want) > tolerance {
			t.Errorf("%s: mean slowdown %.4f at R = 1, want %.4f ± %.4f", name,
				got, want, tolerance)
		}
	}
	if len(shared) != 1 {
		t.Errorf("without variance the strategies that share their slots differ: %v", shared)
	}
}
