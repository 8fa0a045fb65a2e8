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

// A weighted semaphore serves in order, so a heavy task that waits makes the light tasks behind it
// wait while some units are free. A case is a weight of the heavy tasks. It meets the claim if the
// weight in flight never exceeds the limit and the p99 wait of light tasks is at most the mean task
// time.
var _ = register(Study{
	Name: "weights",
	Question: "how much does a limit by weight delay light tasks, and how much weight does a " +
		"limit by number admit?",
	Claim:    "weights protect memory, and do not delay light tasks",
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
		Holds: "limit by weight if tasks need different amounts of memory",
		DoesNotHold: "keep heavy tasks in a separate pool: light tasks wait behind them although " +
			"units are free",
		Depends: "limit by weight if the heaviest task is a small part of the limit, and keep " +
			"heavier tasks in a separate pool",
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
	// a wait, in seconds, that no run has
	weightsExceeded = 1e9
)

var weightsCompared = []string{weighing, "semaphore", pooled}

// With 16, a heavy task would need all units, and the queue would grow without limit.
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
	r := evidence.Ruling{Of: "units of a heavy task", More: []string{"semaphore: peak units",
		"p99 wait", "safe pool: slots", "p99 wait"}, Number: "by weight: p99 wait",
		Format: func(in evidence.Interval) string {
			if in.Mid >= weightsExceeded {
				return "over the limit"
			}
			return text.ShortSeconds(in.Mid)
		}}
	for i, sc := range weightsOf(weighing) {
		// NaN if either metric is missing; a run above the limit never meets the claim
		waits := evidence.OfMean(m.Numbers(sc, func(of evidence.Run) float64 {
			if of(metric.PeakWeight) > weightsLimit {
				return math.MaxFloat32 // its mean is above weightsExceeded
			}
			return of(metric.LightP99Wait) + 0*of(metric.PeakWeight)
		}))
		counted, safe := weightsOf("semaphore")[i], weightsSafe(Quick, weightsHeavy[i])
		r.AtMost(fmt.Sprintf("%d units", weightsHeavy[i]), waits, weightsMean.Seconds(),
			m.MedianText(counted, metric.PeakWeight, text.Short),
			m.MedianText(counted, metric.LightP99Wait, text.ShortSeconds), fmt.Sprint(safe.Limit),
			m.MedianText(safe, metric.LightP99Wait, text.ShortSeconds))
	}
	is := fmt.Sprintf("%s keeps the weight in flight within %d units, and the p99 wait of light "+
		"tasks is ", weighing, weightsLimit)
	within := "within the mean time of a task, " + text.Duration(weightsMean)
	return r.Find(evidence.Sentences{
		Holds:       is + within,
		DoesNotHold: is + "not " + within,
		Depends:     "on the weight of the heavy tasks",
	}, "how long light tasks wait behind heavy ones")
}

func drawWeights(m *evidence.Measured) evidence.Figure {
	x := charts.Axis{Label: "units of a heavy task", Name: "weight", Log: true,
		Marks: []float64{2, 4, 8, 12}}
	wait := evidence.Plane("light tasks", x, charts.Axis{Label: "p99 of the wait",
		Format: charts.Seconds, Reach: []float64{0}})
	peak := evidence.Plane("memory", x, charts.Axis{Label: "largest number of units in flight",
		Reach: []float64{0}})
	for _, cells := range m.Sweeps(weightsCompared, weightsOf) {
		wait.Add(evidence.MedianCurve(m, weightsHeavy, cells, metric.LightP99Wait))
		peak.Add(evidence.MedianCurve(m, weightsHeavy, cells, metric.PeakWeight))
	}
	peak.Levels = []charts.Level{{Name: fmt.Sprintf("limit %d", weightsLimit), Y: weightsLimit}}
	wait.Levels = []charts.Level{{Name: "mean time of a task", Y: weightsMean.Seconds()}}
	return evidence.Figure{
		Name:  "weights",
		Title: "A limit by weight protects memory, and light tasks wait behind heavy tasks",
		Subtitle: fmt.Sprintf("One task in ten is heavy, the others take one unit; limit %d, "+
			"tasks of %s, %s of the units in use on average", weightsLimit,
			text.Duration(weightsMean), text.ShortShare(weightsLoad)),
		Caption: []string{
			"A weighted semaphore starts tasks in order: light tasks wait behind a heavy task " +
				"until enough units are free for it.",
			m.Medians(weightsOf(weighing)),
		},
	}.Planes(wait, peak)
}
