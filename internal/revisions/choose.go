package revisions

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"golang.org/x/perf/benchmath"

	"github.com/poolbench/poolbench/internal/judge"
	"github.com/poolbench/poolbench/reports"
)

// choose sorts out which metrics of the benchmarks are gated, and in which family. What is not is in the report, with the reason.
func (g *gate) choose(r *reports.GateReport) (timed, counted *family) {
	timed = &family{options: g.Judge, journal: g.results}
	counted = &family{options: countedOptions(g.Judge), journal: g.results}
	seen := map[string]bool{}
	var refused refusals
	for _, b := range g.plan.Benchmarks {
		kept := g.screening(b)
		everywhere, somewhere := unitsOf(kept)
		for _, unit := range g.Metrics {
			if _, ok := somewhere[unit]; !ok {
				r.NotGated = append(r.NotGated, reports.NotGated{Benchmark: shown(b), Package: b.Package, Metric: unit, Reason: "not reported by " + b.String(), Ratio: math.NaN()})
			}
		}
		for _, unit := range slices.Sorted(maps.Keys(somewhere)) {
			if unit == Steal || unit == LoadAverage || len(g.Metrics) > 0 && !slices.Contains(g.Metrics, unit) {
				continue
			}
			seen[unit] = true
			m := judge.Metric{Benchmark: b.String(), Unit: unit, Better: judge.Direction(g.results.units.GetBetter(unit)),
				Exact: g.results.units.GetAssumption(unit) == benchmath.AssumeExact}
			if reason := g.notGated(&refused, m, b, kept, everywhere, somewhere[unit]); reason != "" {
				r.NotGated = append(r.NotGated, reports.NotGated{Benchmark: shown(b), Package: b.Package, Metric: unit, Reason: reason, Ratio: math.NaN()})
				continue
			}
			if unit == Instructions {
				counted.metrics = append(counted.metrics, m)
			} else {
				timed.metrics = append(timed.metrics, m)
			}
		}
	}
	into := &r.Unclear
	if len(g.Metrics) > 0 {
		into = &r.Faults // who asks for a metric is not to be told that all is well without it
	}
	*into = append(*into, refused.lines()...)
	for _, unit := range g.Metrics {
		if !seen[unit] {
			r.Faults = append(r.Faults, fmt.Sprintf("no benchmark reports %s", unit))
		}
	}
	return timed, counted
}

// screening are the pairs of the first stage, also where a gate that goes on has others already.
func (g *gate) screening(b benchmark) map[int][2]reading {
	kept := map[int][2]reading{}
	for pair, runs := range g.results.kept[b.String()] {
		if pair < g.Judge.ScreenPairs {
			kept[pair] = runs
		}
	}
	return kept
}

// shown is the name of a benchmark in a report, as in all results.
func shown(b benchmark) string { return b.Name[len("Benchmark"):] }

// unitsOf are the units that all runs have, and those that any has, of which sides.
func unitsOf(kept map[int][2]reading) (everywhere map[string]bool, somewhere map[string][2]bool) {
	everywhere, somewhere = map[string]bool{}, map[string][2]bool{}
	counts := map[string]int{}
	for _, runs := range kept {
		for s, run := range runs {
			for unit := range run.tidy {
				counts[unit]++
				on := somewhere[unit]
				on[s] = true
				somewhere[unit] = on
			}
		}
	}
	for unit, n := range counts {
		everywhere[unit] = n == 2*len(kept)
	}
	return everywhere, somewhere
}

// refusals are the metrics whose lack of a verdict must not pass for one: by unit and reason the benchmarks.
type refusals struct {
	order []refusal
	of    map[refusal][]string
}

type refusal struct{ unit, reason string }

func (r *refusals) add(m judge.Metric, reason string) {
	which := refusal{m.Unit, reason}
	if r.of == nil {
		r.of = map[refusal][]string{}
	}
	if len(r.of[which]) == 0 {
		r.order = append(r.order, which)
	}
	r.of[which] = append(r.of[which], m.Benchmark)
}

// lines has one for each unit and reason, so that what is wrong with all benchmarks does not bury what is wrong with one.
func (r *refusals) lines() (lines []string) {
	for _, which := range r.order {
		of := r.of[which]
		more := ""
		if len(of) > 1 {
			more = fmt.Sprintf(" and of %d more", len(of)-1)
		}
		lines = append(lines, fmt.Sprintf("%s of %s%s cannot be judged: %s", which.unit, of[0], more, which.reason))
	}
	return lines
}

// notGated says why there is no verdict on a metric; "" when there is one.
func (g *gate) notGated(refused *refusals, m judge.Metric, b benchmark, kept map[int][2]reading, everywhere map[string]bool, on [2]bool) string {
	asked := len(g.Metrics) > 0
	refuse := func(reason string) string {
		refused.add(m, reason)
		return reason
	}
	switch {
	case m.Better != judge.LowerIsBetter && m.Better != judge.HigherIsBetter:
		if asked {
			refused.add(m, "no Unit line says whether higher or lower is better")
		}
		return "direction not known"
	case m.Unit == "B/s" && everywhere["sec/op"] && !asked:
		return "the same as sec/op, the other way about"
	case !asked && reports.WhyNotGated(shown(b), m.Unit) != "":
		return reports.WhyNotGated(shown(b), m.Unit)
	case !on[base] && !asked:
		return "absent from the base" // there is nothing to hold it against
	case !on[base] || !on[head]:
		return refuse(fmt.Sprintf("absent from the %v", map[bool]side{true: head, false: base}[on[base]]))
	case !everywhere[m.Unit] && m.Unit == Instructions:
		return "not counted in every run"
	case !everywhere[m.Unit]:
		return refuse("absent from some of the runs")
	}
	for _, runs := range kept {
		if runs[base].tidy[m.Unit] < 0 || runs[head].tidy[m.Unit] < 0 {
			return refuse("negative values, of which there is no ratio")
		}
	}
	return ""
}
