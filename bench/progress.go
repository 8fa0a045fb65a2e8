package bench

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime/metrics"
	"sync/atomic"
	"time"

	"github.com/poolbench/poolbench/internal/machine"
	"github.com/poolbench/poolbench/internal/soaks"
)

// A Progress reports the progress of a run to an observer. Pass it to Run with WithProgress, and
// call Pulse every PulseInterval from any goroutine inside or outside the run's bubble.
type Progress struct {
	// time without progress after which Run gives up; 0 means POOLBENCH_PATIENCE, or 30 s
	Limit time.Duration

	submitted atomic.Uint64
	// separates the cache lines of the generator and the workers
	_       [64]byte
	settled atomic.Uint64
	// time until which no progress is expected; nil if unknown
	awaited atomic.Pointer[time.Time]

	wanted atomic.Bool // a partial result of a soak is requested
	soFar  atomic.Pointer[Result]
}

// SoFar returns the latest partial result of a soak. If there is none yet, it requests one and
// returns nil. For other runs it always returns nil. A request costs the soak about 10 ms.
func (p *Progress) SoFar() *Result {
	r := p.soFar.Swap(nil)
	if r == nil {
		p.wanted.Store(true)
	}
	return r
}

func (p *Progress) asked() soaks.Asked { return soaks.Asked{Wanted: &p.wanted, Answer: p.answer} }

func (p *Progress) answer(soFar func() (*Result, error)) {
	if !p.wanted.CompareAndSwap(true, false) {
		return
	}
	if r, err := soFar(); err == nil {
		p.soFar.Store(r)
	}
}

// PulseInterval is the time between two calls of Pulse.
const PulseInterval = 250 * time.Millisecond

// A Pulse is the progress of a run at one instant, sent between processes as JSON.
type Pulse struct {
	Steps uint64        // returned Submits, settled tasks and completed phases
	CPU   time.Duration // CPU time of the process; 0 if the system does not report it
	Idle  bool          // no goroutine of the process except the caller is running or runnable
	Early bool          // the next task is not due yet
}

// Pulse returns the current progress. It costs about 100 µs.
func (p *Progress) Pulse() Pulse {
	until := p.awaited.Load()
	return Pulse{
		Steps: p.submitted.Load() + p.settled.Load(),
		CPU:   time.Duration(machine.CPUTime()),
		Idle:  idle(),
		Early: until != nil && time.Now().Before(*until),
	}
}

// idle samples three times, at random moments, because one sample in ten shows another goroutine,
// such as the one that woke the caller.
func idle() bool {
	sample := []metrics.Sample{{Name: "/sched/goroutines/runnable:goroutines"},
		{Name: "/sched/goroutines/running:goroutines"}}
	for attempt := range 3 {
		if attempt > 0 {
			time.Sleep(rand.N(2 * time.Millisecond))
		}
		metrics.Read(sample)
		if sample[0].Value.Uint64() == 0 && sample[1].Value.Uint64() <= 1 {
			return true
		}
	}
	return false
}

// await records that no progress is expected until due: the generator sleeps, or a target has
// announced a pause. It ignores pauses below a second.
func (p *Progress) await(due time.Time) {
	if time.Until(due) < time.Second {
		return
	}
	until := due // a copy, so that only this path allocates
	for last := p.awaited.Load(); last == nil || last.Before(due); last = p.awaited.Load() {
		if p.awaited.CompareAndSwap(last, &until) {
			return
		}
	}
}

type progressKey struct{}

// WithProgress returns a context with which Run reports its progress to p.
func WithProgress(ctx context.Context, p *Progress) context.Context {
	return context.WithValue(ctx, progressKey{}, p)
}

func progressOf(ctx context.Context) *Progress {
	if p, ok := ctx.Value(progressKey{}).(*Progress); ok {
		return p
	}
	return new(Progress)
}

// A Patience decides from the pulses of a run whether it hangs: it uses much CPU time without
// progress, or nearly all pulses find no runnable goroutine. A slow run, for example on a busy
// machine, does not count as a hang.
type Patience struct {
	limit       time.Duration
	last        *Pulse
	spent       time.Duration // CPU time since the last progress
	idle, quiet time.Duration // idle time and total time since the last progress
}

// A step takes microseconds. Preparing or summing up a hundred million records takes a few seconds.
const (
	perService = 20 // mean service times that are added under the real clock
	perQuiet   = 20 // the number of limits without progress that always count as a hang
)

// NewPatience returns the Patience for runs of the scenario. The limit 0 means POOLBENCH_PATIENCE,
// or 30 s, plus 20 mean service times under the real clock.
func NewPatience(s Scenario, limit time.Duration) (p *Patience, err error) {
	if limit == 0 {
		if limit, err = machine.Patience(); err != nil {
			return nil, err
		}
		if s = s.withDefaults(); s.Clock == Real {
			if w, err := s.Workload.Spec.Build(s.Seed, s.Workload.Values); err == nil {
				limit += perService * w.Mean()
				_ = letGo(w) // the run reports this error
			}
		}
	}
	return &Patience{limit: limit}, nil
}

// Outside returns the Patience for an observer of a run that observes itself. It waits longer, so
// the run, which has more information, reports first.
func (p *Patience) Outside() *Patience {
	p.limit += p.limit / 4
	return p
}

// Silence returns the longest time without any pulse by the observer's clock, at least perQuiet
// pulse intervals.
func (p *Patience) Silence() time.Duration { return perQuiet * max(p.limit, PulseInterval) }

// Hear processes the next pulse, one PulseInterval after the previous pulse. It returns an error if
// the run hangs.
func (p *Patience) Hear(now Pulse) error {
	before := p.last
	p.last = &now
	if before == nil || now.Steps != before.Steps || now.Early {
		p.spent, p.idle, p.quiet = 0, 0, 0
		return nil
	}
	used := now.CPU - before.CPU
	if now.CPU == 0 {
		used = PulseInterval
	}
	p.spent += used
	p.quiet += PulseInterval
	if now.Idle {
		p.idle += PulseInterval
	}
	switch {
	case p.spent >= p.limit:
		return fmt.Errorf("no task was submitted or done in %v of CPU time: an endless loop",
			p.limit)
	case p.idle >= p.limit && 4*p.idle >= 3*p.quiet:
		return fmt.Errorf("no task was submitted or done in %v and no goroutine could run: a "+
			"deadlock", p.limit)
	case p.quiet >= p.Silence():
		return fmt.Errorf("no task was submitted or done in %v: it hangs", p.Silence())
	}
	return nil
}
