package machine

import (
	"context"
	"math"
	"math/bits"
	"sync/atomic"
	"time"
)

// An Outcome is the outcome of a task, numbered as in package record.
type Outcome int

// The outcomes. Completed tasks are the settled ones less all others.
const (
	unsettled Outcome = iota
	Completed
	Failed
	Throttled
	Shed
	Abandoned
	GaveUp
	Outcomes // how many there are
)

// Names are what the outcomes are called.
var Names = [Outcomes]string{"unsettled", "completed", "failed", "throttled", "shed", "abandoned",
	"gave up"}

// A Meter counts what happens in runs. The one who drives a run calls its methods, those of a nil
// Meter too, which do nothing.
type Meter struct {
	now       atomic.Pointer[Run] // nil: none
	others    [Outcomes]atomic.Uint64
	responses [buckets]atomic.Uint64 // of completed tasks, by bucketOf
}

// A Snapshot is what a Meter has at one instant.
type Snapshot struct {
	Run       *Run // that goes on; nil: none does
	At        time.Time
	Settled   uint64           // tasks of that run
	Others    [Outcomes]uint64 // tasks of all runs that were not completed
	responses [buckets]uint64
}

// Snapshot takes one. It costs some 2 µs.
func (m *Meter) Snapshot(at time.Time) Snapshot {
	s := Snapshot{Run: m.now.Load(), At: at}
	if s.Run != nil {
		s.Settled = s.Run.Settled()
	}
	for i := range s.Others {
		s.Others[i] = m.others[i].Load()
	}
	for i := range s.responses {
		s.responses[i] = m.responses[i].Load()
	}
	return s
}

// Responses are those counted between two snapshots.
type Responses struct {
	Total  uint64
	counts [buckets]uint64
}

// Since are the responses after an earlier snapshot.
func (s *Snapshot) Since(before *Snapshot) (r Responses) {
	for i := range r.counts {
		r.counts[i] = s.responses[i] - before.responses[i]
		r.Total += r.counts[i]
	}
	return r
}

// Each calls f with each response that was counted, within 3 %, and how often it was.
func (r *Responses) Each(f func(response time.Duration, n uint64)) {
	for i, n := range r.counts {
		if n > 0 {
			f(middleOf(i), n)
		}
	}
}

// Quantile is within 3 % of the exact one; there is at least one response.
func (r *Responses) Quantile(q float64) time.Duration {
	rank := uint64(math.Ceil(q * float64(r.Total)))
	for i, n := range r.counts {
		if rank <= n {
			return middleOf(i)
		}
		rank -= n
	}
	return math.MaxInt64 // never: the counts are Total
}

// A Run is what goes on.
type Run struct {
	Name    string
	Limit   int           // 0: none is known
	Plan    time.Duration // how long it takes by its plan; 0: nobody knows
	Rate    float64       // settled a second by its plan, for the cost of metering alone
	Settled func() uint64 // so far
	// by now; nil: it cannot be told
	InFlight func() int64

	Begun  time.Time        // set by Begin
	Before [Outcomes]uint64 // tasks that were not completed by then, as in a Snapshot; likewise
	mask   uint64
}

// Every says that one response in so many is counted.
func (r *Run) Every() uint64 { return r.mask + 1 }

// mostMetered is how many responses a second are counted: of more than that, one in so many.
// A count costs some 10 ns, and 50 where two processors share it: at most a thousandth of one.
const mostMetered = 20_000

// Begin says that a run begins.
func (m *Meter) Begin(r Run) {
	if m == nil {
		return
	}
	r.Begun = time.Now()
	for i := range r.Before {
		r.Before[i] = m.others[i].Load()
	}
	if one := r.Rate / mostMetered; one > 1 && !math.IsInf(one, 0) {
		r.mask = 1<<bits.Len64(uint64(one)) - 1
	}
	m.now.Store(&r)
}

// End says that it has ended.
func (m *Meter) End() {
	if m != nil {
		m.now.Store(nil)
	}
}

// Settle counts the task of that number; it is inlined.
func (m *Meter) Settle(seq uint64, o Outcome, response time.Duration) {
	if m != nil {
		m.settle(seq, o, response)
	}
}

func (m *Meter) settle(seq uint64, o Outcome, response time.Duration) {
	if o != Completed {
		m.others[o].Add(1)
		return
	}
	if r := m.now.Load(); r != nil && seq&r.mask == 0 {
		m.responses[bucketOf(response)].Add(1)
	}
}

// Buckets are sixteen to each power of two of nanoseconds: 6 % wide at most.
const (
	fine    = 4
	buckets = (65 - fine) << fine
)

func bucketOf(d time.Duration) int {
	v := uint64(max(d, 0))
	if v < 1<<fine {
		return int(v)
	}
	shift := bits.Len64(v) - 1 - fine
	return (shift+1)<<fine + int(v>>shift)&(1<<fine-1)
}

func middleOf(bucket int) time.Duration {
	if bucket < 1<<fine {
		return time.Duration(bucket)
	}
	shift := bucket>>fine - 1
	low := uint64(1<<fine+bucket&(1<<fine-1)) << shift
	return time.Duration(low + (1<<shift)/2)
}

type meterKey struct{}

// WithMeter has the runs of the context count in the meter.
func WithMeter(ctx context.Context, m *Meter) context.Context {
	return context.WithValue(ctx, meterKey{}, m)
}

// MeterFromContext is the meter of the context; nil where there is none.
func MeterFromContext(ctx context.Context) *Meter {
	m, _ := ctx.Value(meterKey{}).(*Meter)
	return m
}
