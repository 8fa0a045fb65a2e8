package advise

import (
	"slices"
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/objectives"
	"github.com/poolbench/poolbench/internal/statistics/recursion"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/targets"
)

// A modelled reading is what the recursion says of all metrics that are wanted.
type modelled struct {
	figures map[string]Figure
	batches []float64 // of the metric that is promised
	longest int       // queue
	growing bool      // it grows for as long as the traffic lasts, so that there is no figure
}

func (m *modelled) grows() bool { return m.growing }

func (m *modelled) figure(unit string) Figure {
	if f, ok := m.figures[unit]; ok && !m.growing {
		return f
	}
	return unknown
}

// model is what the recursion says of a line with all of the traffic.
func (s *search) model(l line) *modelled {
	m, ok := s.models[l]
	if !ok {
		m = s.told(s.trafficAt(l.load, l.service).through(l))
		s.models[l] = m
	}
	return m
}

// trafficAt keeps the last one: many lines are put through it.
func (s *search) trafficAt(load, service float64) *traffic {
	if load == 1 && service == 1 {
		return s.traffic
	}
	if s.scaled.traffic == nil || s.scaled.load != load || s.scaled.service != service {
		s.scaled.traffic = s.traffic.at(load, service)
		s.scaled.load, s.scaled.service = load, service
	}
	return s.scaled.traffic
}

// told keeps the figures and lets go of the times.
func (s *search) told(b *batched) *modelled {
	m := &modelled{figures: map[string]Figure{}, longest: b.longest, growing: b.grows()}
	for _, w := range s.wanted {
		if tells(w.Unit) {
			m.figures[w.Unit] = b.figure(w.Unit)
		}
	}
	if unit := s.wanted[0].Unit; tells(unit) {
		m.batches = b.perBatch(unit)
	}
	return m
}

// lineOf is the pool that a behaviour comes close to, or is; ok is false where it sheds, and so has
// less to do than any that does not.
func (s *search) lineOf(v strategies.Variant, t setting) (_ line, ok bool) {
	if s.traffic == nil || v.Spec.Sheds || s.sample.Timeout != 0 || s.sample.Drain != 0 {
		return line{}, false
	}
	target := s.sample.Target
	l := line{limit: slots(v, t.limit), queue: anyQueue, pace: paceOf(v, target),
		freeze: freezeOf(s.frozen(t)), load: t.load, service: t.service}
	switch rate, burst := targetRate(target); {
	case v.Spec.Retries && v.Spec.Starts == nil && rate > 0:
		// what is refused comes again, no sooner than at that pace
		l.pace = recursion.Pace{Every: float64(time.Second) / rate, Kept: burst}
	case targets.PolicyFor(target) != nil:
		l.target = target.String()
	}
	return l, l.limit > 0
}

// exactly reports whether the recursion says by contract what a strategy comes to: it starts its
// tasks in the order in which they come, as soon as there are a slot and a start for them, and what
// the target says follows from when it is called.
func (s *search) exactly(b behaviour) bool {
	spec := b.first().Spec
	if b.sheds && s.sample.Target.Spec.Name != "none" {
		return false // the recursion knows a queue that is full, or a target
	}
	return s.replays && (b.plain || !b.sheds && spec.FIFO && spec.Starts != nil &&
		!spec.Starts(params(b.first(), 1, 1)).Several && spec.Quantum == nil &&
		spec.ClassPools == nil && !spec.Retries && !spec.Splits && spec.Bound != nil)
}

// slots is how many tasks v runs at once at that limit; 0: any number.
func slots(v strategies.Variant, limit int) int {
	if v.Spec.Bound == nil {
		return 0
	}
	return v.Spec.Bound(params(v, limit, 1))
}

// ends reports whether a metric is that of a run, and grows with its length.
func ends(wanted objectives.List) bool {
	return slices.ContainsFunc(wanted, func(o objectives.Objective) bool {
		return o.Unit == metric.Makespan || metric.IsMax(o.Unit)
	})
}

// sameWork is what the recursion says of each run of a scenario with so many seeds, by itself.
func (s *search) sameWork(sc bench.Scenario, seeds int, l line) (all []*modelled) {
	for i := range seeds {
		one, err := drawSample(sc, sc.Seed+uint64(i))
		if err != nil {
			return nil // the run complains of it
		}
		part := traffic{samples: []sample{one}, blocks: 1, warmup: s.sample.Stop.Warmup}
		all = append(all, s.told(part.through(l)))
	}
	return all
}
