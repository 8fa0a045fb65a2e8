package studies

import (
	"fmt"
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/studies/evidence"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/charts"
)

// The claim holds if a worker pool prevents nine tenths of the throttling at every rate and kind of
// arrivals, does not hold if it prevents less than a tenth everywhere, and depends otherwise. Cases
// with less than 1 % throttled tasks without the pool do not count.
var _ = register(Study{
	Name:     "throttle",
	Question: "does a limit on concurrency prevent refusals by a rate-limited target?",
	Claim:    "a bounded pool keeps a rate-limited target from refusing calls",
	Count:    [3]int{3, 5, 10},
	Budget:   2 * time.Second,
	Compared: familiar,
	With:     throttleSweep,
	Decides:  []string{metric.Throttled},
	Advice: evidence.Sentences{
		Holds:       "bound the workers: that keeps the target from refusing most calls",
		DoesNotHold: "limit the rate: a limit on workers does not limit the rate",
		Depends:     "limit the rate: the effect of a bound on workers depends on how calls arrive",
	},
	Judge: judgeThrottle,
	Draw:  []drawing{drawThrottle},
})

const (
	throttleRate  = 300
	throttleBurst = 10
	throttleBulk  = 100
)

var throttleRates = []float64{200, 290, 380}

var throttleArrivals = []string{"poisson", fmt.Sprintf("bulk:n=%d", throttleBulk)}

func throttleSweep(size Size, of ...string) []bench.Scenario {
	return lossy(bench.Matrix{
		Strategies: strategy(of...),
		Workloads:  workload("exponential:mean=10ms"),
		Targets: target(fmt.Sprintf("token_bucket:rate=%d,burst=%d",
			throttleRate, throttleBurst)),
		Arrivals: arrival(throttleArrivals...),
		Limits:   []int{limit},
		Rates:    throttleRates,
		Stop:     bench.Stop{Tasks: [...]int{4_000, 20_000, 200_000}[size], Warmup: 0.1},
		Clock:    bench.Virtual,
	})
}

func throttleOf(name string) []bench.Scenario { return throttleSweep(Quick, name) }

func judgeThrottle(m *evidence.Measured) decide.Finding {
	pool := throttleOf(pooled)
	r := evidence.Ruling{Of: "arrivals", More: []string{"throttled, no bound",
		fmt.Sprintf("%d workers", limit)}, Number: "throttling avoided",
		Format: evidence.Interval.Percents}
	for i, sc := range throttleOf(free) {
		without, with := m.Mean(sc, metric.Throttled), m.Mean(pool[i], metric.Throttled)
		avoided := evidence.OfMean(m.Pairs(sc, pool[i], func(free, pool evidence.Run) float64 {
			return 1 - pool(metric.Throttled)/free(metric.Throttled)
		}))
		come := "Poisson"
		if sc.Load.Arrival.Spec.Name == "bulk" {
			come = "bulks"
		}
		name := fmt.Sprintf("%s at %v/s", come, sc.Load.PerSecond)
		more := []string{evidence.Short(without, text.ShortShare),
			evidence.Short(with, text.ShortShare)}
		if without.Mid < 0.01 { // hardly any throttling to avoid
			r.Show(name, evidence.OfMean(nil), more...)
		} else {
			r.AddCase(name, avoided, 0.1, 0.9, more...)
		}
	}
	if len(r.All()) == 0 {
		return evidence.Missing("nothing was throttled")
	}
	return r.Find(evidence.Sentences{
		Holds: fmt.Sprintf("%d workers avoid most of the throttling", limit),
		DoesNotHold: fmt.Sprintf("a limit on concurrency does not limit a rate: %d workers avoid "+
			"less than a tenth of the throttling", limit),
		Depends: "on the arrivals",
	}, "how much of the throttling the workers avoid")
}

func drawThrottle(m *evidence.Measured) evidence.Figure {
	var planes []charts.Plane
	n := len(throttleRates)
	for i, title := range []string{"Poisson arrivals", fmt.Sprintf("bulks of %d", throttleBulk)} {
		p := evidence.Plane(title, charts.Axis{Label: "tasks that arrive per second", Name: "rate",
			Marks: throttleRates}, shares("share of the tasks throttled", 0, 1))
		for _, cells := range m.Sweeps(familiar, throttleOf) {
			s := evidence.MedianCurve(m, throttleRates, cells[i*n:(i+1)*n], metric.Throttled)
			if p.Add(s); s.Name == free && len(s.X) > 0 {
				p.Add(throttleFree(i, s))
			}
		}
		p.Remarks = []charts.Annotation{{Sign: charts.Foot, X: throttleRate, Y: 1,
			Text: []string{fmt.Sprintf("%d/s", throttleRate), "admitted"}}}
		planes = append(planes, p)
	}
	return evidence.Figure{
		Name:  "throttle",
		Title: "Calls refused by a rate-limited target, with and without a limit on concurrency",
		Subtitle: fmt.Sprintf("A target that admits %d calls a second and %d at once; "+
			"exponential tasks of 10 ms, limit %d", throttleRate, throttleBurst, limit),
		Caption: []string{
			fmt.Sprintf("All but %d calls of a bulk that is sent at once are refused. A limit "+
				"sends them one after another, but refusals come fast, and so do the next calls.",
				throttleBurst),
			fmt.Sprintf("Bands: theory without a bound, left at least 1 − %d/rate, right "+
				"exactly 1 − %d/%d.", throttleRate, throttleBurst,
				throttleBulk),
			fmt.Sprintf("Tasks that %s itself sheds are not counted.", shedding),
			m.Medians(throttleSweep(Quick, familiar...)),
		},
	}.Planes(planes...)
}

// Without a bound, the target refuses at least the excess of Poisson arrivals over its rate. Of a
// bulk, which finds a full bucket, it refuses all calls except the burst.
func throttleFree(arrivals int, beside charts.Series) charts.Series {
	first, last := throttleRates[0], throttleRates[len(throttleRates)-1]
	if arrivals == 1 {
		return evidence.Exact(beside, []float64{first, last},
			func(float64) float64 { return 1 - float64(throttleBurst)/throttleBulk })
	}
	return evidence.Exact(beside, evidence.Steps(first, last, 10),
		func(rate float64) float64 { return max(0, 1-throttleRate/rate) })
}
