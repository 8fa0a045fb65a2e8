package studies

import (
	"fmt"
	"math"
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/finding"
	"github.com/poolbench/poolbench/internal/evidence"
	"github.com/poolbench/poolbench/internal/evidence/words"
	"github.com/poolbench/poolbench/internal/theory"
	"github.com/poolbench/poolbench/reports/charts"
	"github.com/poolbench/poolbench/reports/page"
	"github.com/poolbench/poolbench/strategies"
)

// load sweeps the load at exponential task times, where theory knows every answer: the points have
// to lie on its lines.
//
// The claim holds where all strategies that make a task wait for a slot have the same p99 to the
// nanosecond at every load below 1, the same work given. It depends where they differ at some
// loads, and does not hold where they differ at all.
var _ = register(Study{
	Name:     "load",
	Question: "how do response and throughput change as the load nears the capacity?",
	Claim: "the way in which a limit is written (workers, a semaphore, errgroup.SetLimit) " +
		"makes no difference to how long tasks wait for a slot",
	Count:  [3]int{3, 3, 10},
	Budget: 3500 * time.Millisecond,
	Cells: func(size Size) []bench.Scenario {
		return loadSweep(size, familiar())
	},
	With: func(size Size, v strategies.Variant) ([]bench.Scenario, error) {
		return loadSweep(size, []strategies.Variant{v}), nil
	},
	Judge: judgeLoad,
	Draw:  []drawing{drawNearing},
})

// familiar are the strategies that a newcomer has to choose from first: nothing, three ways to
// wait, and shedding.
func familiar() []strategies.Variant {
	return strategy("unbounded", "worker_pool", "semaphore", "errgroup_limit", "bounded_queue_shed")
}

// waiting are those of them that make a task wait for a slot.
var waiting = []string{"worker_pool", "semaphore", "errgroup_limit"}

const sweptMean = 10 * time.Millisecond

var sweptLoads = []float64{0.3, 0.5, 0.7, 0.8, 0.9, 1.1}

func loadSweep(size Size, of []strategies.Variant) []bench.Scenario {
	return lossy(bench.Matrix{
		Strategies: of,
		Workloads:  workload(fmt.Sprintf("exponential:mean=%v", sweptMean)),
		Limits:     []int{limit},
		Loads:      sweptLoads,
		Stop:       bench.Stop{Tasks: [...]int{15_000, 120_000, 1_000_000}[size], Warmup: 0.1},
		Clock:      bench.Virtual,
	})
}

func judgeLoad(m *evidence.Measured) finding.Finding {
	cells := map[string][]bench.Scenario{} // by strategy, in the order of the loads
	for _, sc := range loadSweep(Quick, familiar()) {
		name := sc.Strategy.String()
		cells[name] = append(cells[name], sc)
	}
	alike, apart, most := 0, 0, 0.0
	for i, load := range sweptLoads {
		if load >= 1 {
			continue // how long a queue that only grows is says how long the run was
		}
		first := m.Values(cells[waiting[0]][i], "p99-response-sec")
		for _, other := range waiting[1:] {
			ratios := m.Each([]bench.Scenario{cells[other][i], cells[waiting[0]][i]},
				func(value func(int, string) float64) float64 {
					return value(0, "p99-response-sec") / value(1, "p99-response-sec")
				})
			if len(ratios) == 0 || len(ratios) != len(first) {
				return evidence.Missing("%s or %s was not measured at load %v", other, waiting[0],
					load)
			}
			for _, r := range ratios {
				if most = max(most, math.Abs(r-1)); r == 1 {
					alike++
				} else {
					apart++
				}
			}
		}
	}
	names := words.Series(waiting)
	var f finding.Finding
	switch {
	case apart == 0:
		f = evidence.Found(finding.Holds, "%s have the same p99 to the nanosecond in all %d "+
			"comparisons at loads below 1; %s", names, alike, evidence.ButFor(alike))
	case alike == 0:
		f = evidence.Found(finding.DoesNotHold,
			"the p99s of %s differ in all %d comparisons at loads below 1, by up to %s", names,
			apart, words.Percent(most))
	default:
		f = evidence.Found(finding.Depends, "on the load: the p99s of %s differ in %d of %d "+
			"comparisons at loads below 1, by up to %s", names, apart, alike+apart,
			words.Percent(most))
	}
	low, high := cells[waiting[0]][0], cells[waiting[0]][4]
	f.Add("the p99 of %s is %s at load %v and %s at load %v", waiting[0],
		words.Seconds(m.Mean(low, "p99-response-sec").Mid), sweptLoads[0],
		words.Seconds(m.Mean(high, "p99-response-sec").Mid), sweptLoads[4])
	for i, load := range sweptLoads[4:] {
		if shed := cells[shedding][4+i]; m.Has(shed) {
			f.Add("at load %v %s without a queue has a p99 of %s and sheds %s of the tasks", load,
				shedding, words.Seconds(m.Mean(shed, "p99-response-sec").Mid),
				words.Percent(m.Mean(shed, "shed/op").Mid))
		}
	}
	return f
}

// names are those of variants.
func names(of []strategies.Variant) (all []string) {
	for _, v := range of {
		all = append(all, v.String())
	}
	return all
}

// behind reports whether a strategy neither refuses nor keeps up: what it says of its response is
// how long the run was.
func behind(m *evidence.Measured, sc bench.Scenario) bool {
	return m.LostShare(sc).Mid < 0.01 &&
		m.Mean(sc, "ops/s").Mid < 0.95*m.Mean(sc, "offered-ops/s").Mid
}

func drawNearing(m *evidence.Measured) (f page.Figure, err error) {
	x := charts.Axis{Label: "load, 1 being the capacity", Name: "load", Marks: sweptLoads}
	slow := charts.Plane{Panel: charts.Panel{Title: "p99 response"}, X: x,
		Y: charts.Axis{Label: "of those completed (log scale)", Log: true, Format: charts.Seconds}}
	done := charts.Plane{Panel: charts.Panel{Title: "throughput"}, X: x,
		Y: charts.Axis{Label: "tasks completed a second", Reach: []float64{0}}}
	known := names(familiar())
	for _, name := range append(known,
		m.Others(known, func(name string) bench.Scenario {
			return loadSweep(Quick, strategy(name))[0]
		})...) {
		p99, rate := charts.Series{Name: name}, charts.Series{Name: name}
		for i, sc := range loadSweep(Quick, strategy(name)) {
			if !m.Has(sc) {
				continue
			}
			p99.Style, rate.Style = m.Style(sc), m.Style(sc)
			if in := evidence.OfMedian(m.Values(sc, "p99-response-sec")); !math.IsNaN(in.Mid) {
				// of those that complete too little of a short run
				evidence.AddPoint(&p99, sweptLoads[i], in)
				p99.Growing = append(p99.Growing, behind(m, sc))
			}
			evidence.AddPoint(&rate, sweptLoads[i], evidence.OfMedian(m.Values(sc, "ops/s")))
		}
		if len(rate.X) == 0 {
			continue
		}
		slow.Series, done.Series = append(slow.Series, p99), append(done.Series, rate)
		if exact := nearingModels[name]; exact != nil {
			a, b := nearingExact(name, rate.Style, exact)
			slow.Series, done.Series = append(slow.Series, a), append(done.Series, b)
		}
	}
	capacity := limit / sweptMean.Seconds()
	done.Levels = []charts.Level{{Name: fmt.Sprintf("capacity %v/s", capacity), Y: capacity}}
	return evidence.Figure{
		Name:  "load",
		Title: "Response and throughput as the load nears the capacity",
		Subtitle: fmt.Sprintf("Exponential tasks of %s in the mean, Poisson arrivals, limit %d",
			charts.Seconds(sweptMean.Seconds()), limit),
		Caption: []string{
			"An arrow marks a queue that grew for as long as the run lasted: there the p99 " +
				"only says how long that was.",
			fmt.Sprintf("Bands: exact, M/M/%d for those that wait and the loss system "+
				"M/M/%d/%d for those that shed; without a bound no task waits.", limit, limit,
				limit),
			m.Medians(loadSweep(Quick, familiar())),
		},
	}.Planes(slow, done)
}

// nearingModels are the theory of the strategies, a band for each kind. In a loss system what is
// taken takes no longer than without a bound.
var nearingModels = map[string]func(theory.Pool) (*theory.Answer, error){
	pooled:   theory.MMk,
	shedding: func(p theory.Pool) (*theory.Answer, error) { return theory.MMkK(p, 0) },
}

// nearingExact are the bands of a strategy, as far as its queue has a steady state.
func nearingExact(
	name string, style int, model func(theory.Pool) (*theory.Answer, error),
) (p99, rate charts.Series) {
	p99 = charts.Series{Name: name, Style: style, Theory: true}
	rate = p99
	for load := sweptLoads[0]; load <= sweptLoads[len(sweptLoads)-1]+1e-9; load += 0.025 {
		mean := sweptMean.Seconds()
		a, err := model(theory.Pool{Rate: load * limit / mean, MeanService: mean, Limit: limit})
		if err != nil {
			break
		}
		rate.X, rate.Y = append(rate.X, load), append(rate.Y, a.Throughput)
		if t, ok := a.ResponseQuantile(0.99); ok {
			p99.X, p99.Y = append(p99.X, load), append(p99.Y, t)
		}
	}
	return p99, rate
}
