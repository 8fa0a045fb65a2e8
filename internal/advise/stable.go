package advise

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/objectives"
	"github.com/poolbench/poolbench/internal/statistics/recursion"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/targets"
)

// unstable returns why the queue grows throughout the traffic, or "", and the ratio of arriving to
// finished work.
func (s *search) unstable(b behaviour, t setting) (why string, times float64) {
	if s.sample.Load.Arrival.Spec.AllAtOnce || s.onlyMakespan() || b.sheds {
		return "", 0
	}
	if why, times := s.overload(b, t); why != "" {
		return why, times
	}
	busy, rate := s.work.Busy*t.load*t.service, s.work.Rate*t.load
	target, kept := s.sample.Target, 1-s.refusalBound()
	if of := target.Spec.Rate; of != nil && kept*rate >= of(target.Values) {
		return fmt.Sprintf("%s arrive, but the target serves %s", text.Rate(rate),
			text.Rate(of(target.Values))), rate / of(target.Values)
	}
	if n := connections(target); n > 0 && kept*busy >= float64(n) {
		return fmt.Sprintf("the load needs %s concurrent calls, but the target serves %d",
			text.Digits(busy), n), busy / float64(n)
	}
	return "", 0
}

// overload compares arrivals with the slots and the pace alone, and unstable also with the target.
func (s *search) overload(b behaviour, t setting) (why string, times float64) {
	busy, rate := s.work.Busy*t.load*t.service, s.work.Rate*t.load
	if b.sheds {
		return "", 0
	}
	if n := slots(b.first(), t.limit); n > 0 {
		if times = busy / (float64(n) * s.workingShare(s.targetOf(t))); times >= 1 {
			return fmt.Sprintf("the load needs %s slots of %d", text.Digits(busy), n), times
		}
	}
	if b.paced > 0 && rate >= b.paced {
		return fmt.Sprintf("%s arrive, but only %s may start", text.Rate(rate),
			text.Rate(b.paced)), rate / b.paced
	}
	return "", 0
}

func (s *search) targetOf(t setting) *targets.Variant {
	if t.target != nil {
		return t.target
	}
	return &s.sample.Target
}

// workingShare returns the largest share of the time in which a slot works. A freeze takes effect
// after the rest of the current task, E[S²]/2E[S] on average.
func (s *search) workingShare(target *targets.Variant) float64 {
	f := freezeOf(target)
	if f.Period == 0 {
		return 1
	}
	left := s.work.Mean * (1 + s.work.C2) / 2 * float64(time.Second)
	return 1 - max(0, float64(f.Stop)-left)/float64(f.Period)
}

func freezeOf(target *targets.Variant) recursion.Freeze {
	if target == nil || target.Spec.Name != "freeze" {
		return recursion.Freeze{}
	}
	return recursion.Freeze{Period: int64(target.Values.Duration("period")),
		Stop: int64(target.Values.Duration("stop"))}
}

func (s *search) onlyMakespan() bool {
	return !slices.ContainsFunc(s.question.Objectives, func(o objectives.Objective) bool {
		return o.Unit != metric.Makespan
	})
}

func (s *search) refusalBound() float64 {
	for _, o := range s.wanted {
		if o.Unit == metric.Throttled && isUpper(o) {
			return o.Bound
		}
	}
	return 0
}

// connections returns the concurrency of the target. 0: unlimited or unknown.
func connections(t targets.Variant) int {
	for _, key := range []string{"conns", "limit"} {
		if hasKey(t.Spec.Keys, key, param.Int) && !t.Spec.RateLimits {
			return max(t.Values.Int(key), 1)
		}
	}
	return 0
}

func paceOf(v strategies.Variant, target targets.Variant) recursion.Pace {
	starts := startsOf(v, target)
	if starts.PerSecond <= 0 {
		return recursion.Pace{}
	}
	return recursion.Pace{Every: math.Ceil(float64(time.Second) / starts.PerSecond),
		Kept: starts.Kept}
}
