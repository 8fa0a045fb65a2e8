package advise

import (
	"fmt"
	"math"
	"slices"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/workloads"
)

// batches is how many samples of a process, or blocks of a recorded plan, an interval rests on.
const batches = 20

// A sample is one plan: when tasks are due and how long they take, in nanoseconds.
type sample struct{ due, service []int64 }

// traffic is what the strategies have to cope with.
type traffic struct {
	samples  []sample
	recorded bool // one plan whatever the seed: a single sample
	warmup   float64
	busier   float64  // of a recorded plan: see sample.busier; 0: as it is
	next     *traffic // the plan so much busier; nil: nobody has asked
}

// draw plans the traffic of a scenario; nil where tasks have no time that is known before they run.
func draw(sc bench.Scenario) (*traffic, error) {
	w, err := sc.Workload.Spec.Build(sc.Seed, sc.Workload.Values)
	if err != nil {
		return nil, err
	}
	if _, known := w.(workloads.Timed); !known {
		return nil, nil
	}
	t := &traffic{warmup: sc.Stop.Warmup}
	for i := range batches {
		s, err := drawSample(sc, sc.Seed+uint64(i))
		if err != nil {
			return nil, err
		}
		if i == 1 && slices.Equal(s.due, t.samples[0].due) &&
			slices.Equal(s.service, t.samples[0].service) {
			t.recorded, t.busier = true, s.busier()
			return t, nil
		}
		t.samples = append(t.samples, s)
	}
	return t, nil
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
