package engine

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/strategies"
)

// maxAttempts is the most attempts that checkRetries lets pass. With full jitter and the default
// base and cap that is more than an hour of trying; a task that still fails is poison.
const maxAttempts = 1000

// RetryKeys returns the parameters of a strategy that retries, and more. The shape of the backoff
// needs no parameter: base=0s means no backoff, cap equal to base a constant one.
func RetryKeys(more ...param.Key) []param.Key {
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
			Doc: "after a Retry-After: wait for it and the backoff (add), for it alone (heed), " +
				"or for the backoff alone (ignore), which is too early"},
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

// CheckRetries is the Spec.Check for RetryKeys.
func CheckRetries(p strategies.Params) error {
	if err := p.Values.Within("attempts", 1, maxAttempts); err != nil {
		return err
	}
	if base, most := p.Values.Duration("base"), p.Values.Duration("cap"); most < base {
		return fmt.Errorf("cap %v is below base %v", most, base)
	}
	return nil
}

// Retries decides whether and when a task is tried again: with exponential backoff, and with one of
// the kinds of jitter that Marc Brooker compares ("Exponential Backoff And Jitter", AWS
// Architecture Blog, 2015), so that tasks that failed together do not retry together. Before
// attempt n+1, with b = min(cap, base·2ⁿ⁻¹), wₙ is
//
//	none          b
//	full          uniform(0, b)
//	equal         b/2 + uniform(0, b/2)
//	decorrelated  min(cap, uniform(base, 3·wₙ₋₁)), with w₀ = base
//
// and the wait is After + wₙ where the task asks for a least wait (Retry-After). By default the
// jitter is full and added to After: with after=heed, or with the larger of the two, all tasks with
// the same Retry-After would retry at one instant. The cap does not apply to After: a server that
// says an hour means it. after=ignore shows the cost of ignoring it; it is the one setting that
// breaks the contract, by which no attempt comes before After.
//
// wₙ is drawn with the nth number of PCG(seed, ordinal), where ordinal numbers the Submits of the
// instance. So a run under the virtual clock repeats to the nanosecond.
//
// The library github.com/cenkalti/backoff/v5 does not fit: its jitter takes no seed and differs
// (around the interval, so that it is never near 0 and may exceed the cap), and its Retry sleeps in
// the caller, with three allocations a task.
type Retries struct {
	Attempts      int
	base, cap     time.Duration
	jitter, after string // choices
	seed          uint64
	budget        *Budget // nil: as many attempts as attempts says
}

// NewRetries takes them from the parameters that RetryKeys declares.
func NewRetries(p strategies.Params) Retries {
	return Retries{
		Attempts: p.Values.Int("attempts"),
		base:     p.Values.Duration("base"),
		cap:      p.Values.Duration("cap"),
		jitter:   p.Values.Choice("jitter"),
		after:    p.Values.Choice("after"),
		seed:     uint64(p.Values.Int("seed")),
	}
}

// NewPartRetries takes them from a part's own parameters, which RetryKeys declares.
func NewPartRetries(own param.Values) Retries {
	r := NewRetries(strategies.Params{Values: own})
	r.budget = NewBudget(own.Float("budget"), true)
	return r
}

// A RetrySink forgets a task's attempts and gives its slot back, before it calls Sink.
type RetrySink struct {
	Slots <-chan struct{} // nil: no slot
	Sink  strategies.Sink
}

// Done implements strategies.Sink.
func (s RetrySink) Done(t *strategies.Task, r strategies.Result) {
	t.Kept().Tries = strategies.Tries{}
	if s.Slots != nil {
		<-s.Slots
	}
	s.Sink.Done(t, r)
}

// Next counts an attempt at t whose result r asks for another, and returns the wait before that;
// or, if the attempt was the last, the error that the task is done with.
func (p *Retries) Next(t *strategies.Task, r strategies.Result) (time.Duration, error) {
	t.Kept().Tries.Made++
	if t.Kept().Tries.Made >= p.Attempts || !p.budget.Withdraw() {
		return 0, &strategies.ExhaustedError{Attempts: t.Kept().Tries.Made, Last: r.Err}
	}
	switch {
	case r.After > 0 && p.after == heedAfter:
		return r.After, nil
	case p.after == ignoreAfter:
		return p.wait(t.Kept().Tries), nil
	}
	return Prolong(r.After, p.wait(t.Kept().Tries)), nil
}

// wait is wₙ after n attempts.
func (p *Retries) wait(t strategies.Tries) time.Duration {
	if p.jitter == noJitter {
		return p.backoff(t.Made)
	}
	var source rand.PCG
	source.Seed(p.seed, t.Ordinal)
	if p.jitter == decorrelatedJitter {
		w := p.base
		for range t.Made {
			w = min(p.cap, p.base+uniform(&source, Prolong(w, Prolong(w, w))-p.base))
		}
		return w
	}
	for range t.Made - 1 {
		source.Uint64()
	}
	most := p.backoff(t.Made)
	if p.jitter == equalJitter {
		return most/2 + uniform(&source, most-most/2)
	}
	return uniform(&source, most)
}

// backoff is min(cap, base·2ⁿ⁻¹) after n attempts.
func (p *Retries) backoff(n int) time.Duration {
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

// Prolong returns least + by, capped at the largest Duration. A negative least counts as 0.
func Prolong(least, by time.Duration) time.Duration {
	if least <= 0 {
		return by
	}
	if least > math.MaxInt64-by {
		return math.MaxInt64
	}
	return least + by
}

// A Budget bounds the retries of all tasks by a share of the number of tasks, so that retries do
// not multiply the load on a failing target. It is a bucket of tokens: each accepted task adds a
// share of one, each retry takes one, and without a token the failed attempt was the last.
//
// The retry budget of Finagle is counted so (RetryBudget: deposit and withdraw). That of gRPC takes
// tokens for failures and puts them back for successes (proposal A6, throttling of retries); from
// there is the size of the bucket, ten, which is full at first. Without that bound, a calm day
// would save up enough retries to flood the first minute of an outage.
type Budget struct {
	share int64 // of one task, in millionths of a token
	left  atomic.Int64
}

const (
	oneToken   = 1_000_000
	mostTokens = 10 * oneToken
)

// BudgetKey is the parameter for the retry budget: a bound on retries over all tasks.
var BudgetKey = param.Key{Name: "budget", Kind: param.Float, Default: "0",
	Doc: "retries per arriving task: 0.1 allows one for every ten tasks; up to ten are saved; 0: " +
		"no budget, only attempts bounds them"}

// CheckBudget returns an error if the budget in the parameters of a part is impossible.
func CheckBudget(v param.Values) error {
	if b := v.Float("budget"); b < 0 || b > maxAttempts || b > 0 && b < 1e-6 {
		return fmt.Errorf("budget %v: want 0, or 0.000001 to %d", b, maxAttempts)
	}
	return nil
}

// NewBudget makes a budget of share tokens per task, full or empty at first; nil if share sets no
// bound.
func NewBudget(share float64, full bool) *Budget {
	b := &Budget{share: int64(math.Round(share * oneToken))}
	if b.share == 0 {
		return nil
	}
	if full {
		b.left.Store(mostTokens)
	}
	return b
}

// Deposit adds the share of one accepted task.
func (b *Budget) Deposit() {
	if b != nil {
		b.add(b.share)
	}
}

// Withdraw takes a token for a retry, and reports whether the retry may be made.
func (b *Budget) Withdraw() bool { return b == nil || b.add(-oneToken) }

// add changes what is left, which stays from none to the most; it says whether there was enough.
func (b *Budget) add(tokens int64) bool {
	for {
		left := b.left.Load()
		if left+tokens < 0 {
			return false
		}
		if b.left.CompareAndSwap(left, min(left+tokens, mostTokens)) {
			return true
		}
	}
}
