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

// A search is a Question in progress.
type search struct {
	question Question
	wanted   objectives.List
	sample   bench.Scenario
	traffic  *traffic // nil if it cannot be drawn
	replays  bool     // see replayable
	work     Described
	run      bench.RunFunc
	stop     bench.Stop // of all runs of strategies' own code
	failed   map[string]bool
	left     []string
	models   map[line]*modelled
	scaled   struct { // traffic of the last stress
		*traffic
		load, service float64
	}
	measures map[string]Option // by own code
	spent    int               // tasks of strategies' own code
}

const (
	seeds    = 6 // per measurement by a strategy's own code
	mostKept = 3 // options measured with all seeds
)

// Do answers the question. run makes a run of a strategy's own code: bench.Run, or a function that
// runs it in another process. If ctx ends, Do returns an error.
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
	s.left = left
	if n, all := s.sample.Stop.Tasks, s.sample.Load.Arrival.Tasks(); n < all {
		s.left = append([]string{fmt.Sprintf("tasks of the record after the first %d of %d", n,
			all)}, left...)
	}
	options, err := s.options(ctx, all)
	if err != nil {
		return nil, err
	}
	if len(options) == 0 {
		return nil, errors.New("no strategy has a result: " + s.left[0])
	}
	return s.answer(ctx, options)
}

// search plans the traffic before any strategy runs.
func (q Question) search(run bench.RunFunc) (s *search, err error) {
	s = &search{question: q, wanted: q.wanted(), sample: q.sample(), run: run,
		failed: map[string]bool{}, models: map[line]*modelled{}, measures: map[string]Option{}}
	if s.traffic, err = draw(s.sample, q.planned(), ends(s.wanted)); err != nil {
		return nil, err
	}
	s.work, s.stop = s.described(), s.stopOfRuns()
	s.replays = s.replayable()
	return s, nil
}

func (s *search) replayable() bool {
	return s.traffic != nil &&
		(s.sample.Target.Spec.Name == "none" || targets.PolicyFor(s.sample.Target) != nil) &&
		s.sample.Timeout == 0 && s.sample.Patience == nil && s.sample.Drain == 0 &&
		!slices.ContainsFunc(s.wanted,
			func(o objectives.Objective) bool { return !tells(o.Unit) })
}

// stopOfRuns returns the stop of runs of strategies' own code: a part of the traffic, unless it is
// a job that ends.
func (s *search) stopOfRuns() bench.Stop {
	stop, arrival := s.sample.Stop, s.sample.Load.Arrival
	if arrival.Spec.AllAtOnce || ends(s.wanted) {
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

// tasks returns the approximate number of tasks of a run.
func (s *search) tasks() int {
	if s.stop.Tasks > 0 || s.traffic == nil {
		return s.stop.Tasks
	}
	return len(s.traffic.samples[0].due)
}

// options returns the best settings of each promising behaviour: first of those covered by the
// recursion and of pools, at whose limit the others are compared.
func (s *search) options(ctx context.Context, all []behaviour) (options []Option, err error) {
	var others []behaviour
	limit := 0
	for _, b := range all {
		if !b.plain && !s.exactly(b) {
			others = append(others, b)
			continue
		}
		if b.members, err = s.honest(ctx, b.members); err != nil {
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
	if l, ok := s.lineOf(b.first(), plainly(limit, 0)); ok && s.replays { // twice the necessary length
		return asQueue(min(2*max(1, s.model(l).longest), most))
	}
	if most == anyQueue {
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
	// with a rate limit, short runs without a refusal do not exclude refusals, unless refused calls
	// come again at no more than the rate
	_, own := r.(*ran)
	o.fragile = own && s.sample.Target.Spec.RateLimits && s.mayRefuse() == 0 &&
		!(fit[0].Spec.Retries && b.paced > 0)
	if first := s.wanted[0]; o.Promise.Told() {
		atMost := first.Of(value{first.Unit, 0}) == objectives.Met
		worst := map[bool]float64{true: o.Promise.High, false: o.Promise.Low}[atMost]
		o.promise = excessOf(worst, first.Bound, atMost)
	}
	for _, w := range s.wanted {
		f := r.figure(w.Unit)
		o.Figures, o.excess = append(o.Figures, f), max(o.excess, excess(w, f.Mid))
	}
	return o
}

// overloaded returns the option if the queue grows by its load, or nil.
func (s *search) overloaded(b behaviour, fit []strategies.Variant, limit int) *Option {
	why, times := s.unstable(b, plainly(limit, 0))
	if why == "" {
		return nil
	}
	o := s.option(b, fit, limit, 0, &modelled{})
	o.Unstable, o.Verdict = why, objectives.Missed
	o.excess = farBeyond * times
	// for a rate-limited target, a limit alone does not keep the rate
	o.fragile = s.sample.Target.Spec.RateLimits && b.paced == 0
	return &o
}

// farBeyond makes every stable option nearer than unstable ones.
const farBeyond = 1e100

// excess returns the ratio of a value to its bound, inverted if more is better.
func excess(o objectives.Objective, v float64) float64 {
	atMost := o.Of(value{o.Unit, 0}) == objectives.Met
	switch {
	case math.IsNaN(v):
		return math.Inf(1)
	case o.Of(value{o.Unit, v}) == objectives.Met:
		return min(1, excessOf(v, o.Bound, atMost))
	}
	return max(1, excessOf(v, o.Bound, atMost))
}

func excessOf(v, bound float64, atMost bool) float64 {
	if !atMost {
		v, bound = bound, v
	}
	const least = 1e-4 // for a bound of 0 on a share
	return v / max(bound, least)
}

// better orders options: first by whether they surely meet the objectives, and not only while work
// is slow. Options that do are ordered by limit, then by sustained load and promise, if clearly
// different, then by simplicity. The others are ordered by distance, if clearly different, then by
// simplicity.
func better(a, b Option) int {
	if c := cmp.Compare(rank(a.Verdict), rank(b.Verdict)); c != 0 {
		return c
	}
	if a.Verdict != objectives.Met && (a.Unstable == "") != (b.Unstable == "") {
		return map[bool]int{true: -1, false: 1}[a.Unstable == ""]
	}
	if a.Verdict != objectives.Met && (a.excess > clearly*b.excess || b.excess > clearly*a.excess) {
		return cmp.Compare(a.excess, b.excess)
	}
	if a.fragile != b.fragile {
		return map[bool]int{true: 1, false: -1}[a.fragile]
	}
	if c := cmp.Compare(a.Strategy.Spec.Parts, b.Strategy.Spec.Parts); c != 0 &&
		a.Verdict != objectives.Met {
		return c
	}
	if c := cmp.Compare(a.Limit, b.Limit); c != 0 {
		return c
	}
	if alike(a.Figures, b.Figures) { // a tie. Stresses by a few runs cannot break it
		return cmp.Compare(a.Strategy.Spec.Parts, b.Strategy.Spec.Parts)
	}
	if a.Holds > clearly*b.Holds || b.Holds > clearly*a.Holds {
		return cmp.Compare(b.Holds, a.Holds)
	}
	if a.Verdict == objectives.Met && (a.promise > clearly*b.promise ||
		b.promise > clearly*a.promise) {
		return cmp.Compare(a.promise, b.promise)
	}
	return cmp.Compare(a.Strategy.Spec.Parts, b.Strategy.Spec.Parts)
}

const clearly = 1.1

func rank(v objectives.Verdict) int {
	return map[objectives.Verdict]int{objectives.Met: 0, objectives.Undecided: 1,
		objectives.Missed: 2}[v]
}
