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

func drawCores(m *measured) ([]reports.Figure, error) {
	limits := charts.Axis{Label: "limit: places in all (log scale)", Log: true, Marks: []float64{2, 4, 8, 16}, Name: "limit"}
	waits := charts.Plane{Panel: charts.Panel{Title: "Waiting tasks, beside computing ones: p99"}, X: limits, Y: charts.Axis{Label: "p99 response (log scale)", Log: true, Format: evilTime}}
	for i, name := range []string{pooled, coreSplit} {
		s := charts.Series{Name: []string{"one pool", "separate pools"}[i], Style: i}
		for _, k := range coreLimits {
			if k <= coreLane && name == coreSplit {
				continue
			}
			if in := ofMedian(m.values(apartCell(Quick, name, k), callTail)); !math.IsNaN(in.mid) {
				add(&s, float64(k), in)
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
	kinds := charts.Plane{Panel: charts.Panel{Title: "Real tasks of either kind: response"}, X: limits, Y: charts.Axis{Label: "mean response of the waiting tasks (log scale)", Log: true, Format: evilTime}}
	whole := charts.Plane{Panel: charts.Panel{Title: "Throughput on real cores"}, X: limits, Y: charts.Axis{Label: "tasks completed a second (log scale)", Log: true, Format: short}}
	whole.X.Marks = []float64{4, 8, 16, 32}
	for i, name := range append([]string{pooled}, realSplits...) {
		pools := []string{"one pool", "separate pools", "separate pools, a core left"}[i]
		curve := func(style int, label, unit string, limits []int, at func(Size, string, int) bench.Scenario) (s charts.Series) {
			s.Name, s.Style = label, style
			for _, k := range limits {
				if in := ofMedian(m.values(at(Quick, name, k), unit)); !math.IsNaN(in.mid) {
					add(&s, float64(k), in)
				}
			}
			return s
		}
		kinds.Series = append(kinds.Series, curve(i, pools, waitMean, kindLimits, kindCell))
		whole.Series = append(whole.Series, curve(i, pools, "ops/s", kindLimits, kindCell))
		if i < 2 {
			whole.Series = append(whole.Series, curve(i+3, pools+", tasks that do both", "ops/s", wholeLimits, wholeCell))
		}
	}
	planes := []charts.Plane{waits, kinds, whole}
	shown := false
	for i := range planes {
		planes[i].Series = slices.DeleteFunc(planes[i].Series, func(s charts.Series) bool { return len(s.X) == 0 })
		shown = shown || len(planes[i].Series) > 0
	}
	if !shown {
		return nil, &charts.EmptyError{Chart: "cpu_io"}
	}
	c, err := charts.Planes("Computing and waiting: one pool or two", planes)
	if err != nil {
		return nil, err
	}
	c.Subtitle = fmt.Sprintf("Left: computations of %v keep %d cores %s busy, calls of %v keep %v places busy", computing, coreLane, percent(coreBusy), calling, callPlaces)
	return []reports.Figure{{Name: "cpu_io", Chart: c, Caption: strings.Join([]string{
		fmt.Sprintf("Left, virtual clock: separate pools are %d places for the computing tasks and the rest for the others; exact is M/D/k. One pool is given a core for each place, more than there are, which favours it.", coreLane),
		"Middle and right, real clock: each second task computes for 1 ms and the others wait for 2. Tasks that do both compute for 1 ms and then wait for 9, and separate pools have all of it in the one for computations.",
		fmt.Sprintf("Of the separate pools %d places compute, or %d: where all cores compute, whoever wakes up stands behind a computation, in whatever pool.", realPlaces[0], realPlaces[1]),
		fmt.Sprintf("Medians of %s repetitions, with the interval of order statistics.", m.repetitions([]bench.Scenario{apartCell(Quick, pooled, coreLimits[1])})),
	}, " ")}}, nil
}
