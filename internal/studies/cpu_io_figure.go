package studies

import (
	"fmt"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/evidence"
	"github.com/poolbench/poolbench/internal/evidence/words"
	"github.com/poolbench/poolbench/reports/charts"
	"github.com/poolbench/poolbench/reports/page"
)

func drawCores(m *evidence.Measured) (f page.Figure, err error) {
	limits := evidence.Log("limit: slots in all", nil, 2, 4, 8, 16)
	limits.Name = "limit"
	many := limits
	many.Marks = []float64{4, 8, 16, 32}
	waits := evidence.Plane("Waiting tasks, beside computing ones: p99", limits,
		evidence.Log("p99 response", words.Seconds))
	kinds := evidence.Plane("Real tasks of either kind: response", limits,
		evidence.Log("mean response of the waiting tasks", words.Seconds))
	whole := evidence.Plane("Throughput on real cores", many,
		evidence.Log("tasks completed a second", words.Short))
	curve := func(style int, label, unit, name string, limits []int,
		at func(Size, string, int) bench.Scenario) charts.Series {
		var cells []bench.Scenario
		for _, k := range limits {
			cells = append(cells, at(Quick, name, k))
		}
		return evidence.Curve(charts.Series{Name: label, Style: style}, limits, cells,
			m.MedianOf(unit))
	}
	waits.Series = []charts.Series{
		curve(0, "one pool", callTail, pooled, coreLimits, apartCell),
		curve(1, "separate pools", callTail, coreSplit, coreLimits[1:], apartCell)}
	if len(waits.Series[0].X)+len(waits.Series[1].X) > 0 {
		waits.Series = append(waits.Series, evidence.Exact(waits.Series[1],
			words.Floats(coreLimits[1:]), func(k float64) float64 {
				return laneTail(callPlaces/calling.Seconds(), calling, int(k)-coreLane)
			}))
	}
	for i, name := range append([]string{pooled}, realSplits...) {
		pools := []string{"one pool", "separate pools", "separate pools, a core left"}[i]
		kinds.Series = append(kinds.Series,
			curve(i, pools, waitMean, name, kindLimits, kindCell))
		whole.Series = append(whole.Series, curve(i, pools, "ops/s", name, kindLimits, kindCell))
		if i < 2 {
			whole.Series = append(whole.Series,
				curve(i+3, pools+", tasks that do both", "ops/s", name, wholeLimits, wholeCell))
		}
	}
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
	}.Planes(waits, kinds, whole)
}
