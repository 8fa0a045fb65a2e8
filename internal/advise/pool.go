package advise

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/objectives"
)

// pool finds the smallest limit and, if the behaviour sheds, the smallest queue that meets the
// objectives, or else the nearest option. The behaviour must be plain or exact.
func (s *search) pool(ctx context.Context, b behaviour) (nearest *Option, failed error) {
	below, above := 0, 0 // largest limit that misses, smallest that meets
	at := func(limit int) *Option {
		o, err := s.measurePool(ctx, b, limit)
		failed = errors.Join(failed, err)
		if o != nil && (nearest == nil || o.excess < nearest.excess ||
			o.Verdict == objectives.Met) {
			nearest = o
		}
		return o
	}
	var last *Option
	for _, limit := range s.limitsOfPools() {
		o := at(limit)
		if failed != nil || o == nil {
			break
		}
		if last != nil && last.Unstable == "" && equalFigures(last.Figures, o.Figures) {
			break // a larger limit gains nothing
		}
		if last = o; o.Verdict == objectives.Met {
			above = limit
			break
		}
		below = limit
	}
	if above == 0 && s.sample.Target.Spec.Name != "none" && nearest != nil {
		for step := nearest.Limit / 4; step > 0 && above == 0 && failed == nil; step /= 2 {
			for _, limit := range []int{nearest.Limit - step, nearest.Limit + step} {
				if limit > s.question.limitAtMost() || above != 0 {
					continue
				}
				if o := at(limit); o != nil && o.Verdict == objectives.Met {
					above, below = limit, max(0, limit-step)
				}
			}
		}
	}
	bisect(below, above, func(mid int) bool {
		if failed != nil {
			return false
		}
		o := at(mid)
		return o != nil && o.Verdict == objectives.Met
	})
	if !s.isExact(b) && nearest != nil && failed == nil {
		failed = s.measureFully(ctx, nearest, nearest.Limit, true)
	}
	return nearest, failed
}

// With a target, too large a limit may miss as well, so limitsOfPools adds small steps from the
// number of busy slots to twice as many.
func (s *search) limitsOfPools() []int {
	all := s.limits()
	if s.sample.Target.Spec.Name != "none" {
		for limit := int(s.work.Busy) + 1; float64(limit) < 2*s.work.Busy &&
			limit < s.question.limitAtMost(); limit += max(1, limit/6) {
			all = append(all, limit)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func (s *search) limits() []int {
	most := s.question.limitAtMost()
	all := []int{most}
	if s.sample.Target.Spec.Name != "none" && s.work.Busy > 0 {
		all = append(all, min(int(math.Ceil(1.25*s.work.Busy)), most))
	}
	for limit := 1; limit < most; limit *= 2 {
		all = append(all, limit)
	}
	if n := connections(s.sample.Target); n > 0 {
		all = append(all, min(n, most))
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func equalFigures(a, b []Figure) bool {
	return slices.EqualFunc(a, b, func(a, b Figure) bool {
		return a == b || !a.Known() && !b.Known()
	})
}

// measurePool returns nil if no member can have that limit.
func (s *search) measurePool(ctx context.Context, b behaviour, limit int) (*Option, error) {
	fit := b.at(limit)
	if err := ctx.Err(); err != nil || len(fit) == 0 {
		return nil, err
	}
	if o := s.overloaded(b, fit, limit); o != nil {
		return o, nil
	}
	if !s.isExact(b) {
		return s.measure(ctx, b, limit, 1)
	}
	queue := unboundedQueue
	if b.sheds {
		queue = s.smallestQueue(limit)
	}
	l := unstressedLine(limit, queue)
	if !b.sheds {
		l, _ = s.lineOf(fit[0], unstressed(limit, 0))
	}
	r := s.model(l)
	if !b.sheds {
		// a queue of the longest length is never full; with a shorter one, callers wait
		queue = min(max(r.longest, 1), s.question.queueAtMost(limit))
	}
	o := s.option(b, fit, limit, asQueue(queue), r)
	return &o, nil
}

func asQueue(slots int) int {
	if slots == 0 {
		return bench.NoQueue
	}
	return slots
}

// smallestQueue returns the largest queue that is allowed if all shed too many tasks.
func (s *search) smallestQueue(limit int) int {
	var ofShed objectives.List
	for _, o := range s.wanted {
		if o.Unit == metric.Shed {
			ofShed = append(ofShed, o)
		}
	}
	most := min(s.question.queueAtMost(limit), len(s.traffic.samples[0].due))
	return min(most, smallest(-1, most-1, 1, func(queue int) bool {
		return judge(s.traffic.simulateShedding(limit, queue), ofShed) == objectives.Met
	}))
}
