package studies

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/finding"
	"github.com/poolbench/poolbench/internal/evidence"
	"github.com/poolbench/poolbench/internal/evidence/words"
)

// stepPart measures what a step of partitioned costs on this machine: the same tasks whole, by the
// shared pool, and in steps so short that most of the time is what a step costs beside its work.
// One worker does them, all of which are there from the start: what is counted is a trip through
// the queue and the step's own beginning and end, without the waking of a worker that has nothing
// to do. It has no figure: quantumPart marks it in its.
var stepPart = variancePart{stepCells, nil, answerStep}

const (
	stepTask    = 50 * time.Microsecond
	stepQuantum = 100 * time.Nanosecond
	stepsATask  = float64(stepTask / stepQuantum)
)

// stepSizes are the short tasks for which the cost is put in proportion.
var stepSizes = []time.Duration{time.Millisecond, 100 * time.Microsecond, 10 * time.Microsecond}

func stepCell(strategy string) bench.Scenario {
	sc := only(bench.Scenario{
		Workload: workload(fmt.Sprintf("cpu_average:mean=%v", stepTask))[0],
		Load:     bench.Load{Arrival: arrival("batch")[0]},
		Stop:     bench.Stop{Tasks: 500},
	}, strategy)
	sc.Limit, sc.Clock = 1, bench.Real
	return sc
}

var stepInSteps = fmt.Sprintf("%s:quantum=%v", sequential, stepQuantum)

func stepCells(size Size) []bench.Scenario {
	return lengths{0.6, 1, 5}.of(size, []bench.Scenario{stepCell(pooled), stepCell(stepInSteps)})
}

// stepCost is what a step costs, in seconds, by the fastest repetition of either: what else the
// machine does makes a run longer, and never shorter. NaN where it was not measured, or was
// nothing.
func stepCost(m *evidence.Measured) float64 {
	fastest := func(strategy string) float64 {
		return slices.Min(append(m.Of(stepCell(strategy), func(r evidence.Run) float64 {
			return 1 / r("ops/s")
		}), math.Inf(1)))
	}
	cost := (fastest(stepInSteps) - fastest(pooled)) / stepsATask
	if cost > 0 && !math.IsInf(cost, 0) {
		return cost
	}
	return math.NaN()
}

// stepShares puts a cost in proportion to the short tasks: "0.03 % of 1 ms".
func stepShares(cost float64) (shares []string) {
	for _, size := range stepSizes {
		shares = append(shares, fmt.Sprintf("%s of %s", words.Percent(cost/size.Seconds()),
			words.Span(size)))
	}
	return shares
}

func answerStep(m *evidence.Measured, f *finding.Finding) {
	cost := stepCost(m)
	if !math.IsNaN(cost) {
		f.Add("a step of %s costs %s on this machine, for short tasks %s; at load %v steps below "+
			"%s leave no steady state", sequential, words.Seconds(cost),
			words.Series(stepShares(cost)), varianceLoad, words.Seconds(wall(cost)))
	}
}
