package advise

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/objectives"
	"github.com/poolbench/poolbench/targets"
)

var stressLoads = []float64{1.25, 1.5, 2}

// codeLoads are those for strategies' own code: where nothing else tells what load they hold.
var codeLoads = []float64{1.1, 1.25, 1.5, 2}

const (
	stressService = 1.5
	// quick work is the hard one before a target that limits a rate
	stressFaster = 0.25
	stressFreeze = "freeze:period=10s,stop=500ms" // of a target that has no limits of its own
	mostHeld     = 8                              // times the load is as far as it is looked
)

// stress tells what becomes of an option when things get worse.
func (s *search) stress(ctx context.Context, o *Option) error {
	if s.replays && o.behaviour.plain {
		s.stressPool(o)
	} else if err := s.stressCode(ctx, o); err != nil {
		return err
	}
	if s.sample.Target.Spec.Name != "none" {
		return nil
	}
	freeze := targets.MustParse(stressFreeze)
	return s.stressed(ctx, o, "a freeze of 500ms every 10s", setting{1, 1, 1, 1, &freeze})
}

// stressPool does it by the recursion.
func (s *search) stressPool(o *Option) {
	at := func(load, service float64) reading {
		return s.traffic.at(load, service).queue(o.Limit, s.slotsOf(o))
	}
	add := func(name string, r reading) {
		o.Stresses = append(o.Stresses,
			Stress{name, r.figure(s.wanted[0].Unit), judge(r, s.wanted)})
	}
	for _, load := range stressLoads {
		add(fmt.Sprintf("load x%v", load), at(load, 1))
	}
	add(fmt.Sprintf("service x%v", stressService), at(1, stressService))
	if s.traffic.recorded {
		if name, r := s.traffic.worst(o.Limit, s.slotsOf(o)); r.figure(s.wanted[0].Unit).Told() {
			add(name, r)
		}
	}
	if o.Verdict == objectives.Met {
		o.Holds = s.holds(func(load float64) bool {
			return judge(at(load, 1), s.wanted) == objectives.Met
		})
	}
}

// slotsOf is the queue of the recursion: who is not shed waits, wherever.
func (s *search) slotsOf(o *Option) int {
	switch {
	case !o.behaviour.sheds:
		return anyQueue
	case o.Queue == bench.NoQueue:
		return 0
	}
	return o.Queue
}

// holds is the largest load, in times the one that is met, that still is, to two digits.
func (s *search) holds(met func(float64) bool) float64 {
	low, high := 1.0, 2.0
	for high < mostHeld && met(high) {
		low, high = high, 2*high
	}
	if high >= mostHeld {
		return mostHeld
	}
	for high-low > 0.01*low {
		if mid := (low + high) / 2; met(mid) {
			low = mid
		} else {
			high = mid
		}
	}
	return math.Floor(100*low) / 100
}

// stressCode does it by the strategy's own code: of the load where the traffic takes a rate, of the
// service where the workload has a mean.
func (s *search) stressCode(ctx context.Context, o *Option) error {
	services := []float64{stressService}
	if s.sample.Target.Spec.RateLimits {
		services = append(services, stressFaster)
	}
	if _, ok := longer(s.sample.Workload, 1); ok {
		for _, by := range services {
			if err := s.stressed(ctx, o, fmt.Sprintf("service x%v", by),
				setting{1, 1, 1, by, nil}); err != nil {
				return err
			}
			o.fragile = o.fragile || by == stressFaster &&
				o.Stresses[len(o.Stresses)-1].Verdict == objectives.Missed
		}
	}
	if !s.sample.Load.Arrival.TakesRate() {
		return nil
	}
	holds, held := 1.0, true
	for _, load := range codeLoads {
		err := s.stressed(ctx, o, fmt.Sprintf("load x%v", load), setting{1, 1, load, 1, nil})
		if err != nil {
			return err
		}
		last := o.Stresses[len(o.Stresses)-1]
		if last.Verdict != objectives.Met {
			held = false
		}
		if held {
			holds = load
		}
	}
	if o.Verdict == objectives.Met {
		o.Holds = holds
	}
	return nil
}

// stressed runs the option once more under a stress.
func (s *search) stressed(ctx context.Context, o *Option, name string, under setting) error {
	under.limit, under.queue = o.Limit, s.queueOf(o.behaviour, o.Limit)
	if o.behaviour.plain && o.Strategy.Spec.UsesQueue && o.behaviour.sheds {
		under.queue = o.Queue
	}
	readings, err := s.runs(ctx, []trial{{o.Strategy, under}}, s.runTasks(seeds), 2)
	if err != nil || readings[0] == nil {
		return err
	}
	mean := typical{readings[0]} // two runs have no interval to speak of
	o.Stresses = append(o.Stresses, Stress{name, mean.figure(s.wanted[0].Unit),
		judge(mean, s.wanted)})
	return nil
}

// worst is the reading of the hour, or of the twentieth where the plan is shorter than twenty, with
// the most work in it, and its name.
func (t *traffic) worst(limit, queue int) (name string, _ reading) {
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
	wait := (&line{}).serve(s, limit, queue)
	b := &batched{times: map[string][][]int64{}, value: map[string][]float64{}, ahead: 1}
	b.add(slices.Clone(wait[from:to]), s.service[from:to])
	b.note("makespan-sec", float64(window)/1e9)
	return name, b
}
