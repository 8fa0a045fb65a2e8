package studies

import (
	"fmt"
	"math"
	"strings"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/reports"
	"github.com/poolbench/poolbench/reports/charts"
)

// heldPart says why variance costs what it does: each long task takes a place away for as long as it runs, and most of the wait of the
// short ones is of the few who find at most one place left. Its runs are the headline's, of the shared pool.
var heldPart = variancePart{heldCells, nil, drawHeld, answerHeld}

var heldRs = []float64{5, taxAt, 200}

func heldCells(size Size) (cells []bench.Scenario) {
	for _, r := range heldRs {
		cells = append(cells, costCell(pooled, r))
	}
	return costLengths.of(size, cells)
}

// heldAt are the share of the short tasks that find so many places held by long ones, and their share of all waiting of short tasks.
func heldAt(m *measured, r float64) (found, waiting []float64) {
	cell := []bench.Scenario{costCell(pooled, r)}
	for j := range limit + 1 {
		share := fmt.Sprintf("found-%d-long/op", j)
		found = append(found, ofMean(m.values(cell[0], share)).mid)
		waiting = append(waiting, ofMean(m.each(cell, func(value func(int, string) float64) float64 {
			total := 0.0
			of := func(j int) float64 {
				w := value(0, fmt.Sprintf("found-%d-long/op", j)) * value(0, fmt.Sprintf("found-%d-long-wait-sec", j))
				if math.IsNaN(w) { // nobody found so many
					return 0
				}
				return w
			}
			for k := range limit + 1 {
				total += of(k)
			}
			return of(j) / total
		})).mid)
	}
	return found, waiting
}

func drawHeld(m *measured) (f reports.Figure, err error) {
	var stacks []charts.Stack
	for _, r := range heldRs {
		if found, waiting := heldAt(m, r); !math.IsNaN(found[0]) {
			stacks = append(stacks,
				charts.Stack{Name: fmt.Sprintf("R = %v: of the time", r), Parts: found},
				charts.Stack{Name: fmt.Sprintf("R = %v: of the waiting", r), Parts: waiting})
		}
	}
	if len(stacks) == 0 {
		return f, &charts.EmptyError{Chart: "held"}
	}
	c, err := charts.Stacks(fmt.Sprintf("Why: how many of the %d workers are held by long tasks", limit), "share of the time, or of short tasks' waiting",
		stacks, func(j int) string { return fmt.Sprintf("%d held", j) })
	if err != nil {
		return f, err
	}
	c.Subtitle = fmt.Sprintf("One shared pool, %.0f %% busy; long tasks of R short ones, each half of the work", 100*varianceLoad)
	return reports.Figure{Name: "variance-held", Chart: c, Caption: strings.Join([]string{
		"Of the time is what short tasks find when they are due, which for Poisson arrivals is the share of the time (PASTA); of the waiting is how much of all their waiting is of those who find it so.",
		fmt.Sprintf("The means of %s repetitions.", m.repetitions(heldCells(Standard))),
	}, " ")}, nil
}

func answerHeld(m *measured) []string {
	found, waiting := heldAt(m, taxAt)
	if math.IsNaN(found[limit]) {
		return nil
	}
	return []string{fmt.Sprintf("at R = %v long tasks hold %d of the %d places, or all, %s of the time, and %s of all the waiting of short tasks is of those who find that",
		taxAt, limit-1, limit, percent(found[limit-1]+found[limit]), percent(waiting[limit-1]+waiting[limit]))}
}
