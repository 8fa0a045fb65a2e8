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
	batches = observe.Batches // blocks of a plan, or samples, per interval

	// The recursion of a million tasks, 16 bytes each, lasts about 30 ms, so a small budget need
	// not worsen the promise.
	minPlanned    = 2_000_000
	maxPlanned    = 8_000_000
	burstyTimes   = 3 // factor for bursty tasks, since the number of bursts counts
	fewestSamples = 5
)

type sample struct{ due, service []int64 }

// traffic has one of three forms. Steady traffic is one long plan, so that the start with idle
// slots has no effect. A record is used unchanged. Traffic with an end, or with a changing rate, is
// twenty samples, each from its start.
type traffic struct {
	samples    []sample
	blocks     int        // blocks per sample
	recorded   bool       // one plan for all seeds: a single sample
	atLoad     drawAtLoad // draws another load for traffic that does not scale in time, or nil
	warmup     float64
	busier     float64  // of a recorded plan: see sample.busier. 0: unchanged
	busierPlan *traffic // at that factor of the load, cached
}

type drawAtLoad func(load float64) (*traffic, error)

func steady(sc bench.Scenario) bool {
	spec := sc.Load.Arrival.Spec
	return !spec.AllAtOnce && !spec.Unsteady
}

// draw returns nil if task times are unknown in advance. tasks is the length of steady traffic.
// whole means that a metric, such as the makespan, needs whole runs.
func draw(sc bench.Scenario, tasks int, whole bool) (*traffic, error) {
	w, err := sc.Workload.Spec.Build(sc.Seed, sc.Workload.Values)
	if err != nil {
		return nil, err
	}
	if _, known := w.(workloads.Timed); !known {
		return nil, nil
	}
	if steady(sc) && !whole {
		return drawSteady(sc, tasks)
	}
	t := &traffic{warmup: sc.Stop.Warmup, blocks: 1}
	for i := 0; i < batches && (i < fewestSamples || i*len(t.samples[0].due) < maxPlanned); i++ {
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
		tasks = min(burstyTimes*tasks, maxPlanned)
	}
	sc.Stop.Tasks, sc.Stop.Duration = tasks, 0
	s, err := drawSample(sc, sc.Seed)
	if err != nil {
		return nil, err
	}
	t := &traffic{warmup: sc.Stop.Warmup, blocks: batches, samples: []sample{s}}
	if !even {
		t.atLoad = func(load float64) (*traffic, error) {
			next, err := sc.Load.Arrival.Spec.Open(load*sc.Load.PerSecond, sc.Seed,
				sc.Load.Arrival.Values)
			if err != nil {
				return nil, err
			}
			changed := *t
			changed.atLoad = nil
			changed.samples = []sample{{make([]int64, tasks), s.service}}
			for i := range tasks {
				changed.samples[0].due[i] = int64(next())
			}
			return &changed, nil
		}
	}
	return t, nil
}

// Doubling the rate does not halve the gaps of bursts of a given length.
func scales(sc bench.Scenario) bool {
	const sampleTasks = 1000
	sc.Stop.Tasks, sc.Stop.Duration = sampleTasks, 0
	one, err := drawSample(sc, sc.Seed)
	sc.Load.PerSecond *= 2
	other, failed := drawSample(sc, sc.Seed)
	if err != nil || failed != nil {
		return true // at an impossible rate, scaling is the only way
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

func (t *traffic) at(load, service float64) *traffic {
	if load == 1 && service == 1 {
		return t
	}
	if t.atLoad != nil && load != 1 {
		if changed, err := t.atLoad(load); err == nil {
			return changed.at(1, service)
		}
	}
	scaled := *t
	scaled.busierPlan = nil
	scaled.samples = make([]sample, len(t.samples))
	for i, s := range t.samples {
		scaled.samples[i] = sample{scaleTimes(s.due, 1/load), scaleTimes(s.service, service)}
	}
	return &scaled
}

func (t *traffic) busierTraffic() *traffic {
	if t.busierPlan == nil && t.busier > 1 {
		t.busierPlan = t.at(t.busier, 1)
		t.busierPlan.busier = 0
	}
	return t.busierPlan
}

func scaleTimes(ns []int64, by float64) []int64 {
	if by == 1 {
		return ns
	}
	out := make([]int64, len(ns))
	for i, v := range ns {
		out[i] = int64(math.Round(float64(v) * by))
	}
	return out
}

func (t *traffic) first(n int) int { return int(t.warmup * float64(n)) }
