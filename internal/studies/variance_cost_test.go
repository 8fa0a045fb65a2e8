package studies

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/reports"
	"github.com/poolbench/poolbench/reports/charts"
)

// ratio is the R of a cell of the cost.
func ratio(sc bench.Scenario) float64 {
	for _, r := range costRs {
		if costCell(pooled, r).Workload.String() == sc.Workload.String() {
			return r
		}
	}
	return math.NaN()
}

// sampleCost has a shared pool whose short p99 is 3R, separate ones with 6, and partitioned ones with 5: a crossover at 2, a tax of 30.
func sampleCost(wobble float64) *measured {
	return synthetic(costCells(Standard), 4, func(sc bench.Scenario, i int) map[string]float64 {
		short := map[string]float64{pooled: 3 * ratio(sc), separate: 6, sequential: 5}[sc.Strategy.Spec.Name]
		if short == 0 {
			short = 100
		}
		short *= 1 + wobble*float64(i%2) // the same for all strategies of a repetition
		return map[string]float64{"short-p99-response-sec": short * unit.Seconds(), "mean-slowdown": short, "utilisation": 0.8, "long-mean-response-sec": 1}
	})
}

func TestCostAnnotations(t *testing.T) {
	for _, wobble := range []float64{0, 0.3} {
		m := sampleCost(wobble)
		for _, of := range []reading{shortTail, slowdown} {
			if at := crossover(m, separate, of); math.Abs(at.mid-2) > 1e-9 || at.hi-at.lo > 1e-9 {
				t.Errorf("%s: the crossover is %+v, want 2: what hits all strategies alike does not move it", of.unit, at)
			}
			if tax, _, _ := taxOf(m, of); math.Abs(tax.mid-30) > 1e-9 || tax.hi-tax.lo > 1e-9 {
				t.Errorf("%s: the tax is %+v, want 30", of.unit, tax)
			}
			if lead := leaders(m, of, 1); lead != pooled {
				t.Errorf("%s: the lowest at R = 1 is %q", of.unit, lead)
			}
			if lead := leaders(m, of, 200); lead != sequential {
				t.Errorf("%s: the lowest at R = 200 is %q", of.unit, lead)
			}
		}
	}
	f, err := drawCost(sampleCost(0))
	if err != nil {
		t.Fatal(err)
	}
	var svg bytes.Buffer
	if err := f.InlineSVG(&svg, charts.Wide); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"×30<", "pay from R = 2<", "exact M/D/4: 3.45<", "exact M/D/4: 1.39<", "processor sharing, exact<"} {
		if !strings.Contains(svg.String(), want) {
			t.Errorf("the figure does not say %q", want)
		}
	}
	answer := strings.Join(answerCost(sampleCost(0)), "\n")
	for _, want := range []string{"has 30 (30 to 30) times that of partitioned", "costs more than it saves below R = 2 (2 to 2)", "worker_pool at R = 1, partitioned from R = 2 to 200"} {
		if !strings.Contains(answer, want) {
			t.Errorf("the answer does not say %q:\n%s", want, answer)
		}
	}
}

// costsOf has, of every strategy at every R of that size, the number in both readings, the same up to a wobble that strategies do not share.
func costsOf(size Size, wobble float64, of func(strategy string, r float64) float64) *measured {
	return synthetic(costCells(size), 4, func(sc bench.Scenario, i int) map[string]float64 {
		v := of(sc.Strategy.Spec.Name, ratio(sc))
		if sc.Strategy.Spec.Name == pooled {
			v *= 1 + wobble*float64(i%2)
		}
		return map[string]float64{"short-p99-response-sec": v * unit.Seconds(), "mean-slowdown": v}
	})
}

// TestCostVerdicts drives the rule to each verdict, and holds it to the same in the quick size.
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
		verdict Verdict
		because string
	}{
		{"cheaper at every R", 0, flatAt(3, 5), Holds, "at no R does either cost more; at R = 50 the short tasks' p99 in a shared pool is 50 (50 to 50) times that of partitioned"},
		{"level at the lowest R", 0.2, flatAt(6, 6), Holds, "at no R does either cost more"},
		{"never cheaper", 0, flatAt(1000, 1000), DoesNotHold, "is 0.15 (0.15 to 0.15) times"},
		{"not told apart", 1, flatAt(180, 180), DoesNotHold, "times that of partitioned"},
		{"cheaper above a crossover", 0, flatAt(7, 9), Depends, "on R: all four are lower above R = 3 (3 to 3), where segregated in the short tasks' p99 is the last to cross"},
		{"one of the two", 0, flatAt(7, 400), Depends, "on strategy and reading: at R = 50 partitioned in the short tasks' p99, partitioned in mean slowdown is lower, segregated in the short tasks' p99, segregated in mean slowdown is not"},
		{"dearer again at the end", 0, func(strategy string, r float64) float64 {
			if strategy == separate && r == 200 {
				return 1000
			}
			return flatAt(3, 3)(strategy, r)
		}, Depends, "on R: all are lower at R = 50, but higher is segregated in the short tasks' p99 at R = 200, segregated in mean slowdown at R = 200"},
	} {
		for _, size := range []Size{Quick, Standard} {
			if f := judgeCost(costsOf(size, c.wobble, c.of)); f.Verdict != c.verdict || !strings.Contains(f.Because, c.because) {
				t.Errorf("%s, size %d: %v, %q; want %v, %q", c.name, size, f.Verdict, f.Because, c.verdict, c.because)
			}
		}
	}
	for _, missing := range []float64{2, taxAt} {
		cells := slices.DeleteFunc(costCells(Standard), func(sc bench.Scenario) bool { return ratio(sc) == missing && sc.Strategy.Spec.Name == separate })
		m := synthetic(cells, 3, func(sc bench.Scenario, _ int) map[string]float64 {
			return map[string]float64{"short-p99-response-sec": ratio(sc), "mean-slowdown": ratio(sc)}
		})
		if f := judgeCost(m); f.Verdict != Undecided || !strings.Contains(f.Because, fmt.Sprintf("segregated or worker_pool was not measured at R = %v", missing)) {
			t.Errorf("without R = %v: %v, %q", missing, f.Verdict, f.Because)
		}
	}
}

// TestCostWith: a strategy that somebody named has scenarios at each point of both figures, a curve in them, and a line that says what it does not
// do for its tasks.
func TestCostWith(t *testing.T) {
	study, err := Lookup("variance")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"codel_lifo", "ants", "partitioned:quantum=500us"} {
		suite, err := study.Suite(Quick, strategy(name)...)
		if err != nil {
			t.Fatal(err)
		}
		m := synthetic(suite.Scenarios, 3, func(sc bench.Scenario, i int) map[string]float64 {
			return map[string]float64{"short-p99-response-sec": 0.002 * (1 + 0.1*float64(i)), "mean-slowdown": 2, "utilisation": 0.8, "ops/s": 4000 * sc.Load.Relative / meanHalves,
				"shed/op": 0.25, "peak-inflight": 7}
		})
		if others := costOthers(m); !slices.Equal(others, []string{name}) {
			t.Errorf("%s is found as %q", name, others)
		}
		for _, draw := range []func(*measured) (reports.Figure, error){drawCost, drawLoad} {
			f, err := draw(m)
			if err != nil {
				t.Fatal(err)
			}
			var svg bytes.Buffer
			if err := f.InlineSVG(&svg, charts.Wide); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(svg.String(), name+"<") {
				t.Errorf("%s has no curve of %s", f.Name, name)
			}
		}
		want := name + ": at R = 50 it is 1 (1 to 1) times the shared pool in the short tasks' p99, and 1 (1 to 1) times in mean slowdown; " +
			"it does not complete 25 % of the tasks; it has up to 7 tasks in flight, and the others 4"
		if lines := answerCost(m); !slices.Contains(lines, want) {
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
		{[]float64{1, -1, 1}, math.Sqrt(1000)}, // for good
		{[]float64{0, 1, 1}, 1},
		{[]float64{1, 1, 1}, nan},
		{[]float64{-1, 1, -1}, nan},
		{[]float64{-1, nan, 1}, nan},
	} {
		if got := lastCrossing([]float64{1, 10, 100}, c.y); math.Abs(got-c.want) > 1e-9 || math.IsNaN(got) != math.IsNaN(c.want) {
			t.Errorf("%v crosses at %v, want %v", c.y, got, c.want)
		}
	}
}

// TestCostAnchors runs the strategies at R = 1, where all that share their places are M/D/4 and separate pools M/D/2.
func TestCostAnchors(t *testing.T) {
	shared := map[float64][]string{}
	for _, name := range costStrategies {
		sc := costCell(name, 1)
		sc.Stop.Tasks = 20_000
		r, err := bench.Run(t.Context(), sc)
		if err != nil {
			t.Fatal(err)
		}
		got, _ := r.Metric("mean-slowdown")
		want := flat(limit, slowdown)
		if name == separate {
			want = flat(limit/2, slowdown)
		} else {
			shared[got] = append(shared[got], name)
		}
		// Four standard deviations of the mean wait over so many tasks, by Whitt's formula.
		tasks := float64(r.Tasks)
		if tolerance := 4 * (want - 1) * math.Sqrt(2*varianceLoad/tasks) / (1 - varianceLoad); math.Abs(got-want) > tolerance {
			t.Errorf("%s: mean slowdown %.4f at R = 1, want %.4f ± %.4f", name, got, want, tolerance)
		}
	}
	if len(shared) != 1 {
		t.Errorf("without variance the strategies that share their places differ: %v", shared)
	}
}
