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

func drawMachine(m *measured) (f reports.Figure, err error) {
	names := []string{pooled, sequential, separate}
	var panels []charts.RowPanel
	for _, c := range machineCases {
		none := ofMean(nil).row()
		series := []charts.RowSeries{
			{Name: "virtual clock, at the planned load", Style: 0},
			{Name: "virtual clock, at the machine's load", Style: 1},
			{Name: "this machine", Style: 2},
		}
		any := false
		for i := range names {
			row := []charts.RowValue{none, none, none}
			if i < len(c.strategies) && m.has(c.real(c.strategies[i])) {
				s := c.of(m, c.strategies[i])
				row = []charts.RowValue{s.planned.row(), s.same.row(), s.machine.row()}
				any = any || !math.IsNaN(s.machine.mid)
			}
			for j := range series {
				series[j].Values = append(series[j].Values, row[j])
			}
		}
		if any {
			panels = append(panels, charts.RowPanel{Title: c.title, X: charts.Axis{Label: "mean slowdown (log scale)", Log: true, Format: short}, Series: series})
		}
	}
	if len(panels) == 0 {
		return f, &charts.EmptyError{Chart: "machine"}
	}
	if len(panels) == 1 {
		names = names[:2] // without classes a pool for each is the shared one
		for i := range panels[0].Series {
			panels[0].Series[i].Values = panels[0].Series[i].Values[:2]
		}
	}
	c, err := charts.Rows("On a machine: what of it survives, and what the scheduler adds", names, panels)
	if err != nil {
		return f, err
	}
	c.Subtitle = fmt.Sprintf("%d workers that compute, under the real clock, beside tasks of the same sizes that wait under the virtual one", machinePlaces)
	return reports.Figure{Name: "variance-machine", Chart: c, Caption: strings.Join([]string{
		"From the first to the second marker is what the machine adds by making the same work longer, so that the load is higher; from the second to the third, what its scheduler adds, and what else ran.",
		fmt.Sprintf("Planned were loads of %v and %v. Partitioned is in steps of 200 µs. Runs that were INVALID are left out, and those in which the load was %v or more: they had no steady state; of less than %d others nothing is drawn.",
			machineCases[0].load, machineCases[1].load, fullMachine, leastSteady),
		fmt.Sprintf("The median of %s repetitions and its 95 %% interval by order statistics; of five or less, the least and the most.", m.repetitions(machineReal())),
	}, " ")}, nil
}

// machineReal are the runs under the real clock.
func machineReal() []bench.Scenario {
	return slices.DeleteFunc(machineCells(Standard), func(sc bench.Scenario) bool { return sc.Clock != bench.Real })
}

func answerMachine(m *measured) (lines []string) {
	for _, c := range machineCases {
		for _, strategy := range c.strategies {
			s := c.of(m, strategy)
			if s.steady < s.all {
				lines = append(lines, fmt.Sprintf("on this machine, %s: in %d of %d repetitions the work of %s took so long that there was no steady state; of less than %d of the others nothing is said",
					c.title, s.all-s.steady, s.all, strategy, leastSteady))
			}
			if math.IsNaN(s.adds.mid) {
				continue
			}
			lines = append(lines, fmt.Sprintf("on this machine, %s: %s has a mean slowdown of %s in the median; its twin under the virtual clock has %s at the planned load of %v, and %s at the %s that the machine made of it; the scheduler, and what else ran, make it %s times that",
				c.title, strategy, s.machine, short(s.planned.mid), c.load, short(s.same.mid), short(s.load.mid), s.adds))
		}
		lines = append(lines, c.survives(m)...)
		if own := ofMedian(m.values(c.real(pooled), "service-c2")).mid; c.unequal && !math.IsNaN(own) {
			lines = append(lines, fmt.Sprintf("on this machine, %s: C² of the task times was %s, that of the twin is %s: caches, and what else ran, are in the first",
				c.title, short(own), short(halvesC2(machineR))))
		}
	}
	return lines
}

// survives says of each strategy whether it is on that side of the shared pool on which theory has it, repetition by repetition.
func (c machineCase) survives(m *measured) (lines []string) {
	for _, strategy := range c.strategies[1:] {
		twin := c.of(m, strategy).planned.mid / c.of(m, pooled).planned.mid
		ratios := m.each([]bench.Scenario{c.real(strategy), c.real(pooled)}, func(value func(int, string) float64) float64 {
			if max(value(0, "offered-utilisation"), value(1, "offered-utilisation")) >= fullMachine {
				return math.NaN()
			}
			return c.slowed(func(unit string) float64 { return value(0, unit) }) / c.slowed(func(unit string) float64 { return value(1, unit) })
		})
		ratio := ofMedian(ratios)
		if math.IsNaN(twin) || math.IsNaN(ratio.mid) {
			continue
		}
		says := "cannot be told"
		switch {
		case len(ratios) < leastSteady: // their least and most say little
		case ratio.below() && twin < 1, ratio.above() && twin > 1:
			says = "survives"
		case ratio.below(), ratio.above():
			says = "does not survive"
		}
		lines = append(lines, fmt.Sprintf("on this machine, %s: %s has %s times the shared pool's slowdown, its twin %s: which is the better of them %s",
			c.title, strategy, ratio, short(twin), says))
	}
	return lines
}

// row is the interval as Rows draws it.
func (in interval) row() charts.RowValue { return charts.RowValue{Mid: in.mid, Lo: in.lo, Hi: in.hi} }
