package live

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/poolbench/poolbench/internal/machine"
	"github.com/poolbench/poolbench/internal/metric"
)

// A Second is the state of a run and its last second: a line of a Stream.
type Second struct {
	Elapsed   float64 `json:"elapsed"` // seconds since the run began
	Run       string  `json:"run"`
	Sent      uint64  `json:"sent"` // tasks that began; counts are totals of the run so far
	Completed uint64  `json:"completed"`
	Failed    uint64  `json:"failed"`
	Throttled uint64  `json:"throttled"`
	Shed      uint64  `json:"shed"`
	Abandoned uint64  `json:"abandoned"`
	GaveUp    uint64  `json:"gave_up,omitempty"`
	// Response times of tasks completed within the second, from their due times, in seconds; null
	// if there are too few tasks.
	P50      *float64 `json:"p50"`
	P99      *float64 `json:"p99"`
	InFlight *int64   `json:"in_flight"` // null if unknown

	Over      bool              `json:"over,omitempty"` // the run has ended
	Responses machine.Responses `json:"-"`              // of the second
}

type Seconds struct {
	meter  *machine.Meter
	before machine.Snapshot
}

func NewSeconds(m *machine.Meter) *Seconds { return &Seconds{meter: m} }

// Step returns none between two runs, and also the totals of a run that has ended since the last
// call.
func (s *Seconds) Step(now time.Time) (all []Second) {
	at, before := s.meter.Snapshot(now), s.before
	s.before = at
	others := at.Others
	if at.Run != nil {
		others = at.Run.Before
	}
	if r := before.Run; r != nil && r != at.Run {
		f := secondOf(r, now, r.Settled(), others)
		f.Over, f.InFlight, f.Responses = true, new(int64), at.Since(&before)
		if at.Run == nil { // otherwise it contains responses of two runs
			f.P50, f.P99 = quantiles(f.Responses)
		}
		all = append(all, f)
	}
	if at.Run != nil {
		f := secondOf(at.Run, now, at.Settled, at.Others)
		if at.Run.InFlight != nil {
			f.InFlight = new(max(at.Run.InFlight(), 0))
			f.Sent += uint64(*f.InFlight)
		}
		if before.Run == nil || before.Run == at.Run {
			f.Responses = at.Since(&before)
			f.P50, f.P99 = quantiles(f.Responses)
		}
		all = append(all, f)
	}
	return all
}

func secondOf(
	r *machine.Run, now time.Time, settled uint64, others [machine.Outcomes]uint64,
) (f Second) {
	f = Second{Run: r.Name, Elapsed: now.Sub(r.Begun).Seconds(), Sent: settled}
	for o, to := range map[machine.Outcome]*uint64{machine.Failed: &f.Failed,
		machine.Throttled: &f.Throttled, machine.Shed: &f.Shed, machine.Abandoned: &f.Abandoned,
		machine.GaveUp: &f.GaveUp} {
		*to = others[o] - r.Before[o]
		settled -= min(*to, settled) // a task may be counted in one number and not yet in the other
	}
	f.Completed = settled
	return f
}

// Totals is the last line of a Stream. It contains the totals of all runs of the command, which
// equal those of their results.
type Totals struct {
	End         bool    `json:"end"` // always true
	Elapsed     float64 `json:"elapsed"`
	Runs        int     `json:"runs"` // runs with a result
	Sent        uint64  `json:"sent"`
	Completed   uint64  `json:"completed"`
	Failed      uint64  `json:"failed"`
	Throttled   uint64  `json:"throttled"`
	Shed        uint64  `json:"shed"`
	Abandoned   uint64  `json:"abandoned"`
	GaveUp      uint64  `json:"gave_up,omitempty"`
	Interrupted string  `json:"interrupted,omitempty"` // name of the signal
	Error       string  `json:"error,omitempty"`       // why a run has no result
}

// share returns the share of tasks with an outcome other than completed.
func (e *Totals) Count(tasks int, share func(unit string) (float64, bool)) {
	rest := uint64(tasks)
	for unit, to := range map[string]*uint64{metric.Failed: &e.Failed,
		metric.Throttled: &e.Throttled, metric.Shed: &e.Shed, metric.Abandoned: &e.Abandoned,
		metric.GaveUp: &e.GaveUp} {
		x, _ := share(unit)
		n := uint64(math.Round(x * float64(tasks)))
		*to += n
		rest -= min(n, rest)
	}
	e.Runs++
	e.Sent += uint64(tasks)
	e.Completed += rest
}

type Stream struct {
	to    io.WriteCloser
	begun time.Time
	wrong error // first error
}

func NewStream(to io.WriteCloser) *Stream { return &Stream{to: to, begun: time.Now()} }

// A nil Stream ignores it.
func (s *Stream) Write(second Second) {
	if s != nil {
		s.line(second)
	}
}

// line writes each line at once, so a reader never waits for the rest of a line.
func (s *Stream) line(line any) {
	text, err := json.Marshal(line)
	if err == nil && s.wrong == nil {
		_, err = fmt.Fprintf(s.to, "%s\n", text)
	}
	if s.wrong == nil {
		s.wrong = err
	}
}

// End returns the first error of the stream.
func (s *Stream) End(e Totals) error {
	e.End, e.Elapsed = true, time.Since(s.begun).Seconds()
	s.line(e)
	if err := s.to.Close(); s.wrong == nil {
		s.wrong = err
	}
	return s.wrong
}
