package strategies

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"time"

	"github.com/poolbench/poolbench/bench/param"
)

// maxAttempts is the most attempts that checkRetries lets pass. With full jitter and the default
// base and cap that is more than an hour of trying; a task that still fails is poison.
const maxAttempts = 1000

// retryKeys are the parameters of every strategy that retries. There is none for the shape of the
// backoff: with base=0s there is none, and with cap as large as base it is the same before each
// attempt.
func retryKeys(more ...param.Key) []param.Key {
	return append([]param.Key{
		{Name: "attempts", Kind: param.Int, Default: "3",
			Doc: "most attempts at a task, the first included"},
		{Name: "base", Kind: param.Duration, Default: "100ms",
			Doc: "backoff before the second attempt; it doubles before each further one"},
		{Name: "cap", Kind: param.Duration, Default: "10s", Doc: "where the doubling ends"},
		{Name: "jitter", Kind: param.Choice, Default: fullJitter,
			Choices: []string{noJitter, fullJitter, equalJitter, decorrelatedJitter},
			Doc: "the wait: the backoff itself (none), uniform up to it (full) or over its upper " +
				"half (equal), or up to three times the wait before and no less than base " +
				"(decorrelated)"},
		{Name: "after", Kind: param.Choice, Default: addAfter,
			Choices: []string{addAfter, heedAfter, ignoreAfter},
			Doc: "with a Retry-After: wait for it and then as without one (add), for it alone " +
				"(heed), or as without one (ignore), which comes too early"},
		{Name: "seed", Kind: param.Int, Default: "1",
			Doc: "of the jitter: with the same seed each task waits the same"},
	}, more...)
}

// The choices of jitter.
const (
	noJitter           = "none"
	fullJitter         = "full"
	equalJitter        = "equal"
	decorrelatedJitter = "decorrelated"
)

// The choices of after.
const (
	addAfter    = "add"
	heedAfter   = "heed"
	ignoreAfter = "ignore"
)

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

// retries decides whether and when a task is tried again: with exponential backoff, and with one of
// the kinds of jitter that Marc Brooker compares ("Exponential Backoff And Jitter", AWS
// Architecture Blog, 2015), so that those that failed together do not come back together. Before
// attempt n+1, with b = min(cap, base·2ⁿ⁻¹), wₙ is
//
//	none          b
//	full          uniform(0, b)
//	equal         b/2 + uniform(0, b/2)
//	decorrelated  min(cap, uniform(base, 3·wₙ₋₁)), with w₀ = base
//
// and the wait is After + wₙ where the task asks for a least wait (Retry-After). By default the
// jitter is full, and comes on top: with after=heed, or the larger of the two, all who were told
// the same Retry-After come back at one instant. The cap is not for After: a server that says an
// hour means it. after=ignore is for finding out what it costs not to listen; it is the one setting
// that breaks the contract, by which no attempt comes before After.
//
// What is drawn for wₙ is the nth number of PCG(seed, ordinal), where ordinal numbers the Submits
// of the instance. So it depends on nothing that happens in between, and a run under the virtual
// clock repeats to the nanosecond.
//
// The library github.com/cenkalti/backoff/v5 was not taken for it: its jitter takes no seed and is
// another one (around the interval, so that it is never near 0 and may exceed the cap), and its
// Retry sleeps in the caller, at three allocations a task.
type retries struct {
	attempts      int
	base, cap     time.Duration
	jitter, after string // choices
	seed          uint64
	budget        *budget // nil: as many attempts as attempts says
}

func newRetries(p Params) retries {
	return retries{
		attempts: p.Values.Int("attempts"),
		base:     p.Values.Duration("base"),
		cap:      p.Values.Duration("cap"),
		jitter:   p.Values.Choice("jitter"),
		after:    p.Values.Choice("after"),
		seed:     uint64(p.Values.Int("seed")),
	}
}

// newPartRetries are those of a part.
func newPartRetries(own param.Values) retries {
	r := newRetries(Params{Values: own})
	r.budget = newBudget(own)
	return r
}

// tries is what a strategy that retries keeps with a task, so that one that needs no retry costs no
// allocation.
type tries struct {
	ordinal uint64 // of the Submits of the instance
	made    int    // attempts that asked for another; 0 unless the task is inside
	// with a part that retries in place: that part, and the task's own Run
	of  *retryPart
	run func(context.Context, *Task) Result
}

// A retrySink forgets a task's attempts and gives its slot back, before it tells the sink.
type retrySink struct {
	slots <-chan struct{} // nil: no slot
	sink  Sink
}

func (s retrySink) Done(t *Task, r Result) {
	t.tries = tries{}
	if s.slots != nil {
		<-s.slots
	}
	s.sink.Done(t, r)
}

// next counts an attempt at t that asked for another with r, and says how long to wait for it; or,
// if that attempt was the last, returns the error that the task is done with.
func (p *retries) next(t *Task, r Result) (time.Duration, error) {
	t.tries.made++
	if t.tries.made >= p.attempts || !p.budget.withdraw() {
		return 0, &ExhaustedError{Attempts: t.tries.made, Last: r.Err}
	}
	switch {
	case r.After > 0 && p.after == heedAfter:
		return r.After, nil
	case p.after == ignoreAfter:
		return p.wait(t.tries), nil
	}
	return prolong(r.After, p.wait(t.tries)), nil
}

// wait is wₙ after n attempts.
func (p *retries) wait(t tries) time.Duration {
	if p.jitter == noJitter {
		return p.backoff(t.made)
	}
	var source rand.PCG
	source.Seed(p.seed, t.ordinal)
	if p.jitter == decorrelatedJitter {
		w := p.base
		for range t.made {
			w = min(p.cap, p.base+uniform(&source, prolong(w, prolong(w, w))-p.base))
		}
		return w
	}
	for range t.made - 1 {
		source.Uint64()
	}
	most := p.backoff(t.made)
	if p.jitter == equalJitter {
		return most/2 + uniform(&source, most-most/2)
	}
	return uniform(&source, most)
}

// backoff is min(cap, base·2ⁿ⁻¹) after n attempts.
func (p *retries) backoff(n int) time.Duration {
	b := p.base
	for ; n > 1 && b < p.cap; n-- {
		if b > p.cap/2 {
			return p.cap
		}
		b *= 2
	}
	return b
}

// uniform draws from the whole nanoseconds from 0 to most: the high word of the product is at most
// most. The bias, below (most+1)/2⁶⁴, is 5·10⁻¹⁰ at 10 s.
func uniform(source *rand.PCG, most time.Duration) time.Duration {
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
