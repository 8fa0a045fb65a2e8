package advise

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/poolbench/poolbench/internal/objectives"
	"github.com/poolbench/poolbench/internal/text"
)

// halving measures behaviours by their own code, at the given limit or, if it is 0, at a few stable
// limits. The better half continues with twice as many seeds, and the last few with all seeds.
func (s *search) halving(ctx context.Context, all []behaviour, limit int) ([]Option, error) {
	limits := []int{limit}
	if limit == 0 {
		limits = s.firstStableLimits(s.limits())
	}
	all = s.affordable(all, len(limits))
	var left []Option
	for n := 1; len(all) > 0; n *= 2 {
		options, err := s.measureAll(ctx, all, limits, n)
		if err != nil {
			return nil, err
		}
		left = bestSettings(options)
		slices.SortStableFunc(left, better)
		if len(left) <= maxKept {
			break
		}
		keep := maxKept
		if n < s.maxSeeds() {
			keep = max(maxKept, len(left)/2)
		}
		s.recordDropped(left[keep:], n)
		left, all = left[:keep], nil
		for _, o := range left {
			all = append(all, o.behaviour)
		}
		limits = limitsOf(left)
	}
	for i := range left {
		if err := s.lowerLimit(ctx, &left[i], limit == 0); err != nil {
			return nil, err
		}
	}
	return left, nil
}

// affordable returns the simplest behaviours, at least maxKept, that the remaining budget can run
// once.
func (s *search) affordable(all []behaviour, limits int) []behaviour {
	each := max(1, limits*s.tasks())
	most := max(maxKept, (s.question.tasks()-s.simulatedTasks)/each)
	if len(all) <= most {
		return all
	}
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b behaviour) int { return simpler(a.first(), b.first()) })
	var names []string
	for _, b := range all[most:] {
		names = append(names, b.first().String())
	}
	slices.Sort(names)
	takes := float64(s.simulatedTasks+len(all)*each) / tasksPerSecond
	s.notConsidered = slices.Insert(s.notConsidered, 0,
		fmt.Sprintf("%s: the budget is too small: give --budget %.0fs", strings.Join(names, ", "),
			math.Ceil(takes)))
	return all[:most]
}

func (s *search) firstStableLimits(limits []int) []int {
	const most = 4
	if at := slices.IndexFunc(limits, func(n int) bool {
		return float64(n) > s.work.Busy
	}); at > 0 {
		limits = limits[at:]
	}
	if len(limits) > most {
		limits = append(slices.Clone(limits[:most-1]), limits[len(limits)-1])
	}
	return limits
}

func (s *search) recordDropped(options []Option, seeds int) {
	names := map[string][]string{}
	for _, o := range options {
		why := fmt.Sprintf("behind after %s", text.Count(seeds, "run"))
		if o.Unstable != "" {
			why = "unstable"
		}
		names[why] = append(names[why], o.Strategy.String())
	}
	for _, why := range slices.Sorted(maps.Keys(names)) {
		slices.Sort(names[why])
		s.notConsidered = append(s.notConsidered, strings.Join(names[why], ", ")+": "+why)
	}
}

func limitsOf(options []Option) (limits []int) {
	for _, o := range options {
		limits = append(limits, o.Limit)
	}
	slices.Sort(limits)
	return slices.Compact(limits)
}

func (s *search) measureAll(
	ctx context.Context, all []behaviour, limits []int, seeds int,
) (options []Option, err error) {
	var trials []trial
	var of []behaviour
	for _, b := range all {
		for _, limit := range limits {
			if o := s.overloaded(b, b.members, limit); o != nil {
				options = append(options, *o)
				continue
			}
			trials = append(trials, trial{b.first(), unstressed(limit, s.queueOf(b, limit))})
			of = append(of, b)
		}
	}
	readings, err := s.runs(ctx, trials, seeds)
	for i, r := range readings {
		if t := trials[i]; r != nil && err == nil {
			options = append(options, s.option(of[i], of[i].members, t.limit, t.queue, r))
		}
	}
	return options, err
}

func bestSettings(options []Option) (best []Option) {
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

// measure returns nil if the run fails, or if no member can have that limit.
func (s *search) measure(
	ctx context.Context, b behaviour, limit, seeds int,
) (*Option, error) {
	fit, queue := b.at(limit), s.queueOf(b, limit)
	if len(fit) == 0 {
		return nil, nil
	}
	if o := s.overloaded(b, fit, limit); o != nil {
		return o, nil
	}
	key := fmt.Sprint(fit[0], limit, seeds)
	o, known := s.measures[key]
	if !known {
		readings, err := s.runs(ctx, []trial{{fit[0], unstressed(limit, queue)}}, seeds)
		if err != nil || readings[0] == nil {
			return nil, err
		}
		o = s.option(b, fit, limit, queue, readings[0])
		s.measures[key] = o
	}
	return &o, nil
}

// lowerLimit tries smaller limits with one run each, and measures the last one that meets the
// objectives with all seeds.
func (s *search) lowerLimit(ctx context.Context, o *Option, upwards bool) error {
	limit := o.Limit
	for step := 1; o.Verdict == objectives.Met && limit-step >= 1; step *= 2 {
		m, err := s.measure(ctx, o.behaviour, limit-step, 1)
		if err != nil {
			return err
		}
		if m == nil || m.Verdict != objectives.Met {
			break
		}
		limit -= step
	}
	return s.measureFully(ctx, o, limit, upwards || limit < o.Limit)
}

// measureFully lowers the limit while the objectives are met. With upwards, it first tries a few
// larger limits if this one misses the objectives.
func (s *search) measureFully(ctx context.Context, o *Option, limit int, upwards bool) error {
	m, err := s.measure(ctx, o.behaviour, limit, seeds)
	for try := 0; try < maxTries && err == nil && m != nil && upwards &&
		m.Verdict != objectives.Met && m.Limit < s.question.limitAtMost(); try++ {
		var more *Option
		more, err = s.measure(ctx, o.behaviour,
			min(m.Limit+max(1, m.Limit/8), s.question.limitAtMost()), seeds)
		if more == nil || more.excess >= m.excess {
			break
		}
		m = more
	}
	for m != nil && err == nil && m.Verdict == objectives.Met && m.Limit > 1 {
		var less *Option
		less, err = s.measure(ctx, o.behaviour, m.Limit-1, seeds)
		if less == nil || less.Verdict != objectives.Met {
			break
		}
		m = less
	}
	if err == nil && m != nil {
		*o = *m
	}
	return err
}

const maxTries = 4
