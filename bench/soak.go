package bench

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/poolbench/poolbench/bench/arrivals"
	"github.com/poolbench/poolbench/bench/record"
	"github.com/poolbench/poolbench/internal/progress"
	"github.com/poolbench/poolbench/internal/soaks"
)

// A Soak receives the records of a Recording that may last for hours. It keeps only unsettled
// records. Only one goroutine may call Add.
type Soak struct {
	belt *soaks.Belt
	n    int
}

// maxRequestsHeld is a number of chunks, and allows 70,000 requests/s with a timeout of 30 s.
const maxRequestsHeld = 512

// NewSoak starts to receive records, for a run of about span. peak is the highest number of
// requests in flight so far. A progress.Tracker in ctx receives partial results.
func (rec *Recording) NewSoak(
	ctx context.Context, span time.Duration, peak *atomic.Int64,
) *Soak {
	begun := *rec
	s := &Soak{belt: soaks.NewBelt(maxRequestsHeld)}
	asked := progress.FromContext(ctx).Asked()
	if more, answer := rec.SoFar, asked.Answer; more != nil {
		asked.Answer = func(soFar func() (*Result, error)) {
			answer(func() (*Result, error) {
				r, err := soFar()
				if err == nil {
					more(r)
				}
				return r, err
			})
		}
	}
	s.belt.Start(soaks.NewFold(begun.observation(), span, rec.resumed), asked, peak)
	rec.soak = s
	return s
}

// Continue resumes an interrupted soak from its result before. It returns the rest of the plan, the
// number of skipped requests and the run's time after them. Call it before NewSoak.
func (rec *Recording) Continue(
	before *Result, plan arrivals.Next, stop Stop,
) (left arrivals.Next, skipped int, from time.Duration) {
	if rec.resumed = soaks.NewContinuation(before); rec.resumed == nil {
		return plan, 0, 0
	}
	left = rec.resumed.Skip(plan, stop.Tasks, stop.Duration, func() {})
	return left, rec.resumed.Skipped, time.Duration(rec.resumed.From)
}

// Add returns the record of the next request. It fails if too many requests are unsettled.
func (s *Soak) Add(due int64) (Entry, error) {
	r := s.belt.Next(due)
	if r == nil {
		return Entry{}, s.belt.ErrHeld()
	}
	s.n++
	return Entry{Record: r, belt: s.belt, chunk: s.belt.Last}, nil
}

// Len returns the number of added requests.
func (s *Soak) Len() int { return s.n }

// Close ends the goroutine of the soak. All requests must be settled before.
func (s *Soak) Close() { s.belt.Close() }

// An Entry holds the record of a request until it is settled.
type Entry struct {
	*record.Record
	belt  *soaks.Belt // nil outside of a soak
	chunk *soaks.Chunk
}

// Release returns the record to the soak. The caller must not write to it afterwards.
func (e Entry) Release() {
	if e.belt != nil {
		e.belt.Settle(e.chunk, 1)
	}
}
