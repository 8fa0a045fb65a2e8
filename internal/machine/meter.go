package machine

import (
	"context"
	"math"
	"math/bits"
	"strconv"
	"sync/atomic"
	"time"
)

// The values of an Outcome are those of package record.
type Outcome int

const (
	unsettled Outcome = iota
	Completed
	Failed
	Throttled
	Shed
	Abandoned
	GaveUp
	Outcomes // number of outcomes
)

var Names = [Outcomes]string{"unsettled", "completed", "failed", "throttled", "shed", "abandoned",
	"gave up"}

// A Meter counts events in runs. The methods of a nil Meter do nothing.
type Meter struct {
	now       atomic.Pointer[Run] // nil: none
	last      atomic.Pointer[Run] // the run begun last
	others    [Outcomes]atomic.Uint64
	responses [Outcomes][statuses]atomic.Pointer[responseCounts] // nil: no task
}

// A status of 1000 or more is counted as 0.
const statuses = 1000

type responseCounts [buckets]atomic.Uint64

type Snapshot struct {
	Run       *Run // run in progress, or nil
	At        time.Time
	Settled   uint64           // settled tasks of that run
	Others    [Outcomes]uint64 // tasks of all runs with another outcome than completed
	responses [buckets]uint64
}

// Snapshot costs about 2 µs.
func (m *Meter) Snapshot(at time.Time) Snapshot {
	s := Snapshot{Run: m.now.Load(), At: at}
	if s.Run != nil {
		s.Settled = s.Run.Settled()
	}
	for i := range s.Others {
		s.Others[i] = m.others[i].Load()
	}
	for i := range m.responses[Completed] {
		if h := m.responses[Completed][i].Load(); h != nil {
			for k := range h {
				s.responses[k] += h[k].Load()
			}
		}
	}
	return s
}

type AnswerTimes struct {
	Outcome   Outcome
	Status    string // of the answer; "": there is none
	Responses Responses
}

func (m *Meter) Answered() (all []AnswerTimes) {
	name := strconv.Itoa
	if r := m.last.Load(); r != nil && r.Status != nil {
		name = r.Status
	}
	for o := range m.responses {
		for status := range m.responses[o] {
			h := m.responses[o][status].Load()
			if h == nil {
				continue
			}
			a := AnswerTimes{Outcome: Outcome(o)}
			if status > 0 {
				a.Status = name(status)
			}
			for i := range h {
				a.Responses.counts[i] = h[i].Load()
				a.Responses.Total += a.Responses.counts[i]
			}
			all = append(all, a)
		}
	}
	return all
}

// Responses are accurate to 3 %.
type Responses struct {
	Total  uint64
	counts [buckets]uint64
}

func (s *Snapshot) Since(before *Snapshot) (r Responses) {
	for i := range r.counts {
		r.counts[i] = s.responses[i] - before.responses[i]
		r.Total += r.counts[i]
	}
	return r
}

func (r *Responses) Each(f func(response time.Duration, n uint64)) {
	for i, n := range r.counts {
		if n > 0 {
			f(middleOf(i), n)
		}
	}
}

// r must not be empty.
func (r *Responses) Quantile(q float64) time.Duration {
	rank := uint64(math.Ceil(q * float64(r.Total)))
	for i, n := range r.counts {
		if rank <= n {
			return middleOf(i)
		}
		rank -= n
	}
	return math.MaxInt64 // unreachable: the counts add up to Total
}

type Run struct {
	Name     string
	Limit    int           // 0 if unknown
	Plan     time.Duration // planned duration; 0 if unknown
	Rate     float64       // planned settled tasks per second; only limits the cost of metering
	Settled  func() uint64 // number of settled tasks so far
	InFlight func() int64
	Status   func(status int) string

	Begun  time.Time        // set by Begin
	Before [Outcomes]uint64 // tasks not completed before the run, as in a Snapshot; set by Begin
	mask   uint64
}

// Above maxMetered responses per second, responses are sampled. A count costs about 10 ns, and 50
// ns if two processors share it: at most a thousandth of a processor.
const maxMetered = 20_000

func (m *Meter) Begin(r Run) {
	if m == nil {
		return
	}
	r.Begun = time.Now()
	for i := range r.Before {
		r.Before[i] = m.others[i].Load()
	}
	if one := r.Rate / maxMetered; one > 1 && !math.IsInf(one, 0) {
		r.mask = 1<<bits.Len64(uint64(one)) - 1
	}
	m.last.Store(&r)
	m.now.Store(&r)
}

func (m *Meter) End() {
	if m != nil {
		m.now.Store(nil)
	}
}

func (m *Meter) Settle(seq uint64, o Outcome, status int, response time.Duration) {
	if m != nil {
		m.settle(seq, o, status, response)
	}
}

func (m *Meter) settle(seq uint64, o Outcome, status int, response time.Duration) {
	if o != Completed {
		m.others[o].Add(1)
	}
	r := m.now.Load()
	if r == nil || seq&r.mask != 0 {
		return
	}
	if status < 0 || status >= statuses {
		status = 0
	}
	at := &m.responses[o][status]
	h := at.Load()
	if h == nil {
		at.CompareAndSwap(nil, new(responseCounts))
		h = at.Load()
	}
	h[bucketOf(response)].Add(r.mask + 1)
}

// There are sixteen buckets for each power of two of nanoseconds.
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

func WithMeter(ctx context.Context, m *Meter) context.Context {
	return context.WithValue(ctx, meterKey{}, m)
}

func MeterFromContext(ctx context.Context) *Meter {
	m, _ := ctx.Value(meterKey{}).(*Meter)
	return m
}
