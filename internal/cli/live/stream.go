package live

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/poolbench/poolbench/internal/machine/meter"
)

// A Second is what a run did until now, and in the second that is over: a line of a Stream.
type Second struct {
	Elapsed   float64 `json:"elapsed"` // seconds of the run
	Run       string  `json:"run"`
	Sent      uint64  `json:"sent"` // tasks that were begun; counts are of the run so far
	Completed uint64  `json:"completed"`
	Failed    uint64  `json:"failed"`
	Throttled uint64  `json:"throttled"`
	Shed      uint64  `json:"shed"`
	Abandoned uint64  `json:"abandoned"`
	// of the responses, from due, of tasks completed within the second, in seconds, within 3 %;
	// null: they are too few
	P50      *float64 `json:"p50"`
	P99      *float64 `json:"p99"`
	InFlight *int64   `json:"in_flight"` // null: it cannot be told

	Responses meter.Responses `json:"-"` // of the second
}

// Seconds makes a Second of a meter each time that it is asked for one.
type Seconds struct {
	meter  *meter.Meter
	before meter.Snapshot
}

// NewSeconds is one of that meter.
func NewSeconds(m *meter.Meter) *Seconds { return &Seconds{meter: m} }

// Step is the second that is over now; ok is false between two runs.
func (s *Seconds) Step(now time.Time) (second Second, ok bool) {
	at := s.meter.Snapshot(now)
	before := s.before
	if s.before = at; at.Run == nil {
		return Second{}, false
	}
	f := Second{Run: at.Run.Name, Elapsed: at.At.Sub(at.Run.Begun).Seconds()}
	rest := at.Settled
	for o, to := range map[meter.Outcome]*uint64{meter.Failed: &f.Failed,
		meter.Throttled: &f.Throttled, meter.Shed: &f.Shed, meter.Abandoned: &f.Abandoned} {
		*to = at.Others[o] - at.Run.Before[o]
		rest -= min(*to, rest) // one may be counted here already, and not yet there
	}
	f.Completed, f.Sent = rest, at.Settled
	if at.Run.InFlight != nil {
		f.InFlight = new(max(at.Run.InFlight(), 0))
		f.Sent += uint64(*f.InFlight)
	}
	if before.Run != nil && before.Run != at.Run { // the responses of two runs are in it
		return f, true
	}
	f.Responses = at.Since(&before)
	if f.Responses.Total >= leastP50 {
		f.P50 = new(f.Responses.Quantile(0.5).Seconds())
	}
	if f.Responses.Total >= leastP99 {
		f.P99 = new(f.Responses.Quantile(0.99).Seconds())
	}
	return f, true
}

// An Ending is the last line of a Stream: all runs of the command, as their results have them.
type Ending struct {
	End         bool    `json:"end"` // true
	Elapsed     float64 `json:"elapsed"`
	Runs        int     `json:"runs"` // that have a result
	Sent        uint64  `json:"sent"`
	Completed   uint64  `json:"completed"`
	Failed      uint64  `json:"failed"`
	Throttled   uint64  `json:"throttled"`
	Shed        uint64  `json:"shed"`
	Abandoned   uint64  `json:"abandoned"`
	Interrupted string  `json:"interrupted,omitempty"` // by which signal
	Error       string  `json:"error,omitempty"`       // why a run has no result
}

// Count adds the tasks of a result, by the shares that were not completed.
func (e *Ending) Count(tasks int, share func(unit string) (float64, bool)) {
	rest := uint64(tasks)
	for unit, to := range map[string]*uint64{"failed/op": &e.Failed, "throttled/op": &e.Throttled,
		"shed/op": &e.Shed, "abandoned/op": &e.Abandoned} {
		x, _ := share(unit)
		n := uint64(math.Round(x * float64(tasks)))
		*to += n
		rest -= min(n, rest)
	}
	e.Runs++
	e.Sent += uint64(tasks)
	e.Completed += rest
}

// A Stream writes lines of JSON: one a second, and an Ending.
type Stream struct {
	to    io.WriteCloser
	begun time.Time
	wrong error // the first
}

// NewStream is one to that file.
func NewStream(to io.WriteCloser) *Stream { return &Stream{to: to, begun: time.Now()} }

// Write writes a second.
func (s *Stream) Write(second Second) { s.line(second) }

// line writes one at once, so that a reader never sees half of it for long.
func (s *Stream) line(line any) {
	text, err := json.Marshal(line)
	if err == nil && s.wrong == nil {
		_, err = fmt.Fprintf(s.to, "%s\n", text)
	}
	if s.wrong == nil {
		s.wrong = err
	}
}

// End writes the ending and closes the file. The error is the first that there was.
func (s *Stream) End(e Ending) error {
	e.End, e.Elapsed = true, time.Since(s.begun).Seconds()
	s.line(e)
	if err := s.to.Close(); s.wrong == nil {
		s.wrong = err
	}
	return s.wrong
}
