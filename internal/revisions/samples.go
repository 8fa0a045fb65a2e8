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

// A family is the metrics that share the risk of a false alarm, and the settings they are judged by.
type family struct {
	options  judge.Options
	metrics  []judge.Metric
	journal  *journal
	screened *judge.Screening
}

// samples are the pairs of the family's metrics that screen, or the fresh ones that come after.
func (f *family) samples(fresh bool) (all []judge.Sample) {
	for _, m := range f.metrics {
		s := judge.Sample{Metric: m}
		kept := f.journal.kept[m.Benchmark]
		for pair := range len(kept) { // there is no gap
			if runs := kept[pair]; fresh == (pair >= f.options.ScreenPairs) {
				s.Pairs = append(s.Pairs, judge.Pair{Base: runs[base].tidy[m.Unit], Head: runs[head].tidy[m.Unit]})
			}
		}
		if len(s.Pairs) > 0 || !fresh {
			all = append(all, s)
		}
	}
	return all
}

// choose sorts out which metrics of the benchmarks are gated, and in which family. What is not is in the report, with the reason.
func (g *gate) choose(r *reports.GateReport) (timed, counted *family) {
	timed = &family{options: g.Judge, journal: g.results}
	counted = &family{options: countedOptions(g.Judge), journal: g.results}
	seen := map[string]bool{}
	var refused refusals
	for _, b := range g.plan.Benchmarks {
		kept := g.results.kept[b.String()]
		everywhere, somewhere := unitsOf(kept)
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

// controlFamily is a control by itself: it takes no part in the risk of others.
func (g *gate) controlFamily(which benchmark) *family {
	m := judge.Metric{Benchmark: which.String(), Unit: "sec/op", Better: judge.LowerIsBetter}
	return &family{options: g.Judge, metrics: []judge.Metric{m}, journal: g.controls}
}

// screening is a gate between its stages.
type screening struct {
	report   *reports.GateReport
	families []*family // the module's own, without those that have no metric
	controls [2]*family
}

// screen judges the first stage.
func (g *gate) screen() (*screening, error) {
	s := &screening{report: &reports.GateReport{Old: g.plan.Base.String(), New: g.plan.Head.String(), Options: reports.GateOptions{
		Margin: g.Judge.Margin, Promise: g.Judge.Promise, Alpha: g.Judge.Alpha, Metrics: g.Metrics}}}
	timed, counted := g.choose(s.report)
	for _, f := range []*family{timed, counted} {
		if len(f.metrics) > 0 {
			s.families = append(s.families, f)
		}
	}
	s.controls = [2]*family{g.controlFamily(controls[0]), g.controlFamily(controls[1])}
	for _, f := range s.all() {
		var err error
		if f.screened, err = judge.Screen(f.options, f.samples(false)); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (s *screening) all() []*family { return append(slices.Clone(s.families), s.controls[:]...) }

// orders are the fresh pairs that each of the benchmarks needs.
func (s *screening) orders(of []*benchmark) []int {
	fresh := make([]int, len(of))
	for _, f := range s.all() {
		for _, order := range f.screened.Orders() {
			for i, b := range of {
				if b.String() == order.Benchmark {
					fresh[i] = max(fresh[i], order.Pairs)
				}
			}
		}
	}
	return fresh
}

// countedOptions are those of the family of instructions, which are nearly free of noise.
func countedOptions(o judge.Options) judge.Options {
	o.Margin = min(o.Margin, countedMargin)
	return o
}

// countedMargin is what instructions may grow by. Some of them are the garbage collector's and the scheduler's, and not in each run the same.
const countedMargin = 0.01
