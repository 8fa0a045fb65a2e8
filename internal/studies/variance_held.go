package studies

import (
	"fmt"
	"math"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/studies/evidence"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/charts"
)

// heldPart explains the cost of variance: long tasks occupy slots, and most of the short tasks'
// wait falls on the few that find at most one free slot. It uses the runs of costPart.
var heldPart = variancePart{heldCells, nil, answerHeld}

var heldRs = []float64{5, taxAt, 200}

func heldCells(size Size) (cells []bench.Scenario) {
	for _, r := range heldRs {
		cells = append(cells, costCell(pooled, r))
	}
	return costLengths.of(size, cells)
}

// heldAt returns, by the number j of slots held by long tasks, the share of the short tasks that
// arrive then, and their share of the short tasks' total wait.
func heldAt(m *evidence.Measured, r float64) (found, waiting []float64) {
	sc := costCell(pooled, r)
	of := func(run evidence.Run, j int) float64 {
		w := run(metric.FoundLong(j)) * run(metric.FoundLongWait(j))
		if math.IsNaN(w) { // no task arrived then
			return 0
		}
		return w
	}
	for j := range limit + 1 {
		found = append(found, m.Mean(sc, metric.FoundLong(j)).Mid)
		waiting = append(waiting, evidence.OfMean(m.Of(sc, func(run evidence.Run) float64 {
			total := 0.0
			for k := range limit + 1 {
				total += of(run, k)
			}
			return of(run, j) / total
		})).Mid)
	}
	return found, waiting
}

func drawHeld(m *evidence.Measured) evidence.Figure {
	var stacks []charts.Stack
	for _, r := range heldRs {
		if found, waiting := heldAt(m, r); !math.IsNaN(found[0]) {
			stacks = append(stacks,
				charts.Stack{Name: fmt.Sprintf("R = %v: of the time", r), Parts: found},
				charts.Stack{Name: fmt.Sprintf("R = %v: of the waiting", r), Parts: waiting})
		}
	}
	return evidence.Figure{
		Name: "variance-held",
		Title: fmt.Sprintf("Why: how many of the %d workers are held by long tasks",
			limit),
		Subtitle: fmt.Sprintf("One shared pool, %.0f %% busy; long tasks of R short ones, each "+
			"half of the work", 100*varianceLoad),
		Caption: []string{
			"Of the time: the slots held when a short task is due, which for Poisson arrivals is " +
				"the share of the time (PASTA). Of the waiting: the share of all waiting of " +
				"short tasks that falls on those that arrive then.",
			fmt.Sprintf("Means of %s repetitions.", m.Repetitions(heldCells(Standard))),
		},
	}.Stacks("share of the time, or of short tasks' waiting", stacks,
		func(j int) string { return fmt.Sprintf("%d held", j) })
}

func answerHeld(m *evidence.Measured, f *decide.Finding) {
	found, waiting := heldAt(m, taxAt)
	if !math.IsNaN(found[limit]) {
		f.Add("at R = %v long tasks hold %d or all of the %d slots for %s of the time; %s of all "+
			"waiting of short tasks falls on those that arrive then",
			taxAt, limit-1, limit, text.ShortShare(found[limit-1]+found[limit]),
			text.ShortShare(waiting[limit-1]+waiting[limit]))
	}
}
