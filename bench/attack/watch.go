package attack

import (
	"time"

	"github.com/poolbench/poolbench/bench/attack/checks"
	"github.com/poolbench/poolbench/internal/machine"
	"github.com/poolbench/poolbench/internal/machine/pace"
)

// Progress is the progress of an attack.
type Progress struct {
	Elapsed time.Duration
	Settled int // requests that ended, with or without an answer
	Failed  int // settled requests that were not completed
	Counts  checks.Counts
}

// Stopped is the reason of an early end: a rule of Attack.StopIf.
type Stopped struct{ Why string }

func (s *Stopped) Error() string { return "stopped early " + s.Why }

// Stopping returns a function to call regularly with the progress, which returns why to stop the
// attack, or nil.
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

func (r *run) show(planned int, span time.Duration, inFlight func() int64) (end func()) {
	r.meter.Begin(machine.Run{Name: r.recording.Name, Limit: r.recording.Limit, Plan: span,
		Rate: float64(planned) / span.Seconds(), InFlight: inFlight, Status: r.tally.spoken.Status,
		Settled: func() uint64 { return uint64(r.tally.counts().Settled) }})
	return r.meter.End
}

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

// The coordinator of a shared attack applies the rules.
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
