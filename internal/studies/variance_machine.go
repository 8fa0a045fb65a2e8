package studies

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/studies/evidence"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/charts"
)

// On the machine the work takes longer than planned, because cores, caches and memory are shared,
// so the same arrivals are a higher load. Therefore the slowdown under the virtual clock is
// interpolated at the planned load and at the load measured on the machine.
var machinePart = variancePart{machineCells, nil, answerMachine}

type machineCase struct {
	title         string
	work, virtual string // under the real and the virtual clock
	load          float64
	strategies    []string
	unequal       bool
	durations     [3]time.Duration
}

const (
	machineSlots = 2
	inFifths     = "partitioned:quantum=200us"
	fullMachine  = 0.97 // load above which there is no steady state
	machineR     = 20   // length of the long tasks, one in 21, relative to the short ones
	minSteady    = 3    // minimum number of steady repetitions for a result
)

var machineCases = []machineCase{
	{
		title: "tasks of one length (cpu_average)", work: "cpu_average:mean=1ms",
		virtual: "constant:mean=1ms", load: 0.6,
		strategies: []string{pooled, inFifths}, durations: [3]time.Duration{250 * time.Millisecond,
			500 * time.Millisecond, 5 * time.Second},
	},
	{
		title: "one in 21 twenty times as long (cpu_average:r=20)", load: 0.5, unequal: true,
		work: "cpu_average:mean=1ms,r=20", virtual: "two_class:mean=1ms,r=20",
		strategies: []string{pooled, inFifths, separate},
		durations: [3]time.Duration{250 * time.Millisecond, 700 * time.Millisecond,
			5 * time.Second},
	},
}

var virtualLoads = []float64{0.5, 0.7, 0.9}

func (c machineCase) real(strategy string) bench.Scenario {
	sc := varianceScenario(strategy, c.work, poisson(c.load),
		bench.Stop{Duration: c.durations[Standard], Warmup: 0.1})
	sc.Limit, sc.Clock = machineSlots, bench.Real
	return sc
}

func (c machineCase) virtualCell(strategy string, load float64) bench.Scenario {
	c2 := 0.0
	if c.unequal {
		c2 = halvesC2(machineR) // with one in 21 long, either class is half of the work
	}
	sc := varianceScenario(strategy, c.virtual, poisson(load), tasksFor(10_000, c2, 100_000))
	sc.Limit = machineSlots
	return sc
}

func machineCells(size Size) (cells []bench.Scenario) {
	for _, c := range machineCases {
		if c.durations[size] == 0 {
			continue
		}
		for _, strategy := range c.strategies {
			sc := c.real(strategy)
			sc.Stop.Duration = c.durations[size]
			cells = append(cells, sc)
			var virtual []bench.Scenario
			for _, load := range virtualLoads {
				virtual = append(virtual, c.virtualCell(strategy, load))
			}
			cells = append(cells, lengths{0.15, 1, 5}.scale(size, virtual)...)
		}
	}
	return cells
}

func (c machineCase) meanSlowdown(r evidence.Run) float64 {
	if c.unequal {
		return r(slowdown.unit)
	}
	return r(meanResponse) / r(metric.MeanService)
}

type machineResult struct {
	steadyRuns, all        int
	load                   evidence.Interval // measured on the machine
	machine                evidence.Interval
	planned, virtualAtLoad evidence.Interval // virtual clock, at the planned and the measured load
	excess                 evidence.Interval // machine divided by virtualAtLoad
}

// At a load of fullMachine or more, the slowdown depends on the length of the run.
func (c machineCase) result(m *evidence.Measured, strategy string) (s machineResult) {
	loads, slow := []float64{0}, []float64{1} // a single task is not slowed down
	for _, load := range virtualLoads {
		mean := evidence.OfMean(m.Numbers(c.virtualCell(strategy, load), c.meanSlowdown)).Mid
		if !math.IsNaN(mean) {
			loads, slow = append(loads, load), append(slow, mean)
		}
	}
	per := func(number func(slowed, load float64) float64) []float64 {
		return m.Numbers(c.real(strategy), func(r evidence.Run) float64 {
			load := r(metric.OfferedUtilisation)
			if load >= fullMachine {
				return math.NaN()
			}
			return number(c.meanSlowdown(r), load)
		})
	}
	s.all = len(m.Runs(c.real(strategy)))
	s.steadyRuns = len(per(func(_, load float64) float64 { return load }))
	s.planned = evidence.Point(slowdownAt(c.load, loads, slow))
	if s.steadyRuns < minSteady {
		none := evidence.OfMedian(nil)
		s.load, s.machine, s.virtualAtLoad, s.excess = none, none, none, none
		return s
	}
	s.load = evidence.OfMedian(per(func(_, load float64) float64 { return load }))
	s.machine = evidence.OfMedian(per(func(slowed, _ float64) float64 { return slowed }))
	s.virtualAtLoad = evidence.OfMedian(per(func(_, load float64) float64 {
		return slowdownAt(load, loads, slow)
	}))
	s.excess = evidence.OfMedian(per(func(slowed, load float64) float64 {
		return slowed / slowdownAt(load, loads, slow)
	}))
	return s
}

func slowdownAt(load float64, loads, slow []float64) float64 {
	if len(loads) < 2 {
		return math.NaN()
	}
	i := slices.IndexFunc(loads[1:], func(l float64) bool { return l >= load }) + 1
	if i == 0 { // above all measured loads
		i = len(loads) - 1
	}
	return interpolate(load, loads[i-1], slow[i-1], loads[i], slow[i])
}

func drawMachine(m *evidence.Measured) evidence.Figure {
	names := []string{pooled, sequential, separate}
	var panels []charts.RowPanel
	for _, c := range machineCases {
		panel := []charts.RowPanel{{Title: c.title, X: evidence.Log("mean slowdown", charts.Count)}}
		any := false
		for j, name := range []string{"virtual clock, at the planned load",
			"virtual clock, at the machine's load", "this machine"} {
			evidence.AddRows(panel, name, j, len(names), func(row int) []evidence.Interval {
				if row >= len(c.strategies) || !m.Has(c.real(c.strategies[row])) {
					return nil
				}
				s := c.result(m, c.strategies[row])
				any = any || !math.IsNaN(s.machine.Mid)
				return [][]evidence.Interval{{s.planned}, {s.virtualAtLoad}, {s.machine}}[j]
			})
		}
		if any {
			panels = append(panels, panel...)
		}
	}
	if len(panels) == 1 {
		names = names[:2] // without classes, a pool per class is the shared pool
		for i := range panels[0].Series {
			panels[0].Series[i].Values = panels[0].Series[i].Values[:2]
		}
	}
	return evidence.Figure{
		Name:  "variance-machine",
		Title: "On this machine: the remaining effect, and the scheduler's share",
		Subtitle: fmt.Sprintf("%d workers that compute under the real clock, compared with tasks "+
			"of the same sizes under the virtual clock", machineSlots),
		Caption: []string{
			"From the first to the second marker: the machine makes the same work longer, so " +
				"that the load is higher. From the second to the third: what its scheduler and " +
				"other programs add.",
			fmt.Sprintf("Planned were loads of %v and %v, and steps of 200 µs for partitioned. "+
				"Left out are INVALID runs and those of a load of %v or more, which have no "+
				"steady state; fewer than %d others are not drawn.",
				machineCases[0].load, machineCases[1].load, fullMachine, minSteady),
			m.Medians(machineReal()),
		},
	}.Rows(names, panels...)
}

func machineReal() []bench.Scenario {
	return slices.DeleteFunc(machineCells(Standard), func(sc bench.Scenario) bool {
		return sc.Clock != bench.Real
	})
}

func answerMachine(m *evidence.Measured, f *decide.Finding) {
	for _, c := range machineCases {
		var out []string
		for _, strategy := range c.strategies {
			s := c.result(m, strategy)
			if s.steadyRuns < s.all {
				out = append(out, fmt.Sprintf("%d of %d repetitions of %s", s.all-s.steadyRuns, s.all,
					strategy))
			}
			if !math.IsNaN(s.excess.Mid) {
				f.Add("on this machine, %s: %s has a mean slowdown of %s; under the virtual clock it "+
					"has %s at the load of %s that it came to here; the scheduler and other "+
					"programs multiply that by %s", c.title, strategy, s.machine,
					text.Short(s.virtualAtLoad.Mid), text.Short(s.load.Mid), s.excess)
			}
		}
		f.AddLines(evidence.IfAny(out, "on this machine, %s: left out without a steady state", c.title))
		c.compareWithVirtual(m, f)
	}
}

func (c machineCase) compareWithVirtual(m *evidence.Measured, f *decide.Finding) {
	for _, strategy := range c.strategies[1:] {
		planned := c.result(m, strategy).planned.Mid / c.result(m, pooled).planned.Mid
		ratios := m.Pairs(c.real(strategy), c.real(pooled), func(own, pool evidence.Run) float64 {
			if max(own(metric.OfferedUtilisation), pool(metric.OfferedUtilisation)) >= fullMachine {
				return math.NaN()
			}
			return c.meanSlowdown(own) / c.meanSlowdown(pool)
		})
		ratio := evidence.OfMedian(ratios)
		if math.IsNaN(planned) || math.IsNaN(ratio.Mid) {
			continue
		}
		says := "the repetitions do not show which is better"
		switch {
		case len(ratios) < minSteady: // too few for an interval
		case ratio.Below() && planned < 1, ratio.Above() && planned > 1:
			says = "the same strategy is better"
		case ratio.Below(), ratio.Above():
			says = "the other strategy is better"
		}
		f.Add("on this machine, %s: %s has %s times the shared pool's slowdown, and %s times "+
			"under the virtual clock: %s", c.title, strategy, ratio, text.Short(planned), says)
	}
}
