package studies

import (
	"fmt"
	"math"
	"slices"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/finding"
	"github.com/poolbench/poolbench/internal/evidence"
	"github.com/poolbench/poolbench/internal/evidence/words"
	"github.com/poolbench/poolbench/reports/charts"
	"github.com/poolbench/poolbench/reports/page"
)

func drawMachine(m *evidence.Measured) (f page.Figure, err error) {
	names := []string{pooled, sequential, separate}
	var panels []charts.RowPanel
	for _, c := range machineCases {
		none := evidence.OfMean(nil).Row()
		series := []charts.RowSeries{
			{Name: "virtual clock, at the planned load", Style: 0},
			{Name: "virtual clock, at the machine's load", Style: 1},
			{Name: "this machine", Style: 2},
		}
		any := false
		for i := range names {
			row := []charts.RowValue{none, none, none}
			if i < len(c.strategies) && m.Has(c.real(c.strategies[i])) {
				s := c.of(m, c.strategies[i])
				row = []charts.RowValue{s.planned.Row(), s.same.Row(), s.machine.Row()}
				any = any || !math.IsNaN(s.machine.Mid)
			}
			for j := range series {
				series[j].Values = append(series[j].Values, row[j])
			}
		}
		if any {
			panels = append(panels, charts.RowPanel{Title: c.title,
				X: evidence.Log("mean slowdown", words.Short), Series: series})
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
	return evidence.Figure{
		Name:  "variance-machine",
		Title: "On this machine: what is left of it, and what the scheduler adds",
		Subtitle: fmt.Sprintf("%d workers that compute under the real clock, beside tasks of "+
			"the same sizes under the virtual one", machinePlaces),
		Caption: []string{
			"From the first to the second marker: the machine makes the same work longer, so " +
				"that the load is higher. From the second to the third: what its scheduler and " +
				"other programs add.",
			fmt.Sprintf("Planned were loads of %v and %v, and steps of 200 µs for partitioned. "+
				"Left out are INVALID runs and those of a load of %v or more, which have no "+
				"steady state; fewer than %d others are not drawn.",
				machineCases[0].load, machineCases[1].load, fullMachine, leastSteady),
			m.Medians(machineReal()),
		},
	}.Rows(names, panels...)
}

// machineReal are the runs under the real clock.
func machineReal() []bench.Scenario {
	return slices.DeleteFunc(machineCells(Standard), func(sc bench.Scenario) bool {
		return sc.Clock != bench.Real
	})
}

func answerMachine(m *evidence.Measured, f *finding.Finding) {
	for _, c := range machineCases {
		for _, strategy := range c.strategies {
			s := c.of(m, strategy)
			if s.steady < s.all {
				f.Add("on this machine, %s: left out are %d of %d repetitions of %s, which had no "+
					"steady state", c.title, s.all-s.steady, s.all, strategy)
			}
			if math.IsNaN(s.adds.Mid) {
				continue
			}
			f.Add("on this machine, %s: %s has a mean slowdown of %s; under the virtual clock it "+
				"has %s at the planned load of %v and %s at the load of %s that it came to here; "+
				"the scheduler and other programs multiply that by %s",
				c.title, strategy, s.machine, words.Short(s.planned.Mid), c.load,
				words.Short(s.same.Mid), words.Short(s.load.Mid), s.adds)
		}
		c.survives(m, f)
		if own := m.Median(c.real(pooled), "service-c2").Mid; c.unequal && !math.IsNaN(own) {
			f.Add("on this machine, %s: the task times' C² was %s, and %s under the virtual clock",
				c.title, words.Short(own), words.Short(halvesC2(machineR)))
		}
	}
}

// survives says of each strategy whether it is on that side of the shared pool on which theory has
// it, repetition by repetition.
func (c machineCase) survives(m *evidence.Measured, f *finding.Finding) {
	for _, strategy := range c.strategies[1:] {
		twin := c.of(m, strategy).planned.Mid / c.of(m, pooled).planned.Mid
		ratios := m.Pairs(c.real(strategy), c.real(pooled), func(own, pool evidence.Run) float64 {
			if max(own("offered-utilisation"), pool("offered-utilisation")) >= fullMachine {
				return math.NaN()
			}
			return c.slowed(own) / c.slowed(pool)
		})
		ratio := evidence.OfMedian(ratios)
		if math.IsNaN(twin) || math.IsNaN(ratio.Mid) {
			continue
		}
		says := "the repetitions do not tell which is better"
		switch {
		case len(ratios) < leastSteady: // their least and most say little
		case ratio.Below() && twin < 1, ratio.Above() && twin > 1:
			says = "the same one is better"
		case ratio.Below(), ratio.Above():
			says = "the other one is better"
		}
		f.Add("on this machine, %s: %s has %s times the shared pool's slowdown, and %s times "+
			"under the virtual clock: %s", c.title, strategy, ratio, words.Short(twin), says)
	}
}
