package studies

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/statistics/theory"
	"github.com/poolbench/poolbench/internal/studies/evidence"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/charts"
)

// A case is a load below 1. It meets the claim if all strategies in which a task waits for a slot
// have the same p99, to the nanosecond, with the same tasks.
var _ = register(Study{
	Name:     "load",
	Question: "how do response time and throughput change near the capacity?",
	Claim: "the implementation of a limit (workers, a semaphore, errgroup.SetLimit) makes no " +
		"difference to how long tasks wait for a slot",
	Count:    [3]int{3, 3, 10},
	Budget:   3500 * time.Millisecond,
	Compared: familiar,
	With:     loadSweep,
	Decides:  []string{p99Response},
	Advice: evidence.Sentences{
		Holds:       "use the implementation that is easiest to read",
		DoesNotHold: "measure before you change the implementation of a limit: the waits differ",
		Depends:     "measure at your load before you change the implementation of a limit",
	},
	Judge: judgeLoad,
	Draw:  []drawing{drawNearing},
})

const sweptMean = 10 * time.Millisecond

var sweptLoads = []float64{0.3, 0.5, 0.7, 0.8, 0.9, 1.1}

func loadSweep(size Size, of ...string) []bench.Scenario {
	return lossy(bench.Matrix{
		Strategies: strategy(of...),
		Workloads:  workload(fmt.Sprintf("exponential:mean=%v", sweptMean)),
		Limits:     []int{limit},
		Loads:      sweptLoads,
		Stop:       bench.Stop{Tasks: [...]int{15_000, 120_000, 1_000_000}[size], Warmup: 0.1},
		Clock:      bench.Virtual,
	})
}

func loadsOf(name string) []bench.Scenario { return loadSweep(Quick, name) }

func judgeLoad(m *evidence.Measured) decide.Finding {
	cells := [][]bench.Scenario{}
	table := decide.Table{Heads: []string{"load, p99 response"}}
	for _, name := range append(slices.Clone(waiting), shedding) {
		cells = append(cells, loadsOf(name))
		table.Heads = append(table.Heads, name)
	}
	table.Heads = append(table.Heads, "sheds", "comparisons", "equal")
	alike, apart, most := 0, 0, 0.0
	for i, load := range sweptLoads {
		row := []string{text.Short(load)}
		for _, of := range cells {
			row = append(row, m.MedianText(of[i], p99Response, text.ShortSeconds))
		}
		row = append(row, m.MedianText(cells[len(waiting)][i], metric.Shed, text.ShortShare))
		all, equal := 0, 0
		for _, other := range cells[1:len(waiting)] {
			if load >= 1 {
				break // the result would depend on the length of the run
			}
			ratios := m.Ratios(other[i], cells[0][i], p99Response)
			if len(ratios) == 0 || len(ratios) != len(m.Values(cells[0][i], p99Response)) {
				return evidence.Missing("%s or %s was not measured at load %v", other[i].Strategy,
					waiting[0], load)
			}
			for _, r := range ratios {
				all++
				if most = max(most, math.Abs(r-1)); r == 1 {
					equal++
				}
			}
		}
		alike, apart = alike+equal, apart+all-equal
		table.Add(append(row, fmt.Sprint(all), fmt.Sprint(equal))...)
	}
	names := evidence.Series(waiting)
	var f decide.Finding
	switch {
	case apart == 0:
		f = evidence.NewFinding(decide.Holds, "%s have the same p99 to the nanosecond in all %d "+
			"comparisons at loads below 1; %s", names, alike, evidence.ButFor(alike))
	case alike == 0:
		f = evidence.NewFinding(decide.DoesNotHold,
			"the p99s of %s differ in all %d comparisons at loads below 1, by up to %s", names,
			apart, text.ShortShare(most))
	default:
		f = evidence.NewFinding(decide.Depends, "on the load: the p99s of %s differ in %d of %d "+
			"comparisons at loads below 1, by up to %s", names, apart, alike+apart,
			text.ShortShare(most))
	}
	f.Table = &table
	return f
}

// If a strategy neither sheds nor keeps up, its response depends on the length of the run.
func fallsBehind(m *evidence.Measured, sc bench.Scenario) bool {
	return m.LostShare(sc).Mid < 0.01 &&
		m.Mean(sc, metric.Throughput).Mid < 0.95*m.Mean(sc, metric.Offered).Mid
}

func drawNearing(m *evidence.Measured) evidence.Figure {
	x := charts.Axis{Label: "load (1 is the capacity)", Name: "load", Marks: sweptLoads}
	slow := evidence.Plane("p99 response", x, responses("of those completed"))
	done := evidence.Plane("throughput", x, perSecond)
	for _, cells := range m.Sweeps(familiar, loadsOf) {
		rate := evidence.MedianCurve(m, sweptLoads, cells, metric.Throughput)
		p99 := evidence.MedianCurve(m, sweptLoads, cells, p99Response)
		for _, load := range p99.X {
			p99.Growing = append(p99.Growing, fallsBehind(m, cells[slices.Index(sweptLoads, load)]))
		}
		slow.Series, done.Series = append(slow.Series, p99), append(done.Series, rate)
		if exact := nearingModels[rate.Name]; exact != nil && len(rate.X) > 0 {
			a, b := nearingExact(rate, exact)
			slow.Series, done.Series = append(slow.Series, a), append(done.Series, b)
		}
	}
	capacity := limit / sweptMean.Seconds()
	done.Levels = []charts.Level{{Name: fmt.Sprintf("capacity %v/s", capacity), Y: capacity}}
	return evidence.Figure{
		Name:  "load",
		Title: "Response time and throughput near the capacity",
		Subtitle: fmt.Sprintf("Exponential tasks of %s on average, Poisson arrivals, limit %d",
			charts.Seconds(sweptMean.Seconds()), limit),
		Caption: []string{
			"An arrow marks a queue that grew during the whole run. Its p99 only depends on the " +
				"length of the run.",
			fmt.Sprintf("Bands: exact, M/M/%d for those that wait and the loss system "+
				"M/M/%d/%d for those that shed; without a bound no task waits.", limit, limit,
				limit),
			m.Medians(loadSweep(Quick, familiar...)),
		},
	}.Planes(slow, done)
}

// In a loss system, accepted tasks do not wait.
var nearingModels = map[string]func(theory.Pool) (*theory.Answer, error){
	pooled:   theory.MMk,
	shedding: func(p theory.Pool) (*theory.Answer, error) { return theory.MMkK(p, 0) },
}

// The curves end at the load at which the queue has no steady state.
func nearingExact(
	beside charts.Series, model func(theory.Pool) (*theory.Answer, error),
) (p99, rate charts.Series) {
	band := func(of func(*theory.Answer) float64) charts.Series {
		return evidence.Exact(beside, evidence.Steps(sweptLoads[0], sweptLoads[len(sweptLoads)-1],
			0.025), func(load float64) float64 {
			mean := sweptMean.Seconds()
			a, err := model(theory.Pool{Rate: load * limit / mean, MeanService: mean,
				Limit: limit})
			if err != nil {
				return math.NaN()
			}
			return of(a)
		})
	}
	return band((*theory.Answer).P99), band(func(a *theory.Answer) float64 { return a.Throughput })
}
