package studies

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/evidence"
	"github.com/poolbench/poolbench/internal/evidence/words"
	"github.com/poolbench/poolbench/reports/charts"
	"github.com/poolbench/poolbench/reports/page"
)

// evilSeries has the median p99 of the good tasks over the number of endless ones.
func evilSeries(name string, style int, runs []evilRun) (s charts.Series) {
	by := map[int][]float64{}
	for _, r := range runs {
		by[r.endless] = append(by[r.endless], r.p99)
	}
	s.Name, s.Style = name, style
	for _, n := range slices.Sorted(maps.Keys(by)) {
		if v := evidence.OfMedian(by[n]).Mid; !math.IsNaN(v) {
			s.X, s.Y = append(s.X, float64(n)), append(s.Y, v)
		}
	}
	return s
}

func drawEvil(m *evidence.Measured) (f page.Figure, err error) {
	y := evidence.Log("p99 response of the good tasks", words.Seconds, 0.01, 0.1, 1, 10, 100, 3600)
	y.Reach = []float64{0.015, 20_000}
	count := charts.Axis{Label: "endless tasks in the run", Marks: []float64{0, 2, 4, 6, 8, 10, 12},
		Name: "endless"}
	unknown := evidence.Plane("Nobody can tell, no timeout", count, y)
	timed := evidence.Plane("Cut off by a timeout", charts.Axis{
		Label: "load of all tasks together", Marks: []float64{0.5, 0.75, 1, 1.25}}, y)
	known := evidence.Plane("Labelled, or in steps", count, y)
	names := m.Others(append(slices.Clone(evilPools), free, shedding),
		func(name string) bench.Scenario {
			return evilUnknown(name)[0]
		})
	for i, name := range slices.Concat([]string{"worker_pool", evilPools[3], free}, names) {
		unknown.Series = append(unknown.Series,
			evilSeries(name, i, evilRuns(m, evilUnknown(name), evilUnknown(free))))
	}
	for i, timeout := range evilTimeouts {
		s := charts.Series{Name: fmt.Sprintf("worker_pool, %v", timeout), Style: 5 + i}
		timed.Series = append(timed.Series,
			evidence.Curve(s, evilBusy, evilCutOff(timeout), m.MedianOf(p99Response)))
	}
	for i, name := range evilKeepers {
		style := []int{0, 3, 4}[i]
		known.Series = append(known.Series,
			evilSeries(strings.Split(name, ":")[0], style, evilKnownRuns(m, name)))
	}
	return evidence.Figure{
		Name:  "evil",
		Title: fmt.Sprintf("Endless tasks in a pool of %d slots", limit),
		Subtitle: fmt.Sprintf("%d tasks, of which the good ones take %s in the mean and alone "+
			"keep the pool %s busy",
			evilTasks, words.Span(evilGood), words.Percent(evilLoad)),
		Caption: []string{
			fmt.Sprintf("Left: the timeout is an hour, longer than any run; segregated and "+
				"partitioned do as worker_pool and are not drawn. From %.2g endless tasks on "+
				"the slots that are left are overloaded, from %d on none is left.",
				limit*(1-evilLoad), limit),
			"Middle: endless tasks are cut off by the timeout; above a load of 1 every pool is " +
				"overloaded.",
			fmt.Sprintf("Right: tasks of %s, labelled as long: segregated keeps one slot for "+
				"them, partitioned leaves them every 10 ms.", words.Span(evilLong)),
			m.Medians(evilUnknown("worker_pool")),
			"Left and right, points are medians of all runs with so many endless tasks.",
		},
	}.Planes(unknown, timed, known)
}
