package advise

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/objectives"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/targets"
)

type search struct {
	question        Question
	wanted          objectives.List
	sample          bench.Scenario
	traffic         *traffic // nil if it cannot be drawn
	recursionCovers bool     // see replayable
	work            WorkSummary
	run             bench.RunFunc
	stop            bench.Stop // of all runs of strategies' own code
	failed          map[string]bool
	notConsidered   []string
	models          map[line]*modelReading
	scaled          struct { // traffic of the last stress
		*traffic
		load, service float64
	}
	measures       map[string]Option // by own code
	simulatedTasks int               // tasks of strategies' own code
}

const (
	seeds   = 6 // per measurement by a strategy's own code
	maxKept = 3 // options measured with all seeds
)

// Do uses run for own-code runs: bench.Run, or a function that runs a scenario in another process.
func (q Question) Do(ctx context.Context, run bench.RunFunc) (*Answer, error) {
	if err := q.Validate(); err != nil {
		return nil, err
	}
	s, err := q.search(run)
	if err != nil {
		return nil, err
	}
	all, left := q.candidates(s.sample)
	if len(all) == 0 {
		return nil, errors.New("no strategy is left to consider: " + fmt.Sprint(left))
	}
	s.notConsidered = left
	if n, all := s.sample.Stop.Tasks, s.sample.Load.Arrival.Tasks(); n < all {
		s.notConsidered = append([]string{fmt.Sprintf("tasks of the record after the first %d of %d", n,
			all)}, left...)
	}
	options, err := s.options(ctx, all)
	if err != nil {
		return nil, err
	}
	if len(options) == 0 {
		return nil, errors.New("no strategy gave a result: " + s.notConsidered[0])
	}
	return s.answer(ctx, options)
}

func (q Question) search(run bench.RunFunc) (s *search, err error) {
	s = &search{question: q, wanted: q.wanted(), sample: q.sample(), run: run,
		failed: map[string]bool{}, models: map[line]*modelReading{}, measures: map[string]Option{}}
	if s.traffic, err = draw(s.sample, q.planned(), perRun(s.wanted)); err != nil {
		return nil, err
	}
	s.work, s.stop = s.described(), s.stopOfRuns()
	s.recursionCovers = s.replayable()
	return s, nil
}

func (s *search) replayable() bool {
	return s.traffic != nil &&
		(s.sample.Target.Spec.Name == "none" || targets.PolicyFor(s.sample.Target) != nil) &&
		s.sample.Timeout == 0 && s.sample.Patience == nil && s.sample.Drain == 0 &&
		!slices.ContainsFunc(s.wanted,
			func(o objectives.Objective) bool { return !modelsMetric(o.Unit) })
}

// Own-code runs get a part of the traffic, unless it is a job that ends.
func (s *search) stopOfRuns() bench.Stop {
	stop, arrival := s.sample.Stop, s.sample.Load.Arrival
	if arrival.Spec.AllAtOnce || perRun(s.wanted) {
		return stop
	}
	most := s.question.runTasks()
	if arrival.Tasks() > 0 && (s.traffic == nil || s.traffic.recorded) {
		most = s.question.recordTasks()
	}
	if s.traffic != nil && !steady(s.sample) {
		most = min(most, len(s.traffic.samples[0].due))
	}
	if stop.Tasks == 0 || stop.Tasks > most {
		stop.Tasks, stop.Duration = most, 0
	}
	return stop
}

// tasks is approximate.
func (s *search) tasks() int {
	if s.stop.Tasks > 0 || s.traffic == nil {
		return s.stop.Tasks
	}
	return len(s.traffic.samples[0].due)
}

// options returns the best settings of each behaviour. Pools and exact behaviours come first,
// because the others are compared at their limit.
func (s *search) options(ctx context.Context, all []behaviour) (options []Option, err error) {
	var others []behaviour
	limit := 0
	for _, b := range all {
		if !b.plain && !s.isExact(b) {
			others = append(others, b)
			continue
		}
		if b.members, err = s.withoutViolators(ctx, b.members); err != nil {
			return nil, err
		}
		if len(b.members) == 0 {
			continue
		}
		o, err := s.pool(ctx, b)
		if err != nil {
			return nil, err
		}
		if o == nil {
			continue
		}
		options = append(options, *o)
		if o.Verdict == objectives.Met && (limit == 0 || o.Limit < limit) {
			limit = o.Limit
		}
	}
	more, err := s.halving(ctx, others, limit)
	return append(options, more...), err
}

func (s *search) queueOf(b behaviour, limit int) int {
	most := s.question.queueAtMost(limit)
	if b.sheds {
		return asQueue(min(8*limit, most))
	}
	if l, ok := s.lineOf(b.first(), unstressed(limit, 0)); ok && s.recursionCovers {
		// twice the necessary length
		return asQueue(min(2*max(1, s.model(l).longest), most))
	}
	if most == unboundedQueue {
		return 0
	}
	return asQueue(most)
}

func (s *search) option(
	b behaviour, fit []strategies.Variant, limit, queue int, r reading,
) Option {
	o := Option{Strategy: fit[0], Ties: fit[1:], Limit: limit, Queue: queue, Rate: b.paced,
		Promise: r.figure(s.wanted[0].Unit), Verdict: judge(r, s.wanted), Holds: math.NaN(),
		Regret: math.NaN(), behaviour: b, reading: r}
	if !fit[0].Spec.UsesQueue {
		o.Queue = 0
	}
	if r.grows() {
		o.Unstable, o.Verdict = "its queue grows without limit", objectives.Missed
	}
	// The target may refuse calls even if short runs show none, unless the strategy retries refused
	// calls at no more than the rate.
	_, own := r.(*codeReading)
	o.unproven = own && s.sample.Target.Spec.RateLimits && s.refusalBound() == 0 &&
		!(fit[0].Spec.Retries && b.paced > 0)
	if first := s.wanted[0]; o.Promise.Known() {
		worst := map[bool]float64{true: o.Promise.High, false: o.Promise.Low}[isUpper(first)]
		o.promise = excessOf(first, worst)
	}
	for _, w := range s.wanted {
		f := r.figure(w.Unit)
		o.Figures, o.excess = append(o.Figures, f), max(o.excess, excess(w, f.Mid))
	}
	return o
}

// overloaded returns nil if the queue does not grow by the load.
func (s *search) overloaded(b behaviour, fit []strategies.Variant, limit int) *Option {
	why, times := s.unstable(b, unstressed(limit, 0))
	if why == "" {
		return nil
	}
	o := s.option(b, fit, limit, 0, &modelReading{})
	o.Unstable, o.Verdict = why, objectives.Missed
	o.excess = unstableExcess * times
	// for a rate-limited target, a limit alone does not keep the rate
	o.unproven = s.sample.Target.Spec.RateLimits && b.paced == 0
	return &o
}

// larger than the excess of any stable option
const unstableExcess = 1e100

func excess(o objectives.Objective, v float64) float64 {
	switch {
	case math.IsNaN(v):
		return math.Inf(1)
	case o.Limit().Meets(v):
		return min(1, excessOf(o, v))
	}
	return max(1, excessOf(o, v))
}

func excessOf(o objectives.Objective, v float64) float64 {
	bound := o.Bound
	if !isUpper(o) {
		v, bound = bound, v
	}
	const least = 1e-4 // for a bound of 0 on a share
	return v / max(bound, least)
}

func isUpper(o objectives.Objective) bool { return o.Limit().Meets(0) }

// better orders options that surely meet the objectives first: by limit, then by a clearly
// different sustained load, then by a clearly different promise, then by simplicity. The others are
// ordered by a clearly different distance, then by simplicity. Unproven options come after proven
// ones.
func better(a, b Option) int {
	if c := cmp.Compare(rank(a.Verdict), rank(b.Verdict)); c != 0 {
		return c
	}
	if a.Verdict != objectives.Met && (a.Unstable == "") != (b.Unstable == "") {
		return map[bool]int{true: -1, false: 1}[a.Unstable == ""]
	}
	if a.Verdict != objectives.Met &&
		(a.excess > clearFactor*b.excess || b.excess > clearFactor*a.excess) {
		return cmp.Compare(a.excess, b.excess)
	}
	if a.unproven != b.unproven {
		return map[bool]int{true: 1, false: -1}[a.unproven]
	}
	if c := cmp.Compare(a.Strategy.Spec.Parts, b.Strategy.Spec.Parts); c != 0 &&
		a.Verdict != objectives.Met {
		return c
	}
	if c := cmp.Compare(a.Limit, b.Limit); c != 0 {
		return c
	}
	if equalFigures(a.Figures, b.Figures) { // a tie. Stresses by a few runs cannot break it
		return cmp.Compare(a.Strategy.Spec.Parts, b.Strategy.Spec.Parts)
	}
	if a.Holds > clearFactor*b.Holds || b.Holds > clearFactor*a.Holds {
		return cmp.Compare(b.Holds, a.Holds)
	}
	if a.Verdict == objectives.Met && (a.promise > clearFactor*b.promise ||
		b.promise > clearFactor*a.promise) {
		return cmp.Compare(a.promise, b.promise)
	}
	return cmp.Compare(a.Strategy.Spec.Parts, b.Strategy.Spec.Parts)
}

const clearFactor = 1.1

func rank(v objectives.Verdict) int {
	return map[objectives.Verdict]int{objectives.Met: 0, objectives.Undecided: 1,
		objectives.Missed: 2}[v]
}
