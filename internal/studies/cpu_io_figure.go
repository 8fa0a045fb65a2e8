package studies

import (
	"fmt"
	"math"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/evidence"
	"github.com/poolbench/poolbench/internal/evidence/words"
	"github.com/poolbench/poolbench/reports/charts"
	"github.com/poolbench/poolbench/reports/page"
)

func drawCores(m *evidence.Measured) (f page.Figure, err error) {
	limits := charts.Axis{Label: "limit: slots in all (log scale)", Log: true,
		Marks: []float64{2, 4, 8, 16}, Name: "limit"}
	waits := charts.Plane{Panel: charts.Panel{Title: "Waiting tasks, beside computing ones: p99"},
		X: limits, Y: charts.Axis{Label: "p99 response (log scale)", Log: true,
			Format: words.Seconds}}
	for i, name := range []string{pooled, coreSplit} {
		s := charts.Series{Name: []string{"one pool", "separate pools"}[i], Style: i}
		for _, k := range coreLimits {
			if k <= coreLane && name == coreSplit {
				continue
			}
			if in := evidence.OfMedian(m.Values(apartCell(Quick, name, k),
				callTail)); !math.IsNaN(in.Mid) {
				evidence.AddPoint(&s, float64(k), in)
			}
		}
		if len(s.X) > 0 {
			waits.Series = append(waits.Series, s)
		}
	}
	if len(waits.Series) > 0 {
		s := charts.Series{Name: "separate pools", Style: 1, Theory: true}
		for _, k := range coreLimits {
			if k <= coreLane {
				continue
			}
			if t := laneTail(callPlaces/calling.Seconds(), calling, k-coreLane); !math.IsNaN(t) {
				s.X, s.Y = append(s.X, float64(k)), append(s.Y, t)
			}
		}
		waits.Series = append(waits.Series, s)
	}
	kinds := charts.Plane{Panel: charts.Panel{Title: "Real tasks of either kind: response"},
		X: limits, Y: charts.Axis{Label: "mean response of the waiting tasks (log scale)",
			Log: true, Format: words.Seconds}}
	whole := charts.Plane{Panel: charts.Panel{Title: "Throughput on real cores"}, X: limits,
		Y: charts.Axis{Label: "tasks completed a second (log scale)", Log: true,
			Format: words.Short}}
	whole.X.Marks = []float64{4, 8, 16, 32}
	for i, name := range append([]string{pooled}, realSplits...) {
		pools := []string{"one pool", "separate pools", "separate pools, a core left"}[i]
		curve := func(style int, label, unit string, limits []int,
			at func(Size, string, int) bench.Scenario) (s charts.Series) {
			s.Name, s.Style = label, style
			for _, k := range limits {
				if in := evidence.OfMedian(m.Values(at(Quick, name, k),
					unit)); !math.IsNaN(in.Mid) {
					evidence.AddPoint(&s, float64(k), in)
				}
			}
			return s
		}
		kinds.Series = append(kinds.Series, curve(i, pools, waitMean, kindLimits, kindCell))
		whole.Series = append(whole.Series, curve(i, pools, "ops/s", kindLimits, kindCell))
		if i < 2 {
			whole.Series = append(whole.Series,
				curve(i+3, pools+", tasks that do both", "ops/s", wholeLimits, wholeCell))
		}
	}
	planes := []charts.Plane{waits, kinds, whole}
	return evidence.Figure{
		Name:  "cpu_io",
		Title: "Computing and waiting: one pool or two",
		Subtitle: fmt.Sprintf("Left: computations of %s keep %d cores %s busy, calls of %s "+
			"keep %v slots busy",
			words.Span(computing), coreLane, words.Percent(coreBusy), words.Span(calling),
			callPlaces),
		Caption: []string{
			fmt.Sprintf("Left, virtual clock: separate pools are %d slots for the computing "+
				"tasks and the rest for the others; exact is M/D/k. Each slot of the one pool "+
				"gets a core, which favours it.", coreLane),
			"Middle and right, real clock: every second task computes for 1 ms, the others " +
				"wait for 2 ms. Tasks that do both compute for 1 ms and then wait for 9 ms, " +
				"all of it in the separate pool for computations.",
			fmt.Sprintf("The separate pools have %d slots to compute, or %d: where all cores "+
				"compute, a task that wakes up waits for one, in whatever pool.",
				realPlaces[0], realPlaces[1]),
			m.Medians([]bench.Scenario{apartCell(Quick, pooled, coreLimits[1])}),
		},
	}.Planes(planes...)
}
