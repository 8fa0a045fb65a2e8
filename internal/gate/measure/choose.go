package measure

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"golang.org/x/perf/benchmath"

	"github.com/poolbench/poolbench/internal/gate/judge"
	"github.com/poolbench/poolbench/reports/gate/verdict"
)

// choose sorts out which metrics of the benchmarks are gated, and in which family. What is not is
// in the report, with the reason.
func (g *gate) choose(r *verdict.Report) (timed, counted *family) {
	timed = &family{options: g.Judge, journal: g.results}
	counted = &family{options: countedOptions(g.Judge), journal: g.results}
	choice := judge.Choice{Report: r, Sides: [2]string{"the base", "the head"}}
	asked, seen := len(g.Metrics) > 0, map[string]bool{}
	for _, b := range g.plan.Benchmarks {
		values, runs := g.screened(b)
		for _, unit := range g.Metrics {
			if _, ok := values[unit]; !ok {
				r.NotGated = append(r.NotGated, verdict.NotGated{Benchmark: shown(b),
					Package: b.Package, Metric: unit,
					Reason: "not reported by " + b.String(), Ratio: math.NaN()})
			}
		}
		everywhere := func(unit string) bool {
			return min(len(values[unit][base]), len(values[unit][head])) == runs
		}
		for _, unit := range slices.Sorted(maps.Keys(values)) {
			if unit == Steal || unit == LoadAverage || asked && !slices.Contains(g.Metrics, unit) {
				continue
			}
			seen[unit] = true
			m := judge.Candidate{Metric: judge.Metric{Package: b.Package, Benchmark: shown(b),
				Unit: unit, Better: judge.Direction(g.results.units.GetBetter(unit)),
				Exact: g.results.units.GetAssumption(unit) == benchmath.AssumeExact},
				Values: values[unit], Runs: runs}
			switch {
			case asked:
			case unit == "B/s" && everywhere("sec/op"):
				m.Excuse = "the same as sec/op, the other way about"
			case unit == Instructions && !everywhere(unit):
				// nobody reports them but this gate, which may have had luck in a run
				m.Excuse = "not counted in every run"
			}
			if !choice.Takes(m) {
				continue
			}
			if unit == Instructions {
				counted.metrics = append(counted.metrics, m.Metric)
			} else {
				timed.metrics = append(timed.metrics, m.Metric)
			}
		}
	}
	choice.Close()
	for _, unit := range g.Metrics {
		if !seen[unit] {
			r.Faults = append(r.Faults, fmt.Sprintf("no benchmark reports %s", unit))
		}
	}
	return timed, counted
}

// screened are the values of a benchmark in its screening runs, by unit and side, and how many runs
// a side has: those of the first stage, also where a gate that goes on has others already.
func (g *gate) screened(b benchmark) (values map[string][2][]float64, runs int) {
	values = map[string][2][]float64{}
	kept := g.results.kept[b.String()]
	runs = min(len(kept), g.Judge.ScreenPairs)
	for pair := range runs {
		for s, run := range kept[pair] {
			for unit, value := range run.tidy {
				of := values[unit]
				of[s] = append(of[s], value)
				values[unit] = of
			}
		}
	}
	return values, runs
}

// shown is the name of a benchmark in a report, as in all results.
func shown(b benchmark) string { return b.Name[len("Benchmark"):] }
