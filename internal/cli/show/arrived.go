package show

import (
	"fmt"
	"math"
	"strconv"

	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/results"
)

const (
	// arrivedTolerance is the relative difference between the actual and the requested rate above
	// which a note is printed.
	arrivedTolerance = 0.03
	// the relative difference that the recommended longer run should reach
	arrivedNear = 0.02
	// half-width of the 95 % interval in standard deviations
	in95 = 1.96
)

func (g *group) arrived() string {
	if arrived, ok := g.rows[0].Estimate(metric.Offered); ok && g.Open() {
		return ", arrived " + text.Rate(arrived.Mid)
	}
	return ""
}

func (g *group) arrivalNotes() []string {
	asked, err := strconv.ParseFloat(results.Lookup(g.keys, "rate"), 64)
	arrived, ok := g.rows[0].Estimate(metric.Offered)
	if err != nil || !ok || !(asked > 0) || math.Abs(arrived.Mid/asked-1) <= arrivedTolerance {
		return nil
	}
	tasks := float64(g.rows[0].Cell[0].Iters)
	note := fmt.Sprintf("arrived %s instead of %s: ", text.Rate(arrived.Mid),
		text.Rate(asked))
	switch results.Lookup(g.keys, "arrival") {
	case "constant":
		return nil // the difference has another reason than chance
	case "poisson":
		// n arrivals take a time whose relative standard deviation is 1/√n.
		note += fmt.Sprintf("arrivals are random: the rate of %s Poisson arrivals varies by ±%s "+
			"(95 %%); with about %s tasks (--n) it varies by ±%s", text.Rounded(tasks),
			text.Share(in95/math.Sqrt(tasks)), text.Rounded(math.Pow(in95/arrivedNear, 2)),
			text.Share(arrivedNear))
	default:
		note += fmt.Sprintf("arrivals are random, and %s arrivals are too few for a precise "+
			"rate: give more tasks (--n)", text.Rounded(tasks))
	}
	return []string{note}
}
