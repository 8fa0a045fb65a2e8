package attack

import (
	"cmp"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/poolbench/poolbench/bench"
)

// traceHeader says which trace a request is of (W3C Trace Context).
const traceHeader = "Traceparent"

// A traceSample is the requests that carry a trace: of all such a Share, 0 to 1. Which these are,
// and their ids, is a pure function of the Seed.
type traceSample struct {
	Share float64
	Seed  uint64
}

// Has reports whether request number seq carries a trace.
func (s traceSample) Has(seq uint64) bool {
	return s.Share > 0 &&
		float64(mixed(mixed(s.Seed^0x7472616365)+seq)) < s.Share*math.Exp2(64)
}

// ID is that of the trace; "" of a request that carries none.
func (s traceSample) ID(seq uint64) string {
	if !s.Has(seq) {
		return ""
	}
	high, low, _ := s.ids(seq)
	return hex.EncodeToString(binary.BigEndian.AppendUint64(
		binary.BigEndian.AppendUint64(nil, high), low))
}

// Parent is what the Header of a request says that carries a trace.
func (s traceSample) Parent(seq uint64) string {
	high, low, span := s.ids(seq)
	return fmt.Sprintf("00-%016x%016x-%016x-01", high, low, span)
}

// ids are those of a trace and of the span that the attack has of it. None is zero, which stands
// for no id.
func (s traceSample) ids(seq uint64) (high, low, span uint64) {
	high = mixed(mixed(s.Seed) ^ seq)
	low = mixed(high + seq)
	return high | 1, low | 1, mixed(low) | 1
}

// A Traced is a request that carried a trace. Instants are since the attack began.
type Traced struct {
	Trace    string // its id
	Due, End time.Duration
}

// Response is the time from when the request was due until its end.
func (t Traced) Response() time.Duration { return t.End - t.Due }

// mostTraced is as many as a result has of the slowest tasks: each of these that carried a trace is
// among them.
const mostTraced = 50

// A slowestTraced are up to mostTraced requests that carried a trace, the slowest first.
type slowestTraced []Traced

// Add keeps request number seq if it carried a trace, and is one of the slowest.
func (all slowestTraced) Add(of traceSample, seq uint64, due, end time.Duration) slowestTraced {
	if n := len(all); n == mostTraced && end-due <= all[n-1].Response() {
		return all
	}
	id := of.ID(seq)
	if id == "" {
		return all
	}
	return all.With(Traced{id, due, end})
}

// With has these among all.
func (all slowestTraced) With(more ...Traced) slowestTraced {
	all = append(all, more...)
	slices.SortStableFunc(all, func(a, b Traced) int {
		return cmp.Compare(b.Response(), a.Response())
	})
	return all[:min(len(all), mostTraced)]
}

// Tell gives the slowest tasks of a result that carried a trace its id: those of the others are not
// known by a number of requests, where clients or agents shared these.
func (all slowestTraced) Tell(res *bench.Result) {
	type instants struct{ due, end time.Duration }
	ids := map[instants]string{}
	for _, t := range all {
		ids[instants{t.Due, t.End}] = t.Trace
	}
	for i := range res.Slowest {
		if t := &res.Slowest[i]; t.Trace == "" {
			t.Trace = ids[instants{t.Due, t.End}]
		}
	}
}

// mixed is the finaliser of SplitMix64 (Steele, Lea, Flood, Fast splittable pseudorandom number
// generators, 2014), a step further: numbers of neighbours know nothing of each other.
func mixed(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
