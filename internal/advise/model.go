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

type modelReading struct {
	figures map[string]Figure
	batches []float64 // of the promised metric
	longest int       // queue
	growing bool      // the queue grows throughout the traffic, so there are no figures
}

func (m *modelReading) grows() bool { return m.growing }

func (m *modelReading) figure(unit string) Figure {
	if f, ok := m.figures[unit]; ok && !m.growing {
		return f
	}
	return unknown
}

func (s *search) model(l line) *modelReading {
	m, ok := s.models[l]
	if !ok {
		m = s.summarize(s.trafficAt(l.load, l.service).simulate(l))
		s.models[l] = m
	}
	return m
}

// trafficAt caches the last traffic, because many pools use it.
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

func (s *search) summarize(b *batchReading) *modelReading {
	m := &modelReading{figures: map[string]Figure{}, longest: b.longest, growing: b.grows()}
	for _, w := range s.wanted {
		if modelsMetric(w.Unit) {
			m.figures[w.Unit] = b.figure(w.Unit)
		}
	}
	if unit := s.wanted[0].Unit; modelsMetric(unit) {
		m.batches = b.perBatch(unit)
	}
	return m
}

// lineOf returns the pool that is, or approximates, a behaviour. ok is false if the strategy sheds,
// and so has less work than the pool.
func (s *search) lineOf(v strategies.Variant, t setting) (_ line, ok bool) {
	if s.traffic == nil || v.Spec.Sheds || s.sample.Timeout != 0 || s.sample.Patience != nil ||
		s.sample.Drain != 0 {
		return line{}, false
	}
	target := s.sample.Target
	l := line{limit: slots(v, t.limit), queue: unboundedQueue, pace: paceOf(v, target),
		freeze: freezeOf(s.targetOf(t)), load: t.load, service: t.service}
	switch rate, burst := targetRate(target); {
	case v.Spec.Retries && v.Spec.Starts == nil && rate > 0:
		// refused tasks come again, at most at that pace
		l.pace = recursion.Pace{Every: float64(time.Second) / rate, Kept: burst}
	case targets.PolicyFor(target) != nil:
		l.target = target.String()
	}
	return l, l.limit > 0
}

// isExact reports whether the recursion is exact by contract: tasks start in order of arrival, as
// soon as a slot is free and the pace allows it, and the target decides only by the times of calls.
func (s *search) isExact(b behaviour) bool {
	spec := b.first().Spec
	if b.sheds && s.sample.Target.Spec.Name != "none" {
		return false // the recursion supports either a full queue or a target
	}
	return s.recursionCovers && (b.plain || !b.sheds && spec.FIFO && spec.Starts != nil &&
		!spec.Starts(params(b.first(), 1, 1)).Several && spec.Quantum == nil &&
		spec.ClassPools == nil && !spec.Retries && !spec.Splits && spec.Bound != nil)
}

func slots(v strategies.Variant, limit int) int {
	if v.Spec.Bound == nil {
		return 0
	}
	return v.Spec.Bound(params(v, limit, 1))
}

// perRun reports whether a metric grows with the length of a run.
func perRun(wanted objectives.List) bool {
	return slices.ContainsFunc(wanted, func(o objectives.Objective) bool {
		return o.Unit == metric.Makespan || metric.IsMax(o.Unit)
	})
}

func (s *search) modelRuns(sc bench.Scenario, seeds int, l line) (all []*modelReading) {
	for i := range seeds {
		one, err := drawSample(sc, sc.Seed+uint64(i))
		if err != nil {
			return nil // the run reports the error
		}
		part := traffic{samples: []sample{one}, blocks: 1, warmup: s.sample.Stop.Warmup}
		all = append(all, s.summarize(part.simulate(l)))
	}
	return all
}
