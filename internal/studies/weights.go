package studies

import (
	"fmt"
	"math"
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/studies/evidence"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/charts"
)

// weights has tasks of one unit of memory, and one task in ten of several. A weighted semaphore
// serves in order, so a heavy task that waits makes the light tasks behind it wait while some units
// are free. The arrivals need weightsLoad of the units.
//
// The cases are the weights of the heavy tasks. A case meets the claim if the weight in flight
// never exceeds the limit and the p99 wait of light tasks is at most the mean task time. The
// finding also reports a pool with as few workers as are safe: limit divided by the heavy weight.
var _ = register(Study{
	Name:     "weights",
	Question: "what does a limit by weight cost light tasks, and what does one by number risk?",
	Claim:    "weights protect memory, and light tasks do not pay for it",
	Count:    [3]int{3, 8, 20},
	Budget:   3 * time.Second,
	Apart:    true,
	Compared: weightsCompared,
	Cells: func(size Size) (cells []bench.Scenario) {
		for _, name := range weightsCompared {
			cells = append(cells, weightsSweep(size, name)...)
		}
		for _, heavy := range weightsHeavy {
			cells = append(cells, weightsSafe(size, heavy))
		}
		return cells
	},
	With:    each(weightsSweep),
	Decides: []string{metric.LightP99Wait, metric.PeakWeight},
	Advice: evidence.Sentences{
		Holds: "limit by weight where tasks differ in memory",
		DoesNotHold: "keep heavy tasks in a pool of their own: behind them light tasks wait for " +
			"free units",
		Depends: "limit by weight while the heaviest task is a small part of the limit, and keep " +
			"heavier ones in a pool of their own",
	},
	Judge: judgeWeights,
	Draw:  []drawing{drawWeights},
})

const (
	weighing     = "weighted_semaphore"
	weightsLimit = 16
	weightsLoad  = 0.5 // share of the units
	weightsShare = 0.1 // share of heavy tasks
	weightsMean  = 10 * time.Millisecond
)

var weightsCompared = []string{weighing, "semaphore", pooled}

// weightsHeavy are the units of heavy tasks. With 16, a heavy task would need all units, and the
// queue would grow without limit at half the load.
var weightsHeavy = []int{2, 4, 8, 12}

func weightsCell(size Size, name string, heavy int) bench.Scenario {
	sc := scenario(name, fmt.Sprintf("exponential:mean=%v,weights=mixture(%v,1,%v,%d)", weightsMean,
		1-weightsShare, weightsShare, heavy), poisson(0),
		bench.Stop{Tasks: [...]int{20_000, 50_000, 200_000}[size], Warmup: 0.1})
	sc.Limit, sc.Load.PerSecond = weightsLimit, weightsRate(heavy)
	return sc
}

func weightsRate(heavy int) float64 {
	mean := 1 - weightsShare + weightsShare*float64(heavy)
	return math.Round(weightsLoad * weightsLimit / mean / weightsMean.Seconds())
}

func weightsSweep(size Size, name string) (cells []bench.Scenario) {
	for _, heavy := range weightsHeavy {
		cells = append(cells, weightsCell(size, name, heavy))
	}
	return cells
}

func weightsSafe(size Size, heavy int) bench.Scenario {
	sc := weightsCell(size, pooled, heavy)
	sc.Limit = weightsLimit / heavy
	return sc
}

func weightsOf(name string) []bench.Scenario { return weightsSweep(Quick, name) }

func judgeWeights(m *evidence.Measured) decide.Finding {
	var r evidence.Ruling
	mean := weightsMean.Seconds()
	for i, sc := range weightsOf(weighing) {
		// NaN if either metric is missing; a run above the limit never meets the claim
		waits := evidence.OfMean(m.Of(sc, func(of evidence.Run) float64 {
			if of(metric.PeakWeight) > weightsLimit {
				return math.MaxFloat32
			}
			return of(metric.LightP99Wait) + 0*of(metric.PeakWeight)
		}))
		if math.IsNaN(waits.Mid) {
			return evidence.Missing("%s was not measured with a heavy weight of %d", weighing,
				weightsHeavy[i])
		}
		r.AtMost(waits, mean, "%s with heavy tasks of %d units", text.ShortSeconds(waits.Mid),
			weightsHeavy[i])
	}
	is := fmt.Sprintf("%s keeps the weight in flight within %d units, and the p99 of the wait of "+
		"light tasks", weighing, weightsLimit)
	within := fmt.Sprintf("within the mean time of a task, %s", text.Duration(weightsMean))
	f := r.Find(evidence.Sentences{
		Holds: fmt.Sprintf("%s is %s: %s", is, within, evidence.Series(r.So())),
		DoesNotHold: fmt.Sprintf("%s is not %s: %s", is, within,
			evidence.Series(r.Not())),
		Depends: fmt.Sprintf("on the weight of the heavy tasks: %s is %s, %s, but not %s", is,
			within, evidence.Series(r.So()), evidence.Series(r.Not())),
	}, "how long light tasks wait behind heavy ones")
	for i, heavy := range weightsHeavy {
		counted, safe := weightsOf("semaphore")[i], weightsSafe(Quick, heavy)
		if !m.Has(counted) || !m.Has(safe) {
			continue
		}
		f.Add("with heavy tasks of %d units a semaphore of %d slots has up to %s units in flight, "+
			"and its light tasks wait %s (p99); a pool that is as safe has %s, a load of %s, and "+
			"its light tasks wait %s", heavy, weightsLimit,
			text.Short(m.Median(counted, metric.PeakWeight).Mid),
			text.ShortSeconds(m.Median(counted, metric.LightP99Wait).Mid),
			evidence.Counted(float64(safe.Limit), "slot"),
			text.Short(weightsRate(heavy)*mean/float64(safe.Limit)),
			text.ShortSeconds(m.Median(safe, metric.LightP99Wait).Mid))
	}
	for _, name := range m.Others(weightsCompared, func(name string) bench.Scenario {
		return weightsOf(name)[0]
	}) {
		last := weightsOf(name)[len(weightsHeavy)-1]
		f.Add("%s with heavy tasks of %d units: %s units in flight at most, light tasks wait %s "+
			"(p99)", name, weightsHeavy[len(weightsHeavy)-1],
			text.Short(m.Median(last, metric.PeakWeight).Mid),
			text.ShortSeconds(m.Median(last, metric.LightP99Wait).Mid))
	}
	return f
}

func drawWeights(m *evidence.Measured) evidence.Figure {
	x := charts.Axis{Label: "units of a heavy task", Name: "weight", Log: true,
		Marks: []float64{2, 4, 8, 12}}
	wait := evidence.Plane("light tasks", x, charts.Axis{Label: "p99 of the wait",
		Format: charts.Seconds, Reach: []float64{0}})
	peak := evidence.Plane("memory", x, charts.Axis{Label: "most units in flight",
		Reach: []float64{0}})
	for _, cells := range m.Sweeps(weightsCompared, weightsOf) {
		wait.Add(evidence.MedianCurve(m, weightsHeavy, cells, metric.LightP99Wait))
		peak.Add(evidence.MedianCurve(m, weightsHeavy, cells, metric.PeakWeight))
	}
	peak.Levels = []charts.Level{{Name: fmt.Sprintf("limit %d", weightsLimit), Y: weightsLimit}}
	wait.Levels = []charts.Level{{Name: "mean time of a task", Y: weightsMean.Seconds()}}
	return evidence.Figure{
		Name:  "weights",
		Title: "A limit by weight keeps its promise, and light tasks pay for heavy ones",
		Subtitle: fmt.Sprintf("One task in ten is heavy, the others take one unit; limit %d, "+
			"tasks of %s, %s of the units in use on average", weightsLimit,
			text.Duration(weightsMean), text.ShortShare(weightsLoad)),
		Caption: []string{
			"A weighted semaphore serves in order: behind a heavy task that waits for its units, " +
				"light tasks wait for units that are free.",
			m.Medians(weightsOf(weighing)),
		},
	}.Planes(wait, peak)
}
