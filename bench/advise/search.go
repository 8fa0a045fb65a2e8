package advise

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/objectives"
	"github.com/poolbench/poolbench/strategies"
)

// A search is a Question under way.
type search struct {
	question Question
	wanted   objectives.List
	sample   bench.Scenario
	traffic  *traffic // nil where it cannot be drawn
	replays  bool     // pools can be put through the recursion
	work     Described
	run      bench.RunFunc
	failed   map[string]bool
	left     []string
	known    map[string]Figure // of pools
	spent    int               // tasks of the strategies' own code
}

const (
	seeds    = 6 // of a measurement by a strategy's own code
	mostKept = 3 // options that are measured with all of them
)

// Do answers the question. run makes a run of a strategy's own code: bench.Run, or what runs it in
// another process. Where ctx ends there is no answer.
func (q Question) Do(ctx context.Context, run bench.RunFunc) (*Answer, error) {
	if err := q.Validate(); err != nil {
		return nil, err
	}
	s := &search{question: q, wanted: q.wanted(), sample: q.sample(), run: run,
		failed: map[string]bool{}, known: map[string]Figure{}}
	var err error
	if s.traffic, err = draw(s.sample); err != nil {
		return nil, err
	}
	s.work = s.described()
	s.replays = s.traffic != nil && s.sample.Target.Spec.Name == "none" &&
		s.sample.Timeout == 0 && s.sample.Drain == 0 && !slices.ContainsFunc(s.wanted,
		func(o objectives.Objective) bool { return !tells(o.Unit) })
	all, left := q.candidates(s.sample)
	if len(all) == 0 {
		return nil, errors.New("strategy: none is left to look at: " + fmt.Sprint(left))
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
		return nil, errors.New("no strategy gave a result: " + s.left[len(s.left)-1])
	}
	return s.answer(ctx, options)
}

// options are the best settings of each behaviour that is worth it: first those of pools, for which
// the others are compared at their limit.
func (s *search) options(ctx context.Context, all []behaviour) (options []Option, err error) {
	var others []behaviour
	limit := 0
	for _, b := range all {
		if !b.plain {
			others = append(others, b)
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

// queueOf is the queue that a strategy runs with beside that limit.
func (s *search) queueOf(b behaviour, limit int) int {
	most := s.question.queueAtMost(limit)
	if b.sheds {
		return asQueue(min(8*limit, most))
	}
	if s.replays { // twice what a pool needs
		return asQueue(min(2*max(1, s.traffic.queue(limit, anyQueue).longest), most))
	}
	if most == anyQueue {
		return 0
	}
	return asQueue(most)
}

// option is a behaviour with its settings and what they come to.
func (s *search) option(
	b behaviour, fit []strategies.Variant, limit, queue int, r reading,
) Option {
	o := Option{Strategy: fit[0], Ties: fit[1:], Limit: limit, Queue: queue, Rate: b.paced,
		Promise: r.figure(s.wanted[0].Unit), Verdict: judge(r, s.wanted), Holds: math.NaN(),
		Regret: math.NaN(), behaviour: b}
	if s.overloads(b, limit) && o.Verdict == objectives.Met {
		o.Verdict, o.excess = objectives.Missed, s.work.Busy/float64(limit)
	}
	if !fit[0].Spec.UsesQueue {
		o.Queue = 0
	}
	for _, w := range s.wanted {
		f := r.figure(w.Unit)
		o.Figures, o.excess = append(o.Figures, f), max(o.excess, excess(w, f.Mid))
	}
	return o
}

// overloads reports whether a process brings more work than the slots can do: then the queue grows
// for as long as it lasts, and no run is long enough to tell.
func (s *search) overloads(b behaviour, limit int) bool {
	return !b.sheds && s.work.Busy >= float64(limit) && !(s.traffic != nil && s.traffic.recorded)
}

// excess is the ratio of a value to its bound, turned so that more is worse.
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
	const least = 1e-4 // a bound of 0 is that of a share
	return v / max(bound, least)
}

// runTasks is how many tasks a run has of which that many are wanted for one decision: a part of
// the budget, enough for the metrics, and no more than the sample has.
func (s *search) runTasks(runs int) int {
	least := 1000
	for _, o := range s.wanted {
		least = max(least, 2*bench.LeastTasks(o.Unit))
	}
	n := max(least, s.question.tasks()/(decisions*runs))
	if most := s.sample.Stop.Tasks; most > 0 {
		n = min(n, most)
	}
	if s.traffic != nil && s.traffic.recorded || s.sample.Load.Arrival.Spec.AllAtOnce {
		n = max(n, s.sample.Stop.Tasks) // a part of it is another plan
	}
	return n
}

// decisions is about how many the budget is shared out among.
const decisions = 25

// better orders options: what surely meets the objectives first, and not only while work is slow,
// by limit, then by the load that it holds at, where that is clearly more, then by simplicity; what
// does not by how far it is off, where that differs clearly, then by simplicity.
func better(a, b Option) int {
	if c := cmp.Compare(rank(a), rank(b)); c != 0 {
		return c
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
	if a.Holds > clearly*b.Holds || b.Holds > clearly*a.Holds {
		return cmp.Compare(b.Holds, a.Holds)
	}
	return cmp.Compare(a.Strategy.Spec.Parts, b.Strategy.Spec.Parts)
}

// clearly is the ratio from which a load is not called the same.
const clearly = 1.1

func rank(o Option) int {
	return map[objectives.Verdict]int{objectives.Met: 0, objectives.Undecided: 1,
		objectives.Missed: 2}[o.Verdict]
}
