package measure

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"golang.org/x/perf/benchmath"

	"github.com/poolbench/poolbench/internal/gate/judge"
	"github.com/poolbench/poolbench/internal/gate/verdict"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/rundir"
	"github.com/poolbench/poolbench/internal/text"
)

type family struct {
	options  judge.Options
	metrics  []judge.Metric
	journal  *journal
	screened *judge.Screening
}

func (f *family) samples(fresh bool) (all []judge.Sample) {
	for _, m := range f.metrics {
		s := judge.Sample{Metric: m}
		for pair, runs := range f.journal.readings(m.Package, m.Benchmark) {
			if fresh != (pair >= f.options.ScreenPairs) {
				continue
			}
			// A fresh run without the metric ends the sample, which then has too few pairs and
			// never passes.
			was, ok := runs[base].tidy[m.Unit]
			is, both := runs[head].tidy[m.Unit]
			if !ok || !both || was < 0 || is < 0 {
				break
			}
			s.Pairs = append(s.Pairs, judge.Pair{Base: was, Head: is})
		}
		all = append(all, s)
	}
	return all
}

func (g *gate) controlFamily(which benchmark) *family {
	m := judge.Metric{Package: which.Package, Benchmark: shown(which), Unit: "sec/op",
		Better: verdict.LowerIsBetter}
	return &family{options: g.Judge, metrics: []judge.Metric{m}, journal: g.controls}
}

type screening struct {
	report   *verdict.Report
	families []*family // families of the module's benchmarks that have metrics
	controls []*family
}

func (g *gate) screen() (*screening, error) {
	s := &screening{report: g.report()}
	for _, f := range g.choose(s.report) {
		if len(f.metrics) > 0 {
			s.families = append(s.families, f)
		}
	}
	if g.hopeless == "" {
		s.controls = []*family{g.controlFamily(controls[0]), g.controlFamily(controls[1])}
		// known to be worse, so the screening must not prevent its fresh pairs
		s.controls[1].options.SuspectAt = 0.9999
		s.controls[1].options.Alpha /= 2 // it may be tested twice; see stopWhenFound
		s.controls[0].options.Alpha /= 2 // it fails in either direction
	}
	for _, f := range s.all() {
		if err := f.screen(); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (f *family) screen() (err error) {
	f.screened, err = judge.Screen(f.options, f.samples(false))
	return err
}

func (s *screening) all() []*family { return append(slices.Clone(s.families), s.controls...) }

func raise(fresh []int, of []*benchmark, orders []judge.PairRequest) {
	for _, order := range orders {
		for i, b := range of {
			if b.Package == order.Package && shown(*b) == order.Benchmark {
				fresh[i] = max(fresh[i], order.Pairs)
			}
		}
	}
}

func (s *screening) fresh() (first, all int) {
	for _, f := range s.families {
		a, b := f.screened.Fresh()
		first, all = max(first, a), max(all, b)
	}
	return first, all
}

func (s *screening) orders(of []*benchmark) []int {
	fresh := make([]int, len(of))
	for _, f := range s.all() {
		raise(fresh, of, f.screened.Orders())
	}
	return fresh
}

func (s *screening) expected(of []*benchmark) []int {
	fresh := make([]int, len(of))
	for _, f := range s.all() {
		raise(fresh, of, f.screened.Expected())
	}
	return fresh
}

// Each of the two tests of the slower control has half of alpha.
func (f *family) stopWhenFound() error {
	orders := f.screened.Orders()
	fresh := f.samples(true)[0]
	if len(orders) == 0 || fresh.N() == 0 {
		// no pair was slower by the margin, so the control is decided
		return nil
	}
	half := orders[0].Pairs
	fresh.Pairs = fresh.Pairs[:min(half, len(fresh.Pairs))]
	found, err := judge.Weigh(f.options, 1, fresh)
	if err != nil || found.PWorse > f.options.Alpha {
		return err
	}
	f.options.FreshPairs, f.options.Fixed = half, true
	return f.screen()
}

func (s *screening) more(of []*benchmark) ([]int, error) {
	if len(s.controls) > 0 {
		if err := s.controls[1].stopWhenFound(); err != nil {
			return nil, err
		}
	}
	fresh := make([]int, len(of))
	for _, f := range s.all() {
		more, err := f.screened.More(f.samples(true))
		if err != nil {
			return nil, err
		}
		raise(fresh, of, more)
	}
	return fresh, nil
}

func (o Options) countedRule() judge.Options {
	rule := o.rule()
	if o.Rule == nil {
		rule.Margin = min(rule.Margin, countedMargin)
	}
	return rule
}

// Some instructions belong to the garbage collector and the scheduler, and vary between runs.
const countedMargin = 0.01

func (g *gate) choose(r *verdict.Report) []*family {
	timed := &family{options: g.rule(), journal: g.results}
	counted := &family{options: g.countedRule(), journal: g.results}
	bytes := &family{options: g.rule(), journal: g.results}
	allocations := &family{options: g.rule(), journal: g.results}
	choice := judge.Choice{Report: r, Sides: [2]string{"the base", "the head"}}
	asked, seen := len(g.Metrics) > 0, map[string]bool{}
	for _, b := range g.plan.Benchmarks {
		values, runs := g.screened(b)
		_, ours := values[rundir.VirtualSeed]
		for _, unit := range g.Metrics {
			if _, ok := values[unit]; !ok {
				r.NotGated = append(r.NotGated, verdict.NotGated{Benchmark: shown(b),
					Package: b.Package, Metric: unit,
					Reason: "not reported by " + b.String(), Ratio: verdict.Number(math.NaN())})
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
				Unit: unit, Better: g.better(unit, ours),
				Exact: g.results.units.GetAssumption(unit) == benchmath.AssumeExact},
				Values: values[unit], Runs: runs, Ours: ours}
			m.Allowed.Amount, m.Allowed.Share = r.Options.Allowed(m.Benchmark, unit)
			switch {
			case g.hopeless != "" && !verdict.IsAllocation(unit):
				m.Excuse = "the machine is too busy"
			case asked:
			case unit == "B/s" && everywhere("sec/op"):
				m.Excuse = "the inverse of sec/op"
			case unit == Instructions && !everywhere(unit):
				// only the gate adds this metric, so it is not a fault of the benchmark
				m.Excuse = "not counted in every run"
			}
			if !choice.Accept(m) {
				continue
			}
			f := timed
			switch unit {
			case Instructions:
				f = counted
			case metric.BytesPerOp:
				f = bytes
			case metric.AllocsPerOp:
				f = allocations
			}
			f.metrics = append(f.metrics, m.Metric)
		}
	}
	choice.Close()
	for _, unit := range g.Metrics {
		if !seen[unit] {
			r.Faults = append(r.Faults, fmt.Sprintf("no benchmark reports %s", unit))
		}
	}
	return []*family{timed, counted, bytes, allocations}
}

// Runs of poolbench have Unit lines for all directions.
func (g *gate) better(unit string, ours bool) verdict.Direction {
	d := cmp.Or(g.Better[unit], verdict.Direction(g.results.units.GetBetter(unit)))
	if d == 0 && !ours {
		d = verdict.Direction(text.Better(unit))
	}
	return d
}

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

func shown(b benchmark) string { return b.Name[len("Benchmark"):] }
