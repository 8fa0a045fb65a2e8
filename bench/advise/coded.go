package advise

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/targets"
	"github.com/poolbench/poolbench/workloads"
)

// A setting is what a strategy is run with, and under which stress.
type setting struct {
	limit, queue  int // queue as in bench.Scenario
	load, service float64
	target        *targets.Variant // in place of the question's; nil: none
}

func plainly(limit, queue int) setting { return setting{limit, queue, 1, 1, nil} }

// ran is the reading of a strategy's own code: a result for each seed.
type ran struct {
	results []*bench.Result
	// the interval, of a pool with that limit on the same recorded plan, whose ends are as far off;
	// the zero Figure where the seeds tell
	borrowed Figure
	// what a metric of time is multiplied with: see search.control; nil: 1
	control func(unit string) float64
}

func (r ran) figure(unit string) Figure {
	values := make([]float64, len(r.results))
	for i, one := range r.results {
		v, ok := one.Metric(unit)
		if !ok || one.Invalid() {
			return unknown
		}
		values[i] = v
	}
	f := spread(values, 1)
	if r.control != nil && f.Told() {
		by := r.control(unit)
		f.Low, f.Mid, f.High = f.Low*by, f.Mid*by, f.High*by
	}
	if b := r.borrowed; b.Mid > 0 && b.Told() && f.Told() {
		f.Low, f.High = f.Mid*(b.Low/b.Mid), f.Mid*(b.High/b.Mid)
	}
	return f
}

// A trial is a strategy that is to be run with a setting.
type trial struct {
	strategy strategies.Variant
	setting
}

// runs runs each trial for that many tasks with each of the first seeds, all side by side. A trial
// whose run fails has no reading; the error is the search's.
func (s *search) runs(ctx context.Context, trials []trial, tasks, seeds int) ([]*ran, error) {
	if s.traffic != nil && s.traffic.recorded {
		seeds = 1
	}
	suite := bench.Suite{Count: seeds, Parallel: s.question.Parallel}
	for _, t := range trials {
		suite.Scenarios = append(suite.Scenarios, s.scenario(t, tasks))
	}
	s.spent += tasks * seeds * len(trials)
	readings := make([]*ran, len(trials))
	for i, t := range trials {
		readings[i] = &ran{control: s.control(t, tasks, seeds)}
		if s.traffic != nil && s.traffic.recorded && s.replays {
			readings[i].borrowed = s.pooled(t.limit, s.wanted[0].Unit)
		}
	}
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

// control corrects short runs, which flatter, and the luck of few seeds: by the ratio of what a
// pool with that limit comes to on all of the traffic and on the part of it that is run. Nil where
// the recursion does not know.
func (s *search) control(t trial, tasks, seeds int) func(unit string) float64 {
	if !s.replays || s.traffic.recorded || t.load != 1 || t.service != 1 || t.target != nil ||
		t.strategy.Spec.Sheds {
		return nil
	}
	part := *s.traffic
	part.samples = nil
	for _, one := range s.traffic.samples[:seeds] {
		n := min(tasks, len(one.due))
		part.samples = append(part.samples, sample{one.due[:n], one.service[:n]})
	}
	return func(unit string) float64 {
		if p, _, ok := quantile(unit); !ok && !strings.HasPrefix(unit, "mean-") || ok && p == 0 {
			return 1
		}
		some := spread(part.queue(t.limit, anyQueue).perSample(unit), 1).Mid
		if by := s.pooled(t.limit, unit).Mid / some; by > 0 && !math.IsInf(by, 0) {
			return by
		}
		return 1
	}
}

// pooled is a metric of a pool with that limit on all of the traffic.
func (s *search) pooled(limit int, unit string) Figure {
	key := fmt.Sprint(limit, unit)
	f, ok := s.known[key]
	if !ok {
		f = s.traffic.queue(limit, anyQueue).figure(unit)
		s.known[key] = f
	}
	return f
}

// scenario is that of a trial.
func (s *search) scenario(t trial, tasks int) bench.Scenario {
	sc := s.sample
	sc.Strategy, sc.Limit, sc.Queue = t.strategy, t.limit, t.queue
	if !t.strategy.Spec.UsesQueue {
		sc.Queue = 0
	}
	sc.Load.PerSecond *= t.load
	if tasks < sc.Stop.Tasks || sc.Stop.Tasks == 0 {
		sc.Stop.Tasks, sc.Stop.Duration = tasks, 0
	}
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

// longer is a workload whose mean is so many times as long; ok is false where it has no mean among
// its parameters.
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

// fail keeps why a strategy is out of the search, once.
func (s *search) fail(strategy string, err error) {
	if s.failed[strategy] {
		return
	}
	s.failed[strategy] = true
	why, _, _ := strings.Cut(err.Error(), "\n")
	s.left = append(s.left, fmt.Sprintf("%s: %s", strategy, why))
}
