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

// With full jitter and the default base and cap, 1000 attempts allow more than an hour of retries.
const maxAttempts = 1000

// RetryKeys returns the parameters of a strategy that retries, followed by more.
func RetryKeys(more ...param.Key) []param.Key {
	return append([]param.Key{
		{Name: "attempts", Kind: param.Int, Default: "3",
			Doc: "largest number of attempts at a task, including the first"},
		{Name: "base", Kind: param.Duration, Default: "100ms",
			Doc: "backoff before the second attempt, doubled before each further one"},
		{Name: "cap", Kind: param.Duration, Default: "10s", Doc: "largest backoff"},
		{Name: "jitter", Kind: param.Choice, Default: fullJitter,
			Choices: []string{noJitter, fullJitter, equalJitter, decorrelatedJitter},
			Doc: "the wait: the backoff itself (none), uniform up to the backoff (full), uniform " +
				"over its upper half (equal), or uniform from base to three times the previous " +
				"wait (decorrelated)"},
		{Name: "after", Kind: param.Choice, Default: addAfter,
			Choices: []string{addAfter, heedAfter, ignoreAfter},
			Doc: "after a Retry-After: wait for it plus the backoff (add), for it only (heed), " +
				"or for the backoff only (ignore), which is too early"},
		{Name: "seed", Kind: param.Int, Default: "1",
			Doc: "seed of the jitter: with the same seed, each task has the same waits"},
	}, more...)
}

const (
	noJitter           = "none"
	fullJitter         = "full"
	equalJitter        = "equal"
	decorrelatedJitter = "decorrelated"
)

const (
	addAfter    = "add"
	heedAfter   = "heed"
	ignoreAfter = "ignore"
)

// CheckRetries is the Spec.Check for RetryKeys.
func CheckRetries(p strategies.Params) error {
	if err := p.Values.CheckRange("attempts", 1, maxAttempts); err != nil {
		return err
	}
	if base, most := p.Values.Duration("base"), p.Values.Duration("cap"); most < base {
		return fmt.Errorf("cap %v is below base %v", most, base)
	}
	return nil
}

// Retries decides whether and when a task is retried. It uses exponential backoff with the kinds of
// jitter that Marc Brooker compares in "Exponential Backoff And Jitter" (AWS Architecture Blog,
// 2015). Before attempt n+1, with b = min(cap, base·2ⁿ⁻¹), wₙ is
//
//	none          b
//	full          uniform(0, b)
//	equal         b/2 + uniform(0, b/2)
//	decorrelated  min(cap, uniform(base, 3·wₙ₋₁)), with w₀ = base
//
// If the task requests a minimum wait (Retry-After), the wait is After + wₙ. Without added jitter,
// all tasks with the same Retry-After would retry at once. after=ignore violates the contract.
//
// wₙ uses the nth number of PCG(seed, ordinal of the Submit), so virtual runs are reproducible. The
// jitter of github.com/cenkalti/backoff/v5 has no seed and is never near 0.
type Retries struct {
	Attempts      int
	base, cap     time.Duration
	jitter, after string // a value of each parameter
	seed          uint64
	budget        *Budget // nil means that only Attempts limits retries
}

// NewRetries reads the parameters of RetryKeys.
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

// NewPartRetries reads a part's own parameters of RetryKeys and BudgetKey.
func NewPartRetries(own param.Values) Retries {
	r := NewRetries(strategies.Params{Values: own})
	r.budget = NewBudget(own.Float("budget"), true)
	return r
}

// A RetrySink clears a task's attempts and frees its slot before it calls Sink.
type RetrySink struct {
	Slots <-chan struct{} // nil if tasks have no slot
	Sink  strategies.Sink
}

// Done implements strategies.Sink.
func (s RetrySink) Done(t *strategies.Task, r strategies.Result) {
	t.Scratch().Tries = strategies.AttemptState{}
	if s.Slots != nil {
		<-s.Slots
	}
	s.Sink.Done(t, r)
}

// Next counts an attempt at t. It returns the wait before the next attempt or, after the last one,
// the task's final error.
func (p *Retries) Next(t *strategies.Task, r strategies.Result) (time.Duration, error) {
	t.Scratch().Tries.Made++
	if t.Scratch().Tries.Made >= p.Attempts || !p.budget.Withdraw() {
		return 0, &strategies.ExhaustedError{Attempts: t.Scratch().Tries.Made, Last: r.Err}
	}
	switch {
	case r.After > 0 && p.after == heedAfter:
		return r.After, nil
	case p.after == ignoreAfter:
		return p.wait(t.Scratch().Tries), nil
	}
	return Prolong(r.After, p.wait(t.Scratch().Tries)), nil
}

func (p *Retries) wait(t strategies.AttemptState) time.Duration {
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

func uniform(source *rand.PCG, most time.Duration) time.Duration {
	share, _ := bits.Mul64(source.Uint64(), uint64(most)+1)
	return time.Duration(share)
}

// Prolong returns least + by without overflow. A negative least counts as 0.
func Prolong(least, by time.Duration) time.Duration {
	if least <= 0 {
		return by
	}
	if least > math.MaxInt64-by {
		return math.MaxInt64
	}
	return least + by
}

// A Budget limits retries to a share of the tasks, so they do not multiply the load on a failing
// target. Each accepted task adds a share of a token, and each retry takes one token, as in
// Finagle's RetryBudget. The bucket holds ten tokens and is initially full, as in gRPC's proposal
// A6. A larger bucket would save enough retries to flood the start of an outage.
type Budget struct {
	share int64 // deposit per task, in millionths of a token
	left  atomic.Int64
}

const (
	oneToken  = 1_000_000
	maxTokens = 10 * oneToken
)

// BudgetKey is the parameter of the retry budget.
var BudgetKey = param.Key{Name: "budget", Kind: param.Float, Default: "0",
	Doc: "retries per arriving task: 0.1 allows one retry for every ten tasks, and up to ten are " +
		"saved; 0: no budget, only attempts limits retries"}

// CheckBudget validates the budget of a part.
func CheckBudget(v param.Values) error {
	if b := v.Float("budget"); b < 0 || b > maxAttempts || b > 0 && b < 1e-6 {
		return fmt.Errorf("budget %v: want 0, or 0.000001 to %d", b, maxAttempts)
	}
	return nil
}

// NewBudget returns a budget with share tokens per task. It returns nil, which sets no limit, if
// share rounds to 0.
func NewBudget(share float64, full bool) *Budget {
	b := &Budget{share: int64(math.Round(share * oneToken))}
	if b.share == 0 {
		return nil
	}
	if full {
		b.left.Store(maxTokens)
	}
	return b
}

// Deposit adds the share of one accepted task.
func (b *Budget) Deposit() {
	if b != nil {
		b.add(b.share)
	}
}

// Withdraw takes a token for a retry and reports whether there was one.
func (b *Budget) Withdraw() bool { return b == nil || b.add(-oneToken) }

func (b *Budget) add(tokens int64) bool {
	for {
		left := b.left.Load()
		if left+tokens < 0 {
			return false
		}
		if b.left.CompareAndSwap(left, min(left+tokens, maxTokens)) {
			return true
		}
	}
}
