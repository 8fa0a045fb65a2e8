package attack

import (
	"time"

	"github.com/poolbench/poolbench/bench/attack/checks"
	"github.com/poolbench/poolbench/internal/machine"
	"github.com/poolbench/poolbench/internal/machine/pace"
)

// Progress is how far an attack is.
type Progress struct {
	Elapsed time.Duration
	Settled int // requests that have their answer, or will not have one
	Failed  int // of them, those that were not completed
	Counts  checks.Counts
}

// Stopped is why an attack ended early: one of Attack.StopIf came true.
type Stopped struct{ Why string }

func (s *Stopped) Error() string { return "stopped early " + s.Why }

// Stopping returns what says, told of the progress now and then, why the attack is to stop; nil: it
// is not.
func (a Attack) Stopping() func(Progress) error {
	watches := make([]*checks.Watch, len(a.StopIf))
	for i, s := range a.StopIf {
		watches[i] = s.Watch()
	}
	return func(p Progress) error {
		for _, w := range watches {
			if why := w.Look(p.Elapsed, p.Counts); why != "" {
				return &Stopped{why}
			}
		}
		return nil
	}
}

// show tells who looks on that so many requests begin, and that they have ended.
func (r *run) show(planned int, span time.Duration, inFlight func() int64) (end func()) {
	r.meter.Begin(machine.Run{Name: r.recording.Name, Limit: r.recording.Limit, Plan: span,
		Rate: float64(planned) / span.Seconds(), InFlight: inFlight,
		Settled: func() uint64 { return uint64(r.tally.counts().Settled) }})
	return r.meter.End
}

// watch tells Attack.Watch of the progress until the function it returns is called.
func (r *run) watch() (stop func()) {
	if r.attack.Watch == nil {
		return func() {}
	}
	begun := time.Now().Add(-r.from)
	return pace.Every(200*time.Millisecond, func() { r.attack.Watch(r.progress(begun)) })
}

func (r *run) progress(begun time.Time) Progress {
	c := r.tally.counts()
	return Progress{time.Since(begun), c.Settled, c.Failed + c.Throttled + c.Shed + c.Abandoned, c}
}

// stopIf holds the rules against what goes on, until the function it returns is called. Of an
// attack that is shared, whoever sees all shares does.
func (r *run) stopIf() (stop func()) {
	if len(r.attack.StopIf) == 0 || r.attack.Agents > 0 {
		return func() {}
	}
	every := r.attack.StopIf[0].Every()
	for _, s := range r.attack.StopIf {
		every = min(every, s.Every())
	}
	stopping, begun := r.attack.Stopping(), time.Now()
	return pace.Every(every, func() {
		if why := stopping(r.progress(begun)); why != nil {
			r.give(why)
		}
	})
}
