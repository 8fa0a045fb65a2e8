package studies

import (
	"bytes"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/studies/evidence"
	"github.com/poolbench/poolbench/reports/charts"
)

func synthetic(
	cells []bench.Scenario, repetitions int,
	of func(sc bench.Scenario, repetition int) map[string]float64,
) *evidence.Measured {
	var results []*bench.Result
	for i := range repetitions {
		for _, sc := range cells {
			r := &bench.Result{Name: sc.Name(), Seed: uint64(i + 1)}
			for unit, v := range of(sc, i) {
				r.Metrics = append(r.Metrics, result.Metric{Unit: unit, Value: v})
			}
			results = append(results, r)
		}
	}
	return evidence.FromResults(results)
}

// The expected values were computed independently.
func TestCostLevels(t *testing.T) {
	for _, c := range []struct{ got, want float64 }{
		{equalTasks(2, slowdown), 1.90328}, {equalTasks(2, shortTail), 6.0696},
		{equalTasks(4, slowdown), 1.38609}, {equalTasks(4, shortTail), 3.45458},
		{processorSharing(), 1.74554},
		{highestLoad(5, 0), 0.894}, {highestLoad(5, 16), 0.408}, {highestLoad(20, 64), 0.417},
		{float64(workersFor(p99Wait(limit, varianceLoad, 0), 16)), 7},
	} {
		if math.Abs(c.got-c.want) > 6e-4*c.want {
			t.Errorf("%v, want %v", c.got, c.want)
		}
	}
}

// A wait of c/(1−ρ) is linear on the axes of the interpolation, so the result is exact.
func TestLoadFor(t *testing.T) {
	loads := []float64{0.5, 0.6, 0.8}
	var waits []float64
	for _, l := range loads {
		waits = append(waits, 2/(1-l))
	}
	for _, want := range []float64{0.4, 0.5, 0.55, 0.7, 0.8, 0.85} {
		if got := loadFor(2/(1-want), loads, waits); math.Abs(got-want) > 1e-12 {
			t.Errorf("found %v, want %v", got, want)
		}
		if got := interpolate(want, loads[0], waits[0], loads[2],
			waits[2]); math.Abs(got-2/(1-want)) > 1e-9 {
			t.Errorf("at %v a response of %v, want %v", want, got, 2/(1-want))
		}
	}
	if got := loadFor(5, loads, []float64{9, 9.1, 9.2}); !math.IsNaN(got) {
		t.Errorf("waits that hardly change say %v", got)
	}
	if got := loadFor(5, loads, []float64{3, 3, 3}); !math.IsNaN(got) {
		t.Errorf("waits that do not change say %v", got)
	}
}

func TestIntervals(t *testing.T) {
	if in := evidence.OfMean([]float64{1, 2, 3, 4, 5}); math.Abs(in.Mid-3) > 1e-12 ||
		math.Abs(in.Hi-in.Mid-2.776*math.Sqrt(0.5)) > 1e-3 ||
		math.Abs(in.Mid-in.Lo-(in.Hi-in.Mid)) > 1e-12 {
		t.Errorf("%+v", in)
	}
	if in := evidence.OfMean([]float64{7}); in.Mid != 7 || !math.IsNaN(in.Lo) ||
		!math.IsNaN(in.Hi) {
		t.Errorf("one value has the interval %+v", in)
	}
	if in := evidence.OfMean(nil); !math.IsNaN(in.Mid) {
		t.Errorf("no value has the mean %v", in.Mid)
	}
	// The ranks in the table of Conover, "Practical Nonparametric Statistics": 1 of 6, 2 of 9 and
	// 10, 6 of 20.
	for n, rank := range map[int]int{1: 1, 5: 1, 6: 1, 8: 1, 9: 2, 10: 2, 20: 6} {
		var values []float64
		for i := range n {
			values = append(values, float64(n-i))
		}
		if in := evidence.OfMedian(values); in.Mid != float64(n+1)/2 || in.Lo != float64(rank) ||
			in.Hi != float64(n+1-rank) {
			t.Errorf("of 1 to %d the median is %+v, want the ranks %d from the ends", n, in, rank)
		}
	}
	// Student's t with 3 degrees of freedom is 3.18245 at 97.5 %. The standard deviation of 1 to 4
	// is √(5/3).
	if in, half := evidence.OfMean([]float64{1, 2, 3, 4}),
		3.18245*math.Sqrt(5./3)/2; in.Mid != 2.5 ||
		math.Abs(in.Hi-2.5-half) > 1e-5 || math.Abs(2.5-in.Lo-half) > 1e-5 {
		t.Errorf("the mean of 1 to 4 is %+v, want 2.5 ± %v", in, half)
	}
}

func TestVarianceCells(t *testing.T) {
	for i, p := range varianceParts {
		for size := Quick; size <= Full; size++ {
			names, stops := map[string]bool{}, map[string]bench.Stop{}
			for _, sc := range p.cells(size) {
				work := sc.Workload.String() + fmt.Sprint(sc.Load)
				if stop, ok := stops[work]; ok && stop != sc.Stop {
					t.Errorf("part %d: %s is to be compared with runs of %d tasks", i,
						sc.Name(), stop.Tasks)
				}
				stops[work] = sc.Stop
				if err := sc.Validate(); err != nil {
					t.Error(err)
				}
				if names[sc.Name()] {
					t.Errorf("part %d: %s is there twice", i, sc.Name())
				}
				names[sc.Name()] = true
			}
		}
		nothing := evidence.FromResults(nil)
		if lines := linesOf(p.answer, nothing); len(lines) > 0 {
			t.Errorf("part %d says of nothing: %q", i, lines)
		}
	}
}

func TestVarianceDraws(t *testing.T) {
	units := []string{"short-p99-response-sec", "short-mean-response-sec", "long-mean-response-sec",
		"mean-slowdown", "utilisation", "shed/op", "mean-response-sec", "mean-service-sec",
		"offered-utilisation", "p99-wait-sec", "ops/s"}
	for j := range limit + 1 {
		units = append(units, fmt.Sprintf("found-%d-long/op", j),
			fmt.Sprintf("found-%d-long-wait-sec", j))
	}
	study := mustLookup(t, "variance")
	m := synthetic(study.Cells(Standard), 3, func(sc bench.Scenario, i int) map[string]float64 {
		values := map[string]float64{}
		for _, u := range units {
			values[u] = 0.002 * (1 + sc.Load.Relative*sc.Load.Relative) * (1 + 0.01*float64(i))
		}
		return values
	})
	none := regexp.MustCompile("NaN|Inf|%!")
	figures, err := study.figures(m)
	if err != nil || len(figures) != len(study.Draw) {
		t.Errorf("%d figures, want %d; %v", len(figures), len(study.Draw), err)
	}
	for _, f := range figures {
		for _, layout := range []charts.Layout{charts.Wide, charts.Narrow} {
			var svg bytes.Buffer
			if err := f.Chart.SVG(&svg, layout); err != nil {
				t.Errorf("%s: %v", f.Name, err)
			}
			if none.MatchString(svg.String() + f.Caption) {
				t.Errorf("%s holds a number that is none", f.Name)
			}
		}
	}
	for i, p := range varianceParts {
		if answer := strings.Join(linesOf(p.answer, m), " "); none.MatchString(answer) {
			t.Errorf("part %d says a number that is none: %s", i, answer)
		}
	}
}

func TestQuantumOverhead(t *testing.T) {
	for _, o := range overheads {
		for _, q := range quanta {
			sc := quantumCell(q, o)
			values := sc.Workload.Values
			for class, size := range map[string]float64{"short": 1, "long": quantumR} {
				steps := math.Ceil(size/q - 1e-9)
				got := values.Duration(class).Seconds() / unit.Seconds() * (q + o)
				if want := size + o*steps; math.Abs(got-want) > 1e-4*want {
					t.Errorf("quantum %v, overhead %v: a %s task takes %v, want %v", q, o,
						class, got, want)
				}
				if n := math.Ceil(values.Duration(class).Seconds()/unit.Seconds() - 1e-9); n !=
					steps {
					t.Errorf("quantum %v, overhead %v: a %s task has %v steps, want %v", q,
						o, class, n, steps)
				}
			}
		}
	}
	if busy := loadWithOverhead(1, 0.1); math.Abs(busy-0.88) > 1e-9 {
		t.Errorf("with a tenth more on each task the load is %v, want 0.88", busy)
	}
	if !slices.Contains(quanta, quantumR) {
		t.Errorf("tasks left whole, a quantum of %v, are not measured", quantumR)
	}
}

func linesOf(
	answer func(*evidence.Measured, *decide.Finding), m *evidence.Measured,
) []string {
	var f decide.Finding
	answer(m, &f)
	return f.Lines
}
