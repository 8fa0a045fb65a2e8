package studies

import (
	"fmt"
	"math"
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/dist"
	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/studies/evidence"
	"github.com/poolbench/poolbench/reports/charts"
)

// judgeCost documents the rule of the verdict.
var _ = register(Study{
	Name:     "variance",
	Question: "how much does variance of the task times cost, and which strategy avoids this cost?",
	Claim: "partitioning long tasks, or a pool for each class, avoids the cost of variance in a " +
		"shared pool",
	Count:  [3]int{3, 5, 20},
	Budget: 16 * time.Second,
	Cells: func(size Size) (cells []bench.Scenario) {
		for _, p := range varianceParts {
			cells = append(cells, p.cells(size)...)
		}
		return cells
	},
	With: func(size Size, of ...string) (cells []bench.Scenario) {
		for _, p := range varianceParts {
			if p.with != nil {
				cells = append(cells, p.with(size, of...)...)
			}
		}
		return cells
	},
	Decides: []string{metric.ShortP99Response, metric.MeanSlowdown},
	Advice: evidence.Sentences{
		Holds:       "split long tasks, or give them a separate pool",
		DoesNotHold: "keep one pool: splitting and separating tasks do not help",
		Depends: "test splitting and separating with your own tasks: they help only for some " +
			"lengths and metrics",
	},
	Judge: func(m *evidence.Measured) decide.Finding {
		f := judgeCost(m)
		for _, p := range varianceParts {
			p.answer(m, &f)
		}
		return f
	},
	Draw: []drawing{drawCost, drawCapacity, drawQuantum, drawLoop, drawMachine},
})

// answer uses only the scenarios that were run.
type variancePart struct {
	cells func(Size) []bench.Scenario
	// scenarios of further strategies; nil: none
	with   func(size Size, strategies ...string) []bench.Scenario
	answer func(*evidence.Measured, *decide.Finding)
}

var varianceParts = []variancePart{costPart, capacityPart, quantumPart, stepPart,
	loopPart, machinePart}

type lengths [3]float64

func (l lengths) scale(size Size, cells []bench.Scenario) []bench.Scenario {
	for i := range cells {
		cells[i].Stop.Tasks = int(math.Round(float64(cells[i].Stop.Tasks) * l[size]))
	}
	return cells
}

const varianceLoad = 0.8

// The relative error of the p99 response over n tasks is proportional to √((1+C²)/n)/(1−ρ), so n
// grows with 1+C². most limits the run time, at the cost of wider intervals.
func tasksFor(base int, c2 float64, most int) bench.Stop {
	n := min(max(4*base, base*int(math.Ceil(1+c2))), most)
	return bench.Stop{Tasks: n, Warmup: 0.1}
}

func varianceScenario(name, work string, load bench.Load, stop bench.Stop) bench.Scenario {
	sc := scenario(name, work, load, stop)
	if sc.Strategy.Spec.UsesQueue && !sc.Strategy.Spec.Sheds {
		sc.Queue = room
	}
	return sc
}

// Short tasks of one unit and long ones of r units are each half of the work.
func twoClassWork(r float64) string {
	mean := time.Duration(math.Round(2 * r / (1 + r) * float64(unit)))
	return fmt.Sprintf("two_class:mean=%s,r=%v", dist.FormatDuration(mean), r)
}

func halvesC2(r float64) float64 { return (r - 1) * (r - 1) / (4 * r) }

func c2Axis(label string) charts.Axis { return evidence.LogZero("C²", label, varianceC2) }
