package revisions

import (
	"slices"

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
			if fresh != (pair >= f.options.ScreenPairs) {
				continue
			}
			// Every screening run has the metric. A fresh one that lacks it leaves a pair too few, and that is never a pass.
			was, ok := kept[pair][base].tidy[m.Unit]
			is, both := kept[pair][head].tidy[m.Unit]
			if ok && both {
				s.Pairs = append(s.Pairs, judge.Pair{Base: was, Head: is})
			}
		}
		if len(s.Pairs) > 0 || !fresh {
			all = append(all, s)
		}
	}
	return all
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
	s.controls[1].options.SuspectAt = 0.9999 // known to be worse: no luck in the screening is to keep it from its fresh pairs
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
