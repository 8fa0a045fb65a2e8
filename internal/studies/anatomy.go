package studies

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/studies/evidence"
	"github.com/poolbench/poolbench/reports/charts"
)

// A strategy meets the claim if, at both loads, the mean wait for the first start is at least half
// of the mean response of the slowest 1 %.
var _ = register(Study{
	Name:     "anatomy",
	Question: "where do the slowest tasks spend their time, close to the capacity and above it?",
	Claim:    "waiting for a slot is most of the p99 above a load of 0.8",
	Count:    [3]int{3, 8, 20},
	Budget:   3 * time.Second,
	Apart:    true,
	Compared: anatomyStrategies,
	With:     each(anatomyCells),
	Decides:  []string{metric.TailBlockedShare, metric.TailQueuedShare},
	Advice: evidence.Sentences{
		Holds:       "look at the queue before the task: more slots, less load, or shed",
		DoesNotHold: "look at the task before the queue",
		Depends: "use `poolbench why` on your own strategy before you change the task or the " +
			"queue",
	},
	Judge: judgeAnatomy,
	Draw:  []drawing{drawAnatomy},
})

var anatomyStrategies = []string{"worker_pool", "bounded_queue_shed", "codel_lifo",
	"shortest_first", "segregated", "partitioned"}

var anatomyLoads = []float64{0.9, 1.3}

func anatomyCell(size Size, name string, load float64) bench.Scenario {
	return scenario(name, "two_class:mean=10ms,r=20", poisson(load),
		bench.Stop{Tasks: [...]int{20_000, 60_000, 200_000}[size], Warmup: 0.2})
}

func anatomyCells(size Size, name string) (cells []bench.Scenario) {
	for _, load := range anatomyLoads {
		cells = append(cells, anatomyCell(size, name, load))
	}
	return cells
}

func waitedForSlot(r evidence.Run) float64 {
	return r(metric.TailBlockedShare) + r(metric.TailQueuedShare)
}

func judgeAnatomy(m *evidence.Measured) decide.Finding {
	r := evidence.Ruling{Of: "strategy and load", Number: "waiting for a slot",
		Format: evidence.Interval.Share}
	for _, name := range anatomyStrategies {
		for _, load := range anatomyLoads {
			waited := evidence.OfMean(m.Numbers(anatomyCell(Quick, name, load), waitedForSlot))
			r.AtLeast(fmt.Sprintf("%s at load %v", name, load), waited, 0.5)
		}
	}
	return r.Find(evidence.Sentences{
		Holds:       "waiting for a slot is at least half of the slowest responses",
		DoesNotHold: "waiting for a slot is less than half of the slowest responses",
		Depends:     "on how the strategy treats waiting tasks",
	}, "whether waiting for a slot is half of the slowest responses")
}

var anatomyParts = []struct{ unit, name string }{{metric.TailBlockedShare, "in Submit"},
	{metric.TailQueuedShare, "queued"}, {metric.TailBetweenShare, "between steps"},
	{metric.TailServiceShare, "service"}}

func drawAnatomy(m *evidence.Measured) evidence.Figure {
	var stacks []charts.Stack
	var mostly []string
	names := slices.Concat(anatomyStrategies, m.Others(anatomyStrategies,
		func(name string) bench.Scenario { return anatomyCell(Quick, name, anatomyLoads[0]) }))
	for _, load := range anatomyLoads {
		for _, name := range names {
			sc := anatomyCell(Quick, name, load)
			if !m.Has(sc) {
				continue
			}
			s := charts.Stack{Name: fmt.Sprintf("%s at %v", name, load)}
			for _, p := range anatomyParts {
				s.Parts = append(s.Parts, m.Mean(sc, p.unit).Mid)
			}
			if s.Parts[0]+s.Parts[1] < 0.5 {
				mostly = append(mostly, s.Name)
			}
			stacks = append(stacks, s)
		}
	}
	title := "The slowest 1 % of the tasks mostly wait for a slot, whatever the strategy"
	if len(mostly) > 0 {
		title = fmt.Sprintf("The slowest 1 %% of the tasks wait for a slot for most of their "+
			"response time, except with %s", strings.Join(mostly, ", "))
	}
	return evidence.Figure{Name: "anatomy", Title: title, Caption: []string{
		"Parts of the response of the slowest 1 % of the tasks, by strategy and load.",
		"Between steps: a task that is split into steps has begun, and waits for its next step."},
	}.Stacks("share of the response", stacks, func(j int) string { return anatomyParts[j].name })
}
