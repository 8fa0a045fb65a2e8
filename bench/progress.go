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

// A Progress reports the progress of a run to an observer: pass it to Run by WithProgress, and call
// Pulse every PulseInterval, from any goroutine, inside or outside the run's bubble.
type Progress struct {
	// time without a step after which Run gives up. 0 is 30 s, or POOLBENCH_PATIENCE
	Limit time.Duration

	submitted atomic.Uint64
	// separate cache lines: the generator counts one, workers the other
	_       [64]byte
	settled atomic.Uint64
	// nothing need happen until then. nil: unknown
	awaited atomic.Pointer[time.Time]

	wanted atomic.Bool // requests the result so far of a soak
	soFar  atomic.Pointer[Result]
}

// SoFar returns the latest partial result of a soak. If there is none yet, it requests one and
// returns nil, as for any other run. A request costs the soak about 10 ms.
func (p *Progress) SoFar() *Result {
	r := p.soFar.Swap(nil)
	if r == nil {
		p.wanted.Store(true)
	}
	return r
}

func (p *Progress) asked() soaks.Asked { return soaks.Asked{Wanted: &p.wanted, Answer: p.answer} }

// answer answers a pending request. An error is not an answer.
func (p *Progress) answer(soFar func() (*Result, error)) {
	if !p.wanted.CompareAndSwap(true, false) {
		return
	}
	if r, err := soFar(); err == nil {
		p.soFar.Store(r)
	}
}

// PulseInterval is the time between two pulses.
const PulseInterval = 250 * time.Millisecond

// A Pulse is the progress of a run at one instant. It crosses processes as JSON.
type Pulse struct {
	Steps uint64        // returned Submits, done tasks and phases
	CPU   time.Duration // CPU time of the process. 0 if the system does not report it
	Idle  bool          // no goroutine of the process is running or runnable, except the caller
	Early bool          // the next task is not due yet
}

// Pulse returns the current pulse. It costs about 100 µs.
func (p *Progress) Pulse() Pulse {
	until := p.awaited.Load()
	return Pulse{
		Steps: p.submitted.Load() + p.settled.Load(),
		CPU:   time.Duration(machine.CPUTime()),
		Idle:  idle(),
		Early: until != nil && time.Now().Before(*until),
	}
}

// idle reports whether no goroutine but the caller is running or runnable. One time in ten a
// goroutine seems to run, and other observers, or the goroutine that woke the caller, may run at
// the same moment, so it samples three times, at random moments.
func idle() bool {
	sample := []metrics.Sample{{Name: "/sched/goroutines/runnable:goroutines"},
		{Name: "/sched/goroutines/running:goroutines"}}
	for look := range 3 {
		if look > 0 {
			time.Sleep(rand.N(2 * time.Millisecond))
		}
		metrics.Read(sample)
		if sample[0].Value.Uint64() == 0 && sample[1].Value.Uint64() <= 1 {
			return true
		}
	}
	return false
}

// await records that nothing need happen until due, if that is long: the generator sleeps, or a
// target has announced a pause.
func (p *Progress) await(due time.Time) {
	if time.Until(due) < time.Second {
		return
	}
	until := due // allocates only in this case
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

// A Patience distinguishes a hanging run from a slow run by its pulses. A run hangs if it uses much
// CPU time without a step, or if at nearly all pulses no goroutine of it is runnable. A slow run,
// for instance on a busy machine, is never given up.
type Patience struct {
	limit       time.Duration
	last        *Pulse
	spent       time.Duration // CPU time since the last step
	idle, quiet time.Duration // time since then: of idle pulses, and of all
}

// Limits of patience. A step takes microseconds. Preparing or summing up a hundred million records
// takes a few seconds.
const (
	perService = 20 // mean services, for real tasks
	perQuiet   = 20 // limits, whatever else is observed
)

// NewPatience returns the Patience for runs of the scenario. limit 0 is 30 s, or
// POOLBENCH_PATIENCE. The real clock adds 20 times the mean service.
func NewPatience(s Scenario, limit time.Duration) (p *Patience, err error) {
	if limit == 0 {
		if limit, err = machine.Patience(); err != nil {
			return nil, err
		}
		if s = s.withDefaults(); s.Clock == Real {
			if w, err := s.Workload.Spec.Build(s.Seed, s.Workload.Values); err == nil {
				limit += perService * w.Mean()
				_ = letGo(w) // the run reports its error
			}
		}
	}
	return &Patience{limit: limit}, nil
}

// Outside returns a Patience for an outside observer of a run that watches itself: it waits longer,
// so the run, which has more information, reports first.
func (p *Patience) Outside() *Patience {
	p.limit += p.limit / 4
	return p
}

// Silence returns the longest time without any pulse by the observer's clock: at least perQuiet
// pulse intervals, however short the limit.
func (p *Patience) Silence() time.Duration { return perQuiet * max(p.limit, PulseInterval) }

// Hear processes the next pulse, one PulseInterval after the last. An error means that the run
// hangs, with the reason.
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
