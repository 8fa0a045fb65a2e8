// Package progress reports the progress of a run to an observer, possibly in another process, and
// decides whether the run hangs.
package progress

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime/metrics"
	"sync/atomic"
	"time"

	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/internal/machine"
	"github.com/poolbench/poolbench/internal/soaks"
)

// Call Pulse every Interval from any goroutine inside or outside the run's bubble.
type Tracker struct {
	// time without progress after which Run gives up; 0 means POOLBENCH_PATIENCE, or 30 s
	Limit time.Duration

	submitted atomic.Uint64
	// separates the cache lines of the generator and the workers
	_       [64]byte
	settled atomic.Uint64
	// time until which no progress is expected; nil if unknown
	awaited atomic.Pointer[time.Time]

	wanted atomic.Bool // a partial result of a soak is requested
	soFar  atomic.Pointer[result.Result]
}

// SoFar returns the latest partial result of a soak. If there is none yet, it requests one and
// returns nil. A request costs the soak about 10 ms.
func (p *Tracker) SoFar() *result.Result {
	r := p.soFar.Swap(nil)
	if r == nil {
		p.wanted.Store(true)
	}
	return r
}

func (p *Tracker) Asked() soaks.InterimRequest {
	return soaks.InterimRequest{Wanted: &p.wanted, Answer: p.answer}
}

func (p *Tracker) answer(soFar func() (*result.Result, error)) {
	if !p.wanted.CompareAndSwap(true, false) {
		return
	}
	if r, err := soFar(); err == nil {
		p.soFar.Store(r)
	}
}

const Interval = 250 * time.Millisecond

type Pulse struct {
	Steps uint64        // returned Submits, settled tasks and completed phases
	CPU   time.Duration // CPU time of the process; 0 if the system does not report it
	Idle  bool          // no goroutine of the process except the caller is running or runnable
	Early bool          // the next task is not due yet
}

// Pulse costs about 100 µs.
func (p *Tracker) Pulse() Pulse {
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

func (p *Tracker) Submitted() { p.submitted.Add(1) }

func (p *Tracker) Submits() uint64 { return p.submitted.Load() }

// Settled counts a settled task or a completed phase.
func (p *Tracker) Settled() { p.settled.Add(1) }

func (p *Tracker) Settles() uint64 { return p.settled.Load() }

// Await records that no progress is expected until due, for example in a sleep of the generator. It
// ignores pauses below a second.
func (p *Tracker) Await(due time.Time) {
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

type key struct{}

func NewContext(ctx context.Context, p *Tracker) context.Context {
	return context.WithValue(ctx, key{}, p)
}

func FromContext(ctx context.Context) *Tracker {
	if p, ok := ctx.Value(key{}).(*Tracker); ok {
		return p
	}
	return new(Tracker)
}

// A Detector decides from the pulses of a run whether it hangs: it uses much CPU time without
// progress, or nearly all pulses find no runnable goroutine. A slow run, for example on a busy
// machine, is not a hang.
type Detector struct {
	limit       time.Duration
	last        *Pulse
	spent       time.Duration // CPU time since the last progress
	idle, quiet time.Duration // idle time and total time since the last progress
}

// Preparing or summing up a hundred million records takes a few seconds.
const perQuiet = 20 // the number of limits without progress that always count as a hang

func NewDetector(limit time.Duration) *Detector { return &Detector{limit: limit} }

func (d *Detector) Limit() time.Duration { return d.limit }

// Quiet is counted in pulses.
func (d *Detector) Quiet() time.Duration { return d.quiet }

// Outside is for an observer of a run that observes itself. It waits longer, so the run, which has
// more information, reports first.
func (d *Detector) Outside() *Detector {
	d.limit += d.limit / 4
	return d
}

// Silence returns the longest time without any pulse by the observer's clock.
func (d *Detector) Silence() time.Duration { return perQuiet * max(d.limit, Interval) }

// Observe processes the next pulse, one Interval after the previous pulse. It returns an error if
// the run hangs.
func (d *Detector) Observe(now Pulse) error {
	before := d.last
	d.last = &now
	if before == nil || now.Steps != before.Steps || now.Early {
		d.spent, d.idle, d.quiet = 0, 0, 0
		return nil
	}
	used := now.CPU - before.CPU
	if now.CPU == 0 {
		used = Interval
	}
	d.spent += used
	d.quiet += Interval
	if now.Idle {
		d.idle += Interval
	}
	switch {
	case d.spent >= d.limit:
		return fmt.Errorf("no task was submitted or done in %v of CPU time: an endless loop",
			d.limit)
	case d.idle >= d.limit && 4*d.idle >= 3*d.quiet:
		return fmt.Errorf("no task was submitted or done in %v and no goroutine could run: a "+
			"deadlock", d.limit)
	case d.quiet >= d.Silence():
		return fmt.Errorf("no task was submitted or done in %v: it hangs", d.Silence())
	}
	return nil
}
