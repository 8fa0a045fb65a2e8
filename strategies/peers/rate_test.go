package peers_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/time/rate"

	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/engine"
	"github.com/poolbench/poolbench/strategies/strategytest"
)

var rateFaults = []fault{{
	name: "rate_waiters", module: rateModule, version: "v0.16.0",
	finding: "a rate.Limiter keeps the tokens of callers of Wait that gave up: of 400 callers at " +
		"50/s who hang up after 310 ms, all later callers starve for 8 s",
	upstream: "https://go.dev/issue/56924",
	show: func(t *testing.T) {
		synctest.Test(t, func(*testing.T) {
			limiter := rate.NewLimiter(50, 1)
			served := make(chan struct{}, 1000)
			call := func() {
				ctx, hangUp := context.WithCancel(context.Background())
				time.AfterFunc(310*time.Millisecond, hangUp)
				if limiter.Wait(ctx) == nil {
					served <- struct{}{}
				}
			}
			for range 400 {
				go call()
			}
			time.Sleep(time.Second)
			first := len(served)
			for range 300 { // one at a time: the rate allows each of them at once
				go call()
				time.Sleep(20 * time.Millisecond)
			}
			if later := len(served) - first; later < 250 {
				shown("in the first second %d callers were served, in the next six %d", first, later)
			}
			shown("gone")
		})
	},
	want: "in the first second 16 callers were served, in the next six 0",
}}

func TestTokensOfWaiters(t *testing.T) {
	naive := strategies.Spec{Name: "naive", Bound: limitOf, Capacity: limitOf,
		New: func(ctx context.Context, p strategies.Params, sink strategies.Sink) strategies.Strategy {
			limiter, slots := rate.NewLimiter(1000, 100), make(chan struct{}, p.Limit)
			return engine.Gate[struct{}]{
				Try: func() (none struct{}, ok bool) { return none, false },
				Wait: func(ctx context.Context) (none struct{}, err error) {
					if err := limiter.Wait(ctx); err != nil {
						return none, err
					}
					select {
					case slots <- none:
						return none, nil
					case <-ctx.Done():
						return none, ctx.Err()
					}
				},
				Release: func(struct{}, strategies.Result) { <-slots },
			}.Start(ctx, sink)
		}}
	if err := strategytest.GiveUps(naive, 5000); err == nil ||
		!strings.Contains(err.Error(), "a new instance") {
		t.Error(err)
	}
}

func limitOf(p strategies.Params) int { return p.Limit }
