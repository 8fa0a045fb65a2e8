package targets

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/poolbench/poolbench/bench/param"
)

var _ = register(Spec{
	Name:    "concurrency_cap",
	Summary: "serves a fixed number of calls at once, and refuses further calls, without a queue",
	Source:  "nginx limit_conn; the concurrency limits of Stripe and AWS Lambda",
	Counts:  counters(),
	Keys: []param.Key{{Name: "limit", Kind: param.Int, Default: "10",
		Doc: "largest number of calls in service, at least 1"}},
	New: func(_ uint64, v param.Values) (Target, error) {
		limit := v.Int("limit")
		if limit < 1 {
			return nil, fmt.Errorf("limit: must be at least 1, got %d", limit)
		}
		return &concurrencyCap{limit: int64(limit)}, nil
	},
})

// concurrencyCap gives no retry time, because that depends on when a call in service ends.
type concurrencyCap struct {
	calls
	limit int64
	taken atomic.Int64
}

func (c *concurrencyCap) Call(ctx context.Context, seq uint64, work Work) error {
	if err := c.gone(ctx.Err()); err != nil {
		return err
	}
	if !c.enter() {
		c.refused.Add(1)
		return &Throttled{Refusal: Unavailable}
	}
	defer c.taken.Add(-1) // deferred, because work may panic or end its goroutine
	c.admitted.Add(1)
	return work(ctx, seq)
}

// Incrementing first and then checking could refuse calls while a slot is free.
func (c *concurrencyCap) enter() bool {
	for n := c.taken.Load(); n < c.limit; n = c.taken.Load() {
		if c.taken.CompareAndSwap(n, n+1) {
			return true
		}
	}
	return false
}

func (c *concurrencyCap) Quota() Quota {
	return Quota{Limit: int(c.limit), Remaining: int(c.limit - c.taken.Load())}
}
