package studies

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/reports"
	"github.com/poolbench/poolbench/reports/charts"
)

// evilSeries has the median p99 of the good tasks over the number of endless ones.
func evilSeries(name string, style int, runs []evilRun) (s charts.Series) {
	by := map[int][]float64{}
	var counts []int
	for _, r := range runs {
		if !slices.Contains(counts, r.endless) {
			counts = append(counts, r.endless)
		}
		by[r.endless] = append(by[r.endless], r.p99)
	}
	slices.Sort(counts)
	s.Name, s.Style = name, style
	for _, n := range counts {
		if v := ofMedian(by[n]).mid; !math.IsNaN(v) {
			s.X, s.Y = append(s.X, float64(n)), append(s.Y, v)
		}
	}
	return s
}

func drawEvil(m *measured) ([]reports.Figure, error) {
	y := charts.Axis{Label: "p99 response of the good tasks (log scale)", Log: true, Format: evilTime, Marks: []float64{0.01, 0.1, 1, 10, 100, 3600}, Reach: []float64{0.015, 20_000}}
	count := charts.Axis{Label: "endless tasks in the run", Marks: []float64{0, 2, 4, 6, 8, 10, 12}, Name: "endless"}
	unknown := charts.Plane{Panel: charts.Panel{Title: "Nobody can tell, no timeout"}, X: count, Y: y}
	timed := charts.Plane{Panel: charts.Panel{Title: "Cut off by a timeout"}, X: charts.Axis{Label: "share of the places' time asked for", Format: percent, Marks: []float64{0.5, 0.75, 1, 1.25}}, Y: y}
	known := charts.Plane{Panel: charts.Panel{Title: "Labelled, or in steps"}, X: count, Y: y}
	names := m.others(append(slices.Clone(evilPools), "unbounded", shedding), func(name string) bench.Scenario { return evilUnknown(name)[0] })
	for i, name := range slices.Concat([]string{"worker_pool", evilPools[3], "unbounded"}, names) {
		unknown.Series = append(unknown.Series, evilSeries(name, i, evilRuns(m, evilUnknown(name), evilUnknown("unbounded"))))
	}
	for i, timeout := range evilTimeouts {
		s := charts.Series{Name: fmt.Sprintf("worker_pool, %v", timeout), Style: 5 + i}
		for _, busy := range evilBusy {
			if in := ofMedian(m.values(evilTimed(timeout, busy), "p99-response-sec")); !math.IsNaN(in.mid) {
				add(&s, busy, in)
			}
		}
		timed.Series = append(timed.Series, s)
	}
	for i, name := range evilKeepers {
		style := []int{0, 3, 4}[i]
		known.Series = append(known.Series, evilSeries(strings.Split(name, ":")[0], style, evilKnownRuns(m, name)))
	}
	planes := []charts.Plane{unknown, timed, known}
	shown := false
	for i := range planes {
		planes[i].Series = slices.DeleteFunc(planes[i].Series, func(s charts.Series) bool { return len(s.X) == 0 })
		shown = shown || len(planes[i].Series) > 0
	}
	if !shown {
		return nil, &charts.EmptyError{Chart: "evil"}
	}
	c, err := charts.Planes(fmt.Sprintf("Endless tasks in a pool of %d places", limit), planes)
	if err != nil {
		return nil, err
	}
	c.Subtitle = fmt.Sprintf("%d tasks, of which the good ones take %v in the mean and alone keep the pool %s busy", evilTasks, evilGood, percent(evilLoad))
	return []reports.Figure{{Name: "evil", Chart: c, Caption: strings.Join([]string{
		fmt.Sprintf("Left: a timeout of an hour, which is none; segregated and partitioned, which know nothing of these tasks either, are as worker_pool. From %.2g endless tasks on what is left of the pool is overloaded, from %d on nothing is left.",
			limit*(1-evilLoad), limit),
		"Middle: as many endless tasks as ask, until they are cut off, for that share of the places' time together with the good ones; above 100 % every pool is overloaded.",
		fmt.Sprintf("Right: tasks of %v, labelled as long for segregated (one place for them) and left every 10 ms by partitioned.", evilLong),
		fmt.Sprintf("Medians, left and right of the runs with so many endless tasks, in the middle with the interval of order statistics; %s repetitions.", m.repetitions(evilUnknown("worker_pool"))),
	}, " ")}}, nil
}
