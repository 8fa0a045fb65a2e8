package attack

import (
	"cmp"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"maps"
	"math"
	"net/http"
	"slices"
	"time"

	"github.com/poolbench/poolbench/bench"
)

// traceparent is the header that says which trace a request is of (W3C Trace Context).
const traceparent = "Traceparent"

// TraceID is the id of the trace that request number seq says it is of; "" where it is of none. It
// is a pure function of the seed.
func (a Attack) TraceID(seq uint64) string {
	if !a.isTraced(seq) {
		return ""
	}
	high, low, _ := a.traceIDs(seq)
	return hex.EncodeToString(binary.BigEndian.AppendUint64(
		binary.BigEndian.AppendUint64(nil, high), low))
}

// isTraced draws the share of requests that carry a trace.
func (a *Attack) isTraced(seq uint64) bool {
	return a.Trace > 0 && float64(mixed(mixed(a.Seed^0x7472616365)+seq)) < a.Trace*math.Exp2(64)
}

// traceIDs are those of a trace and of the span that the attack has of it. None is zero, which
// stands for no id.
func (a *Attack) traceIDs(seq uint64) (high, low, span uint64) {
	high = mixed(mixed(a.Seed) ^ seq)
	low = mixed(high + seq)
	return high | 1, low | 1, mixed(low) | 1
}

// traced is the message with the header of its trace: made when it is sent, as few are.
func (c *caller) traced(m *message, seq uint64) *message {
	if m.complete(); m.err != nil {
		return m
	}
	high, low, span := c.attack.traceIDs(seq)
	r := *m.request
	if r.Header = maps.Clone(r.Header); r.Header == nil {
		r.Header = http.Header{}
	}
	r.Header.Set(traceparent, fmt.Sprintf("00-%016x%016x-%016x-01", high, low, span))
	built, err := r.Request()
	if err != nil {
		return m // never: it differs from one that was built by an ordinary header
	}
	with := &message{request: &r, built: built, visit: m.visit}
	if c.way.prepare(with) != nil {
		return m // likewise
	}
	return with
}

// A Traced is a request that carried a trace. Instants are since the attack began.
type Traced struct {
	Trace    string // its id
	Due, End time.Duration
}

// mostTraced is as many as a result has of the slowest tasks: each of these that carried a trace is
// among them.
const mostTraced = 50

// Response is the time from when the request was due until its end.
func (t Traced) Response() time.Duration { return t.End - t.Due }

// trace keeps the request if it is one of the slowest that carried a trace: of those that were
// sent.
func (t *tally) trace(s sample) {
	if s.busy <= 0 {
		return
	}
	response := time.Duration(s.end - s.due)
	if n := len(t.traced); n == mostTraced && response <= t.traced[n-1].Response() {
		return
	}
	if id := t.traceID(s.seq); id != "" {
		t.traced = slowestTraced(append(t.traced, Traced{id, time.Duration(s.due),
			time.Duration(s.end)}))
	}
}

// slowestTraced are as many as a result has tasks, the slowest first.
func slowestTraced(all []Traced) []Traced {
	slices.SortStableFunc(all, func(a, b Traced) int {
		return cmp.Compare(b.Response(), a.Response())
	})
	return all[:min(len(all), mostTraced)]
}

// tellTraces gives those of the slowest tasks that carried a trace its id: the others' are not
// known by a number of requests, where clients or agents shared these.
func tellTraces(res *bench.Result, traced []Traced) {
	type instants struct{ due, end time.Duration }
	ids := map[instants]string{}
	for _, t := range traced {
		ids[instants{t.Due, t.End}] = t.Trace
	}
	for i := range res.Slowest {
		if t := &res.Slowest[i]; t.Trace == "" {
			t.Trace = ids[instants{t.Due, t.End}]
		}
	}
}
