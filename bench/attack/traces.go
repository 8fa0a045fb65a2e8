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

const traceHeader = "Traceparent"

// A traceSample selects the requests that carry a trace: a Share of 0 to 1. The selection and the
// ids are a pure function of the Seed.
type traceSample struct {
	Share float64
	Seed  uint64
}

// Has reports whether request number seq carries a trace.
func (s traceSample) Has(seq uint64) bool {
	return s.Share > 0 &&
		float64(mixed(mixed(s.Seed^0x7472616365)+seq)) < s.Share*math.Exp2(64)
}

// ID returns the trace id, "" without a trace.
func (s traceSample) ID(seq uint64) string {
	if !s.Has(seq) {
		return ""
	}
	high, low, _ := s.ids(seq)
	return hex.EncodeToString(binary.BigEndian.AppendUint64(
		binary.BigEndian.AppendUint64(nil, high), low))
}

// Parent returns the header's value for a request with a trace.
func (s traceSample) Parent(seq uint64) string {
	high, low, span := s.ids(seq)
	return fmt.Sprintf("00-%016x%016x-%016x-01", high, low, span)
}

// ids returns the ids of the trace and of the attack's span. None is zero, which is an invalid id.
func (s traceSample) ids(seq uint64) (high, low, span uint64) {
	high = mixed(mixed(s.Seed) ^ seq)
	low = mixed(high + seq)
	return high | 1, low | 1, mixed(low) | 1
}

// A Traced is a request that carried a trace. Times are since the start of the attack.
type Traced struct {
	Trace    string // id
	Due, End time.Duration
}

// Response returns the time from due to the end.
func (t Traced) Response() time.Duration { return t.End - t.Due }

// mostTraced is the number of slowest tasks of a result, so every task of them that has a trace is
// included.
const mostTraced = 50

// slowestTraced is up to mostTraced requests with a trace, the slowest first.
type slowestTraced []Traced

// Add adds request number seq if it has a trace and is among the slowest.
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

// With merges more into all.
func (all slowestTraced) With(more ...Traced) slowestTraced {
	all = append(all, more...)
	slices.SortStableFunc(all, func(a, b Traced) int {
		return cmp.Compare(b.Response(), a.Response())
	})
	return all[:min(len(all), mostTraced)]
}

// Tell sets the trace ids of the slowest tasks of a result. It matches requests by their times,
// because clients and agents share the numbers.
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
// generators, 2014) after one step, which decorrelates neighbouring numbers.
func mixed(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
