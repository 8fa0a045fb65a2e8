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
	target        *targets.Variant // replaces the target of the question, unless nil
}

func unstressed(limit, queue int) setting { return setting{limit, queue, 1, 1, nil} }

// Short runs are biased towards good values. So the figure of a codeReading is the ratio of each
// run to the recursion of the same tasks, which varies little, times the recursion of all traffic.
type codeReading struct {
	results []*bench.Result
	each    []*modelReading // the recursion of each result's tasks. nil: unknown
	all     *modelReading   // the recursion of all traffic
}

func (r *codeReading) figure(unit string) Figure {
	if r.grows() {
		return unknown
	}
	plain := r.ownFigure(unit)
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

func (r *codeReading) ownFigure(unit string) Figure {
	if len(r.results) < 2 {
		return spread(r.values(unit), 1)
	}
	return OfRuns(r.results, []string{unit})[0]
}

// ratios returns nil if all ratios to the recursion are 1. ok is false if one is unknown.
func (r *codeReading) ratios(unit string) (ratios []float64, ok bool) {
	if !r.paired() {
		return nil, false
	}
	values, equal := r.values(unit), 0
	for i, v := range values {
		switch of := r.each[i].figure(unit).Mid; {
		case nearlyEqual(v, of):
			ratios = append(ratios, 1)
			equal++
		case !(of > 0) || !(v > 0):
			return nil, false
		default:
			ratios = append(ratios, v/of)
		}
	}
	if equal == len(values) {
		return nil, true
	}
	return ratios, true
}

func (r *codeReading) paired() bool { return r.all != nil && r.each != nil && !r.loses() }

// nearlyEqual allows for the rounding of instants.
func nearlyEqual(a, b float64) bool { return math.Abs(a-b) <= 1e-6*math.Abs(a) }

func (r *codeReading) values(unit string) []float64 {
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

// loses reports whether a run lost other tasks than the recursion did.
func (r *codeReading) loses() bool {
	for _, loss := range losses {
		for i, v := range r.values(loss.unit) {
			if f := r.each[i].figure(loss.unit); !nearlyEqual(v, f.Mid) {
				return true
			}
		}
	}
	return false
}

// A strategy that leaves slots unused may be unstable at a load at which a pool is stable.
func (r *codeReading) grows() bool {
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

// runs returns no reading for a failed trial. The search records the error.
func (s *search) runs(ctx context.Context, trials []trial, seeds int) ([]*codeReading, error) {
	seeds = min(seeds, s.maxSeeds())
	suite := bench.Suite{Count: seeds}
	readings := make([]*codeReading, len(trials))
	for i, t := range trials {
		sc := s.scenario(t)
		suite.Scenarios = append(suite.Scenarios, sc)
		readings[i] = &codeReading{}
		if l, ok := s.lineOf(t.strategy, t.setting); ok {
			readings[i].each, readings[i].all = s.modelRuns(sc, seeds, l), s.model(l)
		}
	}
	s.simulatedTasks += s.tasks() * seeds * len(trials)
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

// withoutViolators removes strategies that violate their contract, on which the recursion relies,
// in a short run of their own code. It trusts those of package builtin.
func (s *search) withoutViolators(
	ctx context.Context, all []strategies.Variant,
) (kept []strategies.Variant, err error) {
	var suite bench.Suite
	for _, v := range all {
		if !strategies.Builtin(v.Spec.Name) {
			sc := s.scenario(trial{v, unstressed(s.firstStableLimits(s.limits())[0], 0)})
			sc.Stop = bench.Stop{Tasks: contractTasks}
			suite.Scenarios = append(suite.Scenarios, sc)
		}
	}
	s.simulatedTasks += contractTasks * len(suite.Scenarios)
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

// maxSeeds is 1 for a recorded plan, which does not depend on the seed.
func (s *search) maxSeeds() int {
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
		if w, ok := scaleService(sc.Workload, t.service); ok {
			sc.Workload = w
		}
	}
	if t.target != nil {
		sc.Target = *t.target
	}
	return sc
}

func scaleService(w workloads.Variant, times float64) (_ workloads.Variant, ok bool) {
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
	s.notConsidered = slices.Insert(s.notConsidered, 0, fmt.Sprintf("%s: %s", strategy, why))
}
