package advise

import (
	"fmt"
	"math"
	"slices"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/observe"
	"github.com/poolbench/poolbench/workloads"
)

const (
	batches = observe.Batches // an interval rests on so many blocks of a plan, or samples

	// of one plan of steady traffic. The recursion takes some 30 ms for a million tasks, so that a
	// small budget need not make the promise worse; at the most a plan has 16 bytes a task.
	leastPlanned  = 2_000_000
	mostPlanned   = 8_000_000
	burstyTimes   = 3 // as many, where tasks come in bursts whose number decides
	fewestSamples = 5
)

// A sample is one plan: when tasks are due and how long they take, in nanoseconds.
type sample struct{ due, service []int64 }

// traffic is what the strategies have to cope with, in one of three forms. Steady traffic is one
// long plan, so that what a start with idle slots spares its first tasks does not show. A recorded
// plan is itself. What has an end, or a rate that changes, is twenty samples, each from its start.
type traffic struct {
	samples  []sample
	blocks   int      // that each sample is cut into
	recorded bool     // one plan whatever the seed: a single sample
	of       steadily // how a load is changed that is not the same on another scale of time; nil
	warmup   float64
	busier   float64  // of a recorded plan: see sample.busier; 0: as it is
	next     *traffic // the plan so much busier; nil: nobody has asked
}

// steadily draws steady traffic at so many times the load.
type steadily func(load float64) (*traffic, error)

// steady reports whether the traffic goes on, at one rate on average.
func steady(sc bench.Scenario) bool {
	spec := sc.Load.Arrival.Spec
	return !spec.AllAtOnce && !spec.Unsteady
}

// draw plans the traffic of a scenario; nil where tasks have no time that is known before they run.
// Steady traffic has that many tasks; of a run that is to end, as where the question is on its
// makespan, there are samples.
func draw(sc bench.Scenario, tasks int, ends bool) (*traffic, error) {
	w, err := sc.Workload.Spec.Build(sc.Seed, sc.Workload.Values)
	if err != nil {
		return nil, err
	}
	if _, known := w.(workloads.Timed); !known {
		return nil, nil
	}
	if steady(sc) && !ends {
		return drawSteady(sc, tasks)
	}
	t := &traffic{warmup: sc.Stop.Warmup, blocks: 1}
	for i := 0; i < batches && (i < fewestSamples || i*len(t.samples[0].due) < mostPlanned); i++ {
		s, err := drawSample(sc, sc.Seed+uint64(i))
		if err != nil {
			return nil, err
		}
		if i == 1 && slices.Equal(s.due, t.samples[0].due) &&
			slices.Equal(s.service, t.samples[0].service) {
			t.recorded, t.blocks, t.busier = true, batches, s.busier()
			return t, nil
		}
		t.samples = append(t.samples, s)
	}
	return t, nil
}

func drawSteady(sc bench.Scenario, tasks int) (*traffic, error) {
	even := scales(sc)
	if !even {
		tasks = min(burstyTimes*tasks, mostPlanned)
	}
	sc.Stop.Tasks, sc.Stop.Duration = tasks, 0
	s, err := drawSample(sc, sc.Seed)
	if err != nil {
		return nil, err
	}
	t := &traffic{warmup: sc.Stop.Warmup, blocks: batches, samples: []sample{s}}
	if !even {
		t.of = func(load float64) (*traffic, error) {
			next, err := sc.Load.Arrival.Spec.Open(load*sc.Load.PerSecond, sc.Seed,
				sc.Load.Arrival.Values)
			if err != nil {
				return nil, err
			}
			changed := *t
			changed.of = nil
			changed.samples = []sample{{make([]int64, tasks), s.service}}
			for i := range tasks {
				changed.samples[0].due[i] = int64(next())
			}
			return &changed, nil
		}
	}
	return t, nil
}

// scales reports whether twice the rate is the same traffic in half the time: not that of bursts
// whose length is given.
func scales(sc bench.Scenario) bool {
	const some = 1000
	sc.Stop.Tasks, sc.Stop.Duration = some, 0
	one, err := drawSample(sc, sc.Seed)
	sc.Load.PerSecond *= 2
	other, failed := drawSample(sc, sc.Seed)
	if err != nil || failed != nil {
		return true // at a rate that is impossible, there is no other way
	}
	return slices.EqualFunc(one.due, other.due, func(a, b int64) bool {
		return math.Abs(float64(a)-2*float64(b)) <= 2+1e-12*float64(a)
	})
}

func drawSample(sc bench.Scenario, seed uint64) (s sample, err error) {
	next, err := sc.Load.Arrival.Spec.Open(sc.Load.PerSecond, seed, sc.Load.Arrival.Values)
	if err != nil {
		return s, fmt.Errorf("arrival %s: %w", sc.Load.Arrival, err)
	}
	w, err := sc.Workload.Spec.Build(seed, sc.Workload.Values)
	if err != nil {
		return s, err
	}
	timed := w.(workloads.Timed)
	if n := sc.Stop.Tasks; n > 0 {
		s = sample{make([]int64, 0, n), make([]int64, 0, n)}
	}
	for i := 0; sc.Stop.Tasks == 0 || i < sc.Stop.Tasks; i++ {
		due := next()
		if sc.Stop.Tasks == 0 && due > sc.Stop.Duration {
			break
		}
		s.due = append(s.due, int64(due))
		s.service = append(s.service, int64(timed.Time(uint64(i))))
	}
	return s, nil
}

// at is the traffic at so many times the load, with tasks so many times as long.
func (t *traffic) at(load, service float64) *traffic {
	if load == 1 && service == 1 {
		return t
	}
	if t.of != nil && load != 1 {
		if changed, err := t.of(load); err == nil {
			return changed.at(1, service)
		}
	}
	scaled := *t
	scaled.next = nil
	scaled.samples = make([]sample, len(t.samples))
	for i, s := range t.samples {
		scaled.samples[i] = sample{scale(s.due, 1/load), scale(s.service, service)}
	}
	return &scaled
}

// ahead is the traffic with stretches as busy as they may come; nil where that is as it is.
func (t *traffic) ahead() *traffic {
	if t.next == nil && t.busier > 1 {
		t.next = t.at(t.busier, 1)
		t.next.busier = 0
	}
	return t.next
}

func scale(ns []int64, by float64) []int64 {
	if by == 1 {
		return ns
	}
	out := make([]int64, len(ns))
	for i, v := range ns {
		out[i] = int64(math.Round(float64(v) * by))
	}
	return out
}

// first is the first measured task of a plan of n.
func (t *traffic) first(n int) int { return int(t.warmup * float64(n)) }
