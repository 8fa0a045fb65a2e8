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

// A case is a load. Below the capacity, it meets the claim if earliest_deadline misses no more
// deadlines than any other order. Above the capacity, earliest_deadline must miss at least nine in
// ten.
var _ = register(Study{
	Name:     "deadlines",
	Question: "which order of tasks misses the fewest deadlines?",
	Claim: "earliest deadline first misses the fewest deadlines below the capacity, and " +
		"nearly all above it",
	Count:    [3]int{3, 5, 10},
	Budget:   4 * time.Second,
	Apart:    true,
	Compared: orders,
	With:     each(dueSweep),
	Decides:  []string{missed},
	Advice: evidence.Sentences{
		Holds:       "serve the earliest deadline first, and shed before you are overloaded",
		DoesNotHold: "the order makes no difference to the number of missed deadlines",
		Depends: "serve the earliest deadline first well below the capacity; near it and above, " +
			"give up late tasks",
	},
	Judge: judgeDue,
	Draw:  []drawing{drawDue},
})

const (
	earliest  = "earliest_deadline"
	missed    = metric.Missed
	missedAll = 0.9 // share of missed deadlines that counts as all
)

var (
	orders   = []string{pooled, earliest, "shortest_first", "codel_lifo"}
	dueLoads = []float64{0.7, 0.8, 0.9, 0.95, 1.05, 1.2}
)

func dueSweep(size Size, name string) (cells []bench.Scenario) {
	for _, load := range dueLoads {
		cells = append(cells, scenario(name, "deadlines", poisson(load),
			bench.Stop{Tasks: [...]int{20_000, 100_000, 500_000}[size], Warmup: 0.1}))
	}
	return cells
}

func dueOf(name string) []bench.Scenario { return dueSweep(Quick, name) }

func judgeDue(m *evidence.Measured) decide.Finding {
	r := evidence.Ruling{Of: "load", More: []string{earliest + " misses", "best other order",
		"misses"}}
	first := dueOf(earliest)
	for i, load := range dueLoads {
		own := m.Mean(first[i], missed)
		best, of := evidence.Interval{Mid: math.Inf(1)}, ""
		for _, name := range orders {
			if name == earliest {
				continue
			}
			if mean := m.Mean(dueOf(name)[i], missed); math.IsNaN(mean.Mid + own.Mid) {
				return evidence.Missing("%s or %s was not measured at load %v", earliest, name, load)
			} else if mean.Mid < best.Mid {
				best, of = mean, name
			}
		}
		name := fmt.Sprintf("load %v", load)
		more := []string{evidence.Short(own, text.ShortShare), of,
			evidence.Short(best, text.ShortShare)}
		if load > 1 {
			r.AtLeast(name, own, missedAll, more...)
			continue
		}
		r.AtMost(name, evidence.OfMean(m.Pairs(first[i], dueOf(of)[i],
			func(a, b evidence.Run) float64 { return a(missed) - b(missed) })), 0, more...)
	}
	return r.Find(evidence.Sentences{
		Holds: "below the capacity the earliest deadline first misses no more deadlines than any " +
			"other order, and above it nearly all",
		DoesNotHold: "below the capacity another order misses fewer deadlines than the earliest " +
			"deadline first, and above it that does not miss nearly all",
		Depends: "on the load",
	}, "whether the earliest deadline first misses the fewest")
}

func drawDue(m *evidence.Measured) evidence.Figure {
	x := charts.Axis{Label: "load (1 is the capacity)", Name: "load", Marks: dueLoads}
	lost := evidence.Plane("deadlines missed", x, shares("share of the tasks", 0, 1))
	slow := evidence.Plane("maximum lateness", x, responses("of those completed"))
	for _, cells := range m.Sweeps(orders, dueOf) {
		lost.Add(evidence.MedianCurve(m, dueLoads, cells, missed))
		slow.Add(evidence.MedianCurve(m, dueLoads, cells, metric.MaxLateness))
	}
	return evidence.Figure{
		Name:  "deadlines",
		Title: "Deadlines missed, by the order in which tasks are served",
		Subtitle: fmt.Sprintf("Exponential tasks of 10 ms; each has a deadline of its own time "+
			"plus a slack of 50 ms on average; limit %d", limit),
		Caption: []string{
			"Earliest deadline first serves late tasks first. When all tasks are late, all stay " +
				"late.",
			m.Medians(dueOf(pooled)),
		},
	}.Planes(lost, slow)
}
