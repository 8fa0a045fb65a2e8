package strategies

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"time"

	"github.com/poolbench/poolbench/internal/param"
)

// maxAttempts is the most attempts that checkRetries lets pass. With full jitter and the default base and cap that is more than an
// hour of trying; a task that still fails is poison.
const maxAttempts = 1000

// retryKeys are the parameters of every strategy that retries.
func retryKeys(more ...param.Key) []param.Key {
	return append([]param.Key{
		{Name: "attempts", Kind: param.Int, Default: "3", Doc: "most attempts at a task, the first included"},
		{Name: "base", Kind: param.Duration, Default: "100ms", Doc: "most jitter before the second attempt; it doubles before each further one"},
		{Name: "cap", Kind: param.Duration, Default: "10s", Doc: "where the doubling ends"},
		{Name: "seed", Kind: param.Int, Default: "1", Doc: "of the jitter: with the same seed each task waits the same"},
	}, more...)
}

// checkRetries is a Spec.Check.
func checkRetries(p Params) error {
	if n := p.Values.Int("attempts"); n < 1 || n > maxAttempts {
		return fmt.Errorf("attempts %d: want 1 to %d", n, maxAttempts)
	}
	if base, most := p.Values.Duration("base"), p.Values.Duration("cap"); most < base {
		return fmt.Errorf("cap %v is below base %v", most, base)
	}
	return nil
}

// retries decides whether and when a task is tried again: exponential backoff with full jitter (Marc Brooker, "Exponential Backoff
// And Jitter", AWS Architecture Blog, 2015), so that those that failed together do not come back together. Before attempt n+1 the
// wait is
//
//	After + uniform(0, min(cap, base·2ⁿ⁻¹))
//
// To the least wait that a task asks for (Retry-After) the jitter is added; the larger of the two would have all who were told the
// same Retry-After come back at one instant. The cap is not for After: a server that says an hour means it.
//
// The jitter before attempt n+1 is the nth number of PCG(seed, ordinal), where ordinal numbers the Submits of the instance. So it
// depends on nothing that happens in between, and a run under the virtual clock repeats to the nanosecond.
//
// The library github.com/cenkalti/backoff/v5 was not taken for it: its jitter takes no seed and is another one (around the
// interval, so that it is never near 0 and may exceed the cap), and its Retry sleeps in the caller, at three allocations a task.
type retries struct {
	attempts  int
	base, cap time.Duration
	seed      uint64
}

func newRetries(p Params) retries {
	return retries{
		attempts: p.Values.Int("attempts"),
		base:     p.Values.Duration("base"),
		cap:      p.Values.Duration("cap"),
		seed:     uint64(p.Values.Int("seed")),
	}
}

// tries is what a strategy that retries keeps with a task, so that one that needs no retry costs no allocation.
type tries struct {
	ordinal uint64 // of the Submits of the instance
	made    int    // attempts that asked for another; 0 unless the task is inside
}

// A retrySink forgets a task's attempts and gives its place back, before it tells the sink.
type retrySink struct {
	places <-chan struct{} // nil: no place
	sink   Sink
}

func (s retrySink) Done(t *Task, r Result) {
	t.tries = tries{}
	if s.places != nil {
		<-s.places
	}
	s.sink.Done(t, r)
}

// next counts an attempt at t that asked for another with r, and says how long to wait for it; or, if that attempt was the last,
// returns the error that the task is done with.
func (p *retries) next(t *Task, r Result) (time.Duration, error) {
	t.tries.made++
	if t.tries.made >= p.attempts {
		return 0, &ExhaustedError{Attempts: t.tries.made, Last: r.Err}
	}
	return prolong(r.After, p.jitter(t.tries)), nil
}

// jitter is uniform over the whole nanoseconds from 0 to the backoff after that many attempts.
func (p *retries) jitter(t tries) time.Duration {
	most := p.base
	for n := 1; n < t.made && most < p.cap; n++ {
		if most > p.cap/2 {
			most = p.cap
		} else {
			most *= 2
		}
	}
	var source rand.PCG
	source.Seed(p.seed, t.ordinal)
	for range t.made - 1 {
		source.Uint64()
	}
	// The high word of the product is at most most. The bias, below (most+1)/2⁶⁴, is 5·10⁻¹⁰ at a cap of 10 s.
	share, _ := bits.Mul64(source.Uint64(), uint64(most)+1)
	return time.Duration(share)
}

// prolong returns least + by, or as long as a Duration can be. A negative least is none.
func prolong(least, by time.Duration) time.Duration {
	if least <= 0 {
		return by
	}
	if least > math.MaxInt64-by {
		return math.MaxInt64
	}
	return least + by
}
