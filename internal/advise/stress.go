package advise

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/stat"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/objectives"
	"github.com/poolbench/poolbench/targets"
)

var stressLoads = []float64{1.25, 1.5, 2}

var codeLoads = []float64{1.1, 1.25, 1.5, 2}

const (
	stressService = 1.5
	// fast work is the hard case for a rate-limited target
	stressFaster  = 0.25
	stressFreeze  = "freeze:period=10s,stop=500ms" // for a target without limits
	maxLoadFactor = 8                              // largest load factor tried
)

func (s *search) stress(ctx context.Context, o *Option) error {
	if o.Unstable != "" {
		return nil
	}
	_, recursed := o.reading.(*modelReading)
	if recursed {
		s.stressLines(o)
	} else if err := s.stressCode(ctx, o); err != nil {
		return err
	}
	if s.sample.Target.Spec.Name != "none" {
		return nil
	}
	const name = "a freeze of 500ms every 10s"
	freeze := targets.MustParse(stressFreeze)
	under := setting{o.Limit, 0, 1, 1, &freeze}
	if recursed && !o.behaviour.sheds {
		s.stressLine(o, name, under)
		return nil
	}
	_, err := s.stressOwnCode(ctx, o, name, under)
	return err
}

func (s *search) stressLines(o *Option) {
	for _, load := range stressLoads {
		s.stressLine(o, fmt.Sprintf("load x%v", load), setting{o.Limit, 0, load, 1, nil})
	}
	for _, by := range s.services() {
		one := s.stressLine(o, fmt.Sprintf("service x%v", by), setting{o.Limit, 0, 1, by, nil})
		o.unproven = o.unproven || by == stressFaster && one == objectives.Missed
	}
	if s.traffic.recorded {
		name, b := s.traffic.busiestStretch(o.Limit, s.slotsOf(o))
		if worst := s.summarize(b); worst.figure(s.wanted[0].Unit).Known() {
			s.addStress(o, name, worst, 0, 0)
		}
	}
	if o.Verdict == objectives.Met {
		o.Holds = s.largestLoad(o, 1, maxLoadFactor)
	}
}

func (s *search) services() []float64 {
	if s.sample.Target.Spec.RateLimits {
		return []float64{stressService, stressFaster}
	}
	return []float64{stressService}
}

func (s *search) lineUnder(o *Option, under setting) line {
	if l, ok := s.lineOf(o.Strategy, under); ok {
		return l
	}
	l := unstressedLine(under.limit, s.slotsOf(o)) // it sheds
	l.load, l.service = under.load, under.service
	return l
}

func (s *search) meets(o *Option, under setting) bool {
	why, _ := s.unstable(o.behaviour, under)
	return why == "" &&
		judge(s.model(s.lineUnder(o, under)), s.wanted) == objectives.Met
}

func (s *search) stressLine(o *Option, name string, under setting) objectives.Verdict {
	if why, _ := s.unstable(o.behaviour, under); why != "" {
		return s.addUnstable(o, name)
	}
	r := s.model(s.lineUnder(o, under))
	mean, half := changed(r.batches, s.model(s.lineUnder(o, unstressed(o.Limit, 0))).batches)
	return s.addStress(o, name, r, mean, half)
}

// changed returns the relative change from base to under, for paired values.
func changed(under, base []float64) (mean, half float64) {
	n := min(len(under), len(base))
	of := max(stat.Mean(base[:n], nil), math.SmallestNonzeroFloat64)
	changes := make([]float64, n)
	for i := range n {
		changes[i] = (under[i] - base[i]) / of
	}
	return halfWidth(changes, 1)
}

func (s *search) addUnstable(o *Option, name string) objectives.Verdict {
	o.Stresses = append(o.Stresses, Stress{Name: name, Figure: unknown, Unstable: true,
		Verdict: objectives.Missed})
	return objectives.Missed
}

// addStress records a stress. mean is its change of the promised metric. An improvement or an
// insignificant change counts as no change.
func (s *search) addStress(
	o *Option, name string, r reading, mean, half float64,
) objectives.Verdict {
	if r.grows() {
		return s.addUnstable(o, name)
	}
	first := s.wanted[0]
	one := Stress{Name: name, Figure: r.figure(first.Unit), Verdict: judge(r, s.wanted)}
	worse := 1.0
	if !isUpper(first) {
		worse = -1
	}
	if off := worse * (one.Figure.Mid - o.Promise.Mid); off <= 0 || half > 0 && worse*mean <= half {
		one.NoWorse, one.Figure = true, o.Promise
		if rank(o.Verdict) > rank(one.Verdict) {
			one.Verdict = o.Verdict
		}
	}
	for _, w := range s.wanted[1:] {
		if one.Missed == "" && r.figure(w.Unit).judge(w) == objectives.Missed {
			one.Missed = w.Unit
		}
	}
	o.Stresses = append(o.Stresses, one)
	return one.Verdict
}

// slotsOf returns the queue slots for the recursion, in which every accepted task waits.
func (s *search) slotsOf(o *Option) int {
	switch {
	case !o.behaviour.sheds:
		return unboundedQueue
	case o.Queue == bench.NoQueue:
		return 0
	}
	return o.Queue
}

// largestLoad returns the largest load factor at which the option meets the objectives, to a
// hundredth. At low it must meet the objectives, unless low is 0.
func (s *search) largestLoad(o *Option, low, high int) float64 {
	const part = 100
	missed := smallest(part*low, part*high, part, func(n int) bool {
		return !s.meets(o, setting{o.Limit, 0, float64(n) / part, 1, nil})
	})
	return float64(missed-1) / part
}

func (s *search) stressCode(ctx context.Context, o *Option) error {
	if _, ok := scaleService(s.sample.Workload, 1); ok {
		for _, by := range s.services() {
			one, err := s.stressOwnCode(ctx, o, fmt.Sprintf("service x%v", by),
				setting{1, 1, 1, by, nil})
			if err != nil {
				return err
			}
			o.unproven = o.unproven || by == stressFaster && one == objectives.Missed
		}
	}
	if !s.sample.Load.Arrival.TakesRate() {
		return nil
	}
	holds, held := 1.0, true
	for _, load := range codeLoads {
		one, err := s.stressOwnCode(ctx, o, fmt.Sprintf("load x%v", load),
			setting{1, 1, load, 1, nil})
		if err != nil {
			return err
		}
		if held = held && one == objectives.Met; held {
			holds = load
		}
	}
	if o.Verdict == objectives.Met {
		o.Holds = holds
	}
	return nil
}

func (s *search) stressOwnCode(
	ctx context.Context, o *Option, name string, under setting,
) (verdict objectives.Verdict, err error) {
	under.limit, under.queue = o.Limit, s.queueOf(o.behaviour, o.Limit)
	if why, _ := s.unstable(o.behaviour, under); why != "" {
		s.addUnstable(o, name)
		return objectives.Missed, nil
	}
	if o.behaviour.plain && o.Strategy.Spec.UsesQueue && o.behaviour.sheds {
		under.queue = o.Queue
	}
	readings, err := s.runs(ctx, []trial{{o.Strategy, under}}, seeds)
	if err != nil || readings[0] == nil {
		return objectives.Undecided, err
	}
	mean, half := s.changed(o, readings[0])
	return s.addStress(o, name, readings[0], mean, half), nil
}

// changed returns the change by a stress in the runs of an option. If the recursion models the
// option, the result is the change for all traffic plus the deviation of the runs from it.
func (s *search) changed(o *Option, under *codeReading) (mean, half float64) {
	unit := s.wanted[0].Unit
	own, ok := o.reading.(*codeReading)
	if !ok { // a pool that sheds, under a freeze
		var base []float64
		for _, m := range s.modelRuns(s.scenario(trial{o.Strategy, unstressed(o.Limit, o.Queue)}),
			len(under.results), unstressedLine(o.Limit, s.slotsOf(o))) {
			base = append(base, m.figure(unit).Mid)
		}
		return changed(under.values(unit), base)
	}
	after, ok := under.ratios(unit)
	before, comparable := own.ratios(unit)
	if !ok || !comparable {
		return changed(under.values(unit), own.values(unit))
	}
	mean, half = changed(under.all.batches, own.all.batches)
	if after == nil && before == nil {
		return mean, half
	}
	ones := slices.Repeat([]float64{1}, len(own.results))
	if after == nil {
		after = ones
	}
	if before == nil {
		before = ones
	}
	more, wide := changed(after, before)
	return mean + more, math.Hypot(half, wide)
}

func (t *traffic) busiestStretch(limit, queue int) (name string, _ *batchReading) {
	s := t.samples[0]
	name, window := "the busiest hour", int64(time.Hour)
	if part := (s.due[len(s.due)-1] - s.due[0]) / batches; part < window {
		name, window = "the busiest twentieth", part
	}
	var work, most int64
	from, to, low := 0, 0, 0
	for i := range s.due {
		work += s.service[i]
		for s.due[i]-s.due[low] > window {
			work -= s.service[low]
			low++
		}
		if work > most {
			most, from, to = work, low, i+1
		}
	}
	wait, _ := unstressedLine(limit, queue).serve(s)
	b := &batchReading{spans: map[string]*span{}, value: map[string][]float64{}, varianceFactor: 1}
	b.add(slices.Clone(wait[from:to]), s.service[from:to])
	b.addValue(metric.Makespan, float64(window)/1e9)
	return name, b
}
