package studies

import (
	"fmt"
	"math"
	"testing"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/statistics/theory"
	"github.com/poolbench/poolbench/internal/studies/evidence"
)

// sampleCallbacks returns runs of the three ways. From the length from on, the p99 is proportional
// to times and to the length of callbacks. For shorter callbacks it is constant.
func sampleCallbacks(from [3]int, times [3]float64) *evidence.Measured {
	return synthetic(callbackCells(Quick), 2, func(sc bench.Scenario, i int) map[string]float64 {
		values := map[string]float64{"p50-service-sec": 1e-3, meanResponse: 8e-3,
			"p99-response-sec": 4e-3}
		for w, way := range callbackWays {
			for _, r := range callbackLengths() {
				if r > 1 && evidence.Cell(callbackCell(way, r,
					Quick).Name()) == evidence.Cell(sc.Name()) {
					p99 := 4.0
					if r >= from[w] {
						p99 *= times[w] * float64(r)
					}
					values["short-p99-response-sec"] = p99 * unit.Seconds() * (1 + 0.1*float64(i))
					values["mean-slowdown"], values["short-mean-response-sec"],
						values["long-mean-response-sec"] = p99, p99*1e-3, p99*1e-3
				}
			}
		}
		return values
	})
}

func TestEventloopVerdicts(t *testing.T) {
	const never = math.MaxInt
	for _, c := range []struct {
		from  [3]int
		times [3]float64
		want  decide.ClaimVerdict
		says  string
	}{
		{[3]int{2, never, never}, [3]float64{1, 1, 1}, decide.Holds,
			"callbacks at least 10 times as long at least double the others' p99 " +
				"on the loop, and splitting or offloading at least halves it (×10.5 " +
				"to ×420)"},
		{[3]int{never, never, never}, [3]float64{1, 1, 1}, decide.DoesNotHold,
			"long callbacks do not double the others' p99 on the loop, or " +
				"splitting and offloading do not halve it (×1.05)"},
		{[3]int{2, 2, never}, [3]float64{1, 0.6, 1}, decide.DoesNotHold,
			"long callbacks do not double the others' p99 on the loop, or " +
				"splitting and offloading do not halve it (×10.5 to ×420)"}, // steps do not help
		{[3]int{2, never, 2}, [3]float64{1, 1, 0.6}, decide.DoesNotHold,
			"long callbacks do not double the others' p99 on the loop, or " +
				"splitting and offloading do not halve it (×10.5 to ×420)"},
		{[3]int{100, never, never}, [3]float64{1, 1, 1}, decide.Depends,
			"on the length of the callback: it holds for length 100 (×105) and " +
				"length 400 (×420), not for length 10 (×1.05), length 16 (×1.05) " +
				"and length 20 (×1.05)"},
	} {
		expect(t, fmt.Sprintf("from %v by %v", c.from, c.times),
			judgeCallbacks(sampleCallbacks(c.from, c.times)), c.want, c.says)
	}
	figures, err := mustLookup(t, "eventloop").figures(sampleCallbacks([3]int{2, never, never},
		[3]float64{1, 1, 1}))
	if err != nil || len(figures) != 2 {
		t.Errorf("%d figures, %v", len(figures), err)
	}
}

func mustLookup(t *testing.T, name string) Study {
	t.Helper()
	s, err := Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestEventloopLoad(t *testing.T) {
	for _, r := range callbackLengths() {
		p := callbackShare(r)
		short, long := callbackRate(r)*(1-p), callbackRate(r)*p*float64(r)
		if r == 1 {
			short, long = callbackShort, callbackRate(r)-callbackShort
		}
		if math.Abs(short-callbackShort) > 1e-9 || math.Abs(long-callbackLong) > 0.01*callbackLong {
			t.Errorf("with callbacks of %d the short ones are %v of a core and the long ones %v", r,
				short, long)
		}
	}
	if got := fmt.Sprint(callbackLengths()); got != "[1 2 4 10 16 20 100 400]" {
		t.Errorf("the lengths are %v", got)
	}
}

func TestEventloopRuns(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	run := func(way callbackWay, r int) *bench.Result {
		res := runOnce(t, callbackCell(way, r, Standard))
		return res
	}
	// Four relative standard deviations: of a mean wait by Whitt's formula, and of a p99 by the
	// formula of package bench.
	deviation := func(constant, c2, tasks float64) float64 {
		load := callbackShort + callbackLong
		return 4 * math.Sqrt(constant*(1+c2)/tasks) / (1 - load)
	}
	alike := run(callbackWays[0], 1)
	if p99, _ := alike.Metric("p99-response-sec"); math.Abs(p99/unit.Seconds()/
		alikeP99(callbackWays[0])-1) > deviation(7.8, 0, float64(alike.Tasks)) {
		t.Errorf("the p99 of callbacks that are all alike is %v s, of M/D/1 %v callbacks", p99,
			alikeP99(callbackWays[0]))
	}
	const r = 20
	mixed := run(callbackWays[0], r)
	loop, _ := mixed.Metric("short-p99-response-sec")
	for _, way := range callbackWays[1:] {
		if p99, ok := run(way, r).Metric("short-p99-response-sec"); !ok || p99 > loop/2 {
			t.Errorf("%s: a p99 of %v s for the others, on the loop %v s", way.strategy, p99, loop)
		}
	}
	mean, _ := mixed.Metric("short-mean-response-sec")
	wait := onLoopWait(r)
	// Whitt's formula ignores the third moment, which matters here. The tolerance is therefore
	// twice the run's own confidence interval by batch means.
	low, _ := mixed.Metric("mean-wait-low-sec")
	high, _ := mixed.Metric("mean-wait-high-sec")
	if math.Abs(mean/unit.Seconds()-1-wait) > (high-low)/unit.Seconds() {
		t.Errorf("the mean response of the others on the loop is %v s, want %v callbacks", mean,
			1+wait)
	}
}

// onLoopWait uses the Pollaczek–Khinchine formula.
func onLoopWait(r int) float64 {
	p := callbackShare(r)
	mean, square := 1-p+p*float64(r), 1-p+p*float64(r*r)
	return theory.Must(theory.MG1(theory.Pool{Rate: callbackRate(r), MeanService: mean, Limit: 1},
		square/(mean*mean)-1)).MeanWait
}
