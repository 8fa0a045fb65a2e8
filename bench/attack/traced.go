package attack

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"maps"
	"math"
	"net/http"
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
func (a Attack) isTraced(seq uint64) bool {
	return a.Trace > 0 && float64(mixed(mixed(a.Seed^0x7472616365)+seq)) < a.Trace*math.Exp2(64)
}

// traceIDs are those of a trace and of the span that the attack has of it. None is zero, which
// stands for no id.
func (a Attack) traceIDs(seq uint64) (high, low, span uint64) {
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
	with := &message{request: &r, built: built}
	if c.way.prepare(with) != nil {
		return m // likewise
	}
	return with
}
