package advise

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/targets"
	"github.com/poolbench/poolbench/workloads"
)

type setting struct {
	limit, queue  int // queue as in bench.Scenario
	load, service float64
	target        *targets.Variant // overrides the question's. nil: does not
}

func plainly(limit, queue int) setting { return setting{limit, queue, 1, 1, nil} }

// ran is the reading of a strategy's own code: one result per seed. Short runs give too good
// values, so the ratio of each run to the recursion of the same tasks, which has little chance, is
// applied to the recursion of all traffic.
type ran struct {
	results []*bench.Result
	each    []*modelled // the recursion of each result's tasks. nil: unknown
	all     *modelled   // the recursion of all traffic
}

func (r *ran) figure(unit string) Figure {
	if r.grows() {
		return unknown
	}
	plain := r.own(unit)
	if !r.paired() || !plain.Known() {
		return plain
	}
	all := r.all.figure(unit)
	if !all.Known() {
		return plain
	}
	ratios, ok := r.ratios(unit)
	switch {
	case !ok: // some are 0
		more := make([]float64, len(r.results))
		for i, v := range r.values(unit) {
			more[i] = v - r.each[i].figure(unit).Mid
		}
		return all.plus(halfWidth(more, 1))
	case ratios == nil:
		return all
	}
	return all.times(spread(ratios, 1))
}

// own returns the figure from the runs alone, with pooled tasks if available, since short runs give
// too good values.
func (r *ran) own(unit string) Figure {
	if len(r.results) < 2 {
		return spread(r.values(unit), 1)
	}
	return OfRuns(r.results, []string{unit})[0]
}

// ratios returns the ratio of each run to the recursion of its tasks, or nil if all are 1. ok is
// false without ratios.
func (r *ran) ratios(unit string) (ratios []float64, ok bool) {
	if !r.paired() {
		return nil, false
	}
	values, alike := r.values(unit), 0
	for i, v := range values {
		switch of := r.each[i].figure(unit).Mid; {
		case same(v, of):
			ratios = append(ratios, 1)
			alike++
		case !(of > 0) || !(v > 0):
			return nil, false
		default:
			ratios = append(ratios, v/of)
		}
	}
	if alike == len(values) {
		return nil, true
	}
	return ratios, true
}

// paired reports whether the recursion covers every run.
func (r *ran) paired() bool { return r.all != nil && r.each != nil && !r.loses() }

// same reports equality up to the rounding of instants.
func same(a, b float64) bool { return math.Abs(a-b) <= 1e-6*math.Abs(a) }

func (r *ran) values(unit string) []float64 {
	values := make([]float64, len(r.results))
	for i, one := range r.results {
		v, ok := one.Metric(unit)
		if !ok || one.Invalid() {
			v = math.NaN()
		}
		values[i] = v
	}
	return values
}

// loses reports whether a run lost other tasks than the recursion, and so had other work.
func (r *ran) loses() bool {
	for _, loss := range losses {
		for i, v := range r.values(loss.unit) {
			if f := r.each[i].figure(loss.unit); !same(v, f.Mid) {
				return true
			}
		}
	}
	return false
}

// grows reports whether latency grew during most runs: a strategy that leaves slots unused may be
// unstable where a pool is not.
func (r *ran) grows() bool {
	n := 0
	for _, one := range r.results {
		if one.Drifts() {
			n++
		}
	}
	return 2*n > len(r.results)
}

type trial struct {
	strategy strategies.Variant
	setting
}

// runs runs each trial with each of the first seeds in parallel. A failed trial has no reading, and
// the search records the error.
func (s *search) runs(ctx context.Context, trials []trial, seeds int) ([]*ran, error) {
	seeds = min(seeds, s.mostSeeds())
	suite := bench.Suite{Count: seeds, Parallel: s.question.Parallel}
	readings := make([]*ran, len(trials))
	for i, t := range trials {
		sc := s.scenario(t)
		suite.Scenarios = append(suite.Scenarios, sc)
		readings[i] = &ran{}
		if l, ok := s.lineOf(t.strategy, t.setting); ok {
			readings[i].each, readings[i].all = s.sameWork(sc, seeds, l), s.model(l)
		}
	}
	s.spent += s.tasks() * seeds * len(trials)
	next := 0
	err := suite.Do(ctx, s.run, func(sc bench.Scenario, r *bench.Result, err error) error {
		at := next % len(trials)
		next++
		if err != nil {
			readings[at] = nil
			s.fail(trials[at].strategy.String(), err)
		} else if readings[at] != nil {
			readings[at].results = append(readings[at].results, r)
		}
		return nil
	})
	return readings, err
}

// honest removes strategies that violate, in a short run of their own code, the contract on which
// the recursion relies. Package builtin is exempt.
func (s *search) honest(
	ctx context.Context, all []strategies.Variant,
) (kept []strategies.Variant, err error) {
	suite := bench.Suite{Parallel: s.question.Parallel}
	for _, v := range all {
		if !strategies.Builtin(v.Spec.Name) {
			sc := s.scenario(trial{v, plainly(s.few(s.limits())[0], 0)})
			sc.Stop = bench.Stop{Tasks: contractTasks}
			suite.Scenarios = append(suite.Scenarios, sc)
		}
	}
	s.spent += contractTasks * len(suite.Scenarios)
	err = suite.Do(ctx, s.run, func(sc bench.Scenario, r *bench.Result, err error) error {
		if err == nil && len(r.Broken) > 0 {
			err = fmt.Errorf("breaks its contract: %s", r.Broken[0])
		}
		if err != nil {
			s.fail(sc.Strategy.String(), err)
		}
		return nil
	})
	return slices.DeleteFunc(slices.Clone(all), func(v strategies.Variant) bool {
		return s.failed[v.String()]
	}), err
}

const contractTasks = 2000

// mostSeeds is 1 for a recorded plan, which does not depend on the seed.
func (s *search) mostSeeds() int {
	if s.traffic != nil && s.traffic.recorded {
		return 1
	}
	return seeds
}

func (s *search) scenario(t trial) bench.Scenario {
	sc := s.sample
	sc.Strategy, sc.Limit, sc.Queue = t.strategy, t.limit, t.queue
	if !t.strategy.Spec.UsesQueue {
		sc.Queue = 0
	}
	sc.Load.PerSecond *= t.load
	if t.service != 1 {
		if w, ok := longer(sc.Workload, t.service); ok {
			sc.Workload = w
		}
	}
	if t.target != nil {
		sc.Target = *t.target
	}
	return sc
}

// longer multiplies the mean of a workload. ok is false without a parameter mean.
func longer(w workloads.Variant, times float64) (_ workloads.Variant, ok bool) {
	if !hasKey(w.Spec.Keys, "mean", param.Duration) {
		return w, false
	}
	args := []string{fmt.Sprintf("mean=%v",
		time.Duration(times*float64(w.Values.Duration("mean"))))}
	for arg := range strings.SplitSeq(w.Values.Canonical(), ",") {
		if arg != "" && !strings.HasPrefix(arg, "mean=") {
			args = append(args, arg)
		}
	}
	scaled, err := workloads.Parse(w.Spec.Name + ":" + strings.Join(args, ","))
	return scaled, err == nil
}

func (s *search) fail(strategy string, err error) {
	if s.failed[strategy] {
		return
	}
	s.failed[strategy] = true
	why, _, _ := strings.Cut(err.Error(), "\n")
	s.left = slices.Insert(s.left, 0, fmt.Sprintf("%s: %s", strategy, why))
}
