package advise

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/poolbench/poolbench/bench/objectives"
)

// halving measures the behaviours that are no pools, by their own code: at the limit that does for
// a pool or, where that is 0, at all of the first look. The better half goes on with runs of twice
// as many tasks, until few are left; these are measured with all seeds.
func (s *search) halving(ctx context.Context, all []behaviour, limit int) ([]Option, error) {
	limits := []int{limit}
	if limit == 0 {
		limits = s.limits()
	}
	tasks := s.runTasks(max(1, len(all)*len(limits)/2))
	var left []Option
	for len(all) > 0 {
		options, err := s.round(ctx, all, limits, tasks)
		if err != nil {
			return nil, err
		}
		left = nearestOf(options)
		slices.SortStableFunc(left, better)
		if len(left) <= mostKept {
			break
		}
		keep := max(mostKept, len(left)/2)
		s.drop(left[keep:], tasks)
		left, all, tasks = left[:keep], nil, 2*tasks
		for _, o := range left {
			all = append(all, o.behaviour)
		}
		limits = limitsOf(left)
	}
	for i := range left {
		if err := s.settle(ctx, &left[i], limit == 0); err != nil {
			return nil, err
		}
	}
	return left, nil
}

// drop says what goes no further.
func (s *search) drop(options []Option, tasks int) {
	var names []string
	for _, o := range options {
		names = append(names, o.Strategy.String())
	}
	slices.Sort(names)
	s.left = append(s.left, fmt.Sprintf("%s: behind after runs of %d tasks",
		strings.Join(names, ", "), tasks))
}

func limitsOf(options []Option) (limits []int) {
	for _, o := range options {
		limits = append(limits, o.Limit)
	}
	slices.Sort(limits)
	return slices.Compact(limits)
}

// round runs each behaviour once at each of the limits.
func (s *search) round(
	ctx context.Context, all []behaviour, limits []int, tasks int,
) (options []Option, err error) {
	var trials []trial
	var of []behaviour
	for _, b := range all {
		for _, limit := range limits {
			trials = append(trials, trial{b.first(), plainly(limit, s.queueOf(b, limit))})
			of = append(of, b)
		}
	}
	readings, err := s.runs(ctx, trials, tasks, 1)
	for i, r := range readings {
		if t := trials[i]; r != nil && err == nil {
			options = append(options, s.option(of[i], of[i].members, t.limit, t.queue, r))
		}
	}
	return options, err
}

// nearestOf keeps the best option of each strategy.
func nearestOf(options []Option) (best []Option) {
	for _, o := range options {
		at := slices.IndexFunc(best, func(b Option) bool {
			return b.Strategy.String() == o.Strategy.String()
		})
		switch {
		case at < 0:
			best = append(best, o)
		case better(o, best[at]) < 0:
			best[at] = o
		}
	}
	return best
}

// measured is a behaviour at a limit, by its own code with so many seeds; nil where that fails.
func (s *search) measured(
	ctx context.Context, b behaviour, limit, seeds int,
) (*Option, error) {
	fit, queue := b.at(limit), s.queueOf(b, limit)
	if len(fit) == 0 {
		return nil, nil
	}
	readings, err := s.runs(ctx, []trial{{fit[0], plainly(limit, queue)}}, s.runTasks(seeds), seeds)
	if err != nil || readings[0] == nil {
		return nil, err
	}
	o := s.option(b, fit, limit, queue, readings[0])
	return &o, nil
}

// settle looks, a run at a time, for a smaller limit with which an option meets the objectives as
// well, and measures what it finds with all seeds: at a few larger limits too where it may have
// another one than pools.
func (s *search) settle(ctx context.Context, o *Option, upwards bool) error {
	limit := o.Limit
	for step := 1; o.Verdict == objectives.Met && limit-step >= 1; step *= 2 {
		m, err := s.measured(ctx, o.behaviour, limit-step, 1)
		if err != nil {
			return err
		}
		if m == nil || m.Verdict != objectives.Met {
			break
		}
		limit -= step
	}
	return s.confirmed(ctx, o, limit, upwards || limit < o.Limit)
}

// confirmed makes an option what its behaviour comes to with all seeds: at that limit or, where it
// misses the objectives and may have more, at one of the next.
func (s *search) confirmed(ctx context.Context, o *Option, limit int, upwards bool) error {
	m, err := s.measured(ctx, o.behaviour, limit, seeds)
	for try := 0; try < mostTries && err == nil && m != nil && upwards &&
		m.Verdict != objectives.Met && m.Limit < s.question.limitAtMost(); try++ {
		var more *Option
		more, err = s.measured(ctx, o.behaviour, m.Limit+max(1, m.Limit/8), seeds)
		if more == nil || more.excess >= m.excess {
			break
		}
		m = more
	}
	if err == nil && m != nil {
		*o = *m
	}
	return err
}

// mostTries bounds the steps of a search for a larger limit.
const mostTries = 4
