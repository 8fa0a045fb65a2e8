package peers_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/platinummonkey/go-concurrency-limits/core"
	"github.com/platinummonkey/go-concurrency-limits/limit"
	"github.com/platinummonkey/go-concurrency-limits/limiter"
	"github.com/platinummonkey/go-concurrency-limits/strategy"
)

var limitsFaults = []fault{
	{
		name: "limits_simple", module: limitsModule, version: "v0.8.0",
		finding: "SimpleStrategy admits more tasks than its limit (documented)",
		show: func(*testing.T) {
			meet(func() crowd {
				s := strategy.NewSimpleStrategy(1)
				return crowd{
					enter: func() { s.TryAcquire(context.Background()) },
					both:  func() bool { return s.GetBusyCount() > 1 },
					clear: func() {},
				}
			})
		},
		want: "two at once",
	},
	{
		name: "limits_blocking", module: limitsModule, version: "v0.8.0",
		finding: "BlockingLimiter loses a wake-up between its check and its wait",
		show: func(t *testing.T) {
			showLost(t, func(delegate core.Limiter) core.Limiter {
				return limiter.NewBlockingLimiter(delegate, 0, nil)
			})
		},
		want: "the token is free, and the waiter sleeps",
	},
	{
		name: "limits_queue", module: limitsModule, version: "v0.8.0",
		finding: "QueueBlockingLimiter loses a wake-up between its check and its wait",
		show: func(t *testing.T) {
			showLost(t, func(delegate core.Limiter) core.Limiter {
				return limiter.NewQueueBlockingLimiterFromConfig(delegate,
					limiter.QueueLimiterConfig{MaxBacklogTimeout: time.Hour})
			})
		},
		want: "the token is free, and the waiter sleeps",
	},
	{
		name: "limits_leak", module: limitsModule, version: "v0.8.0",
		finding: "BlockingLimiter leaks a goroutine for each Acquire whose caller gave up",
		show: func(t *testing.T) {
			synctest.Test(t, func(*testing.T) {
				gate := limiter.NewBlockingLimiter(fixed(1), 0, nil)
				gate.Acquire(context.Background())
				for range 100 {
					ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
					gate.Acquire(ctx)
					cancel()
				}
				synctest.Wait()
				if n := goroutinesOf(limitsModule); n > 0 {
					shown("%d goroutines more", n)
				}
			})
		},
		want: "100 goroutines more",
	},
	{
		name: "limits_lifo", module: limitsModule, version: "v0.8.0",
		finding: "QueueBlockingLimiter ignores OrderingLIFO",
		show: func(t *testing.T) {
			synctest.Test(t, func(*testing.T) {
				gate := limiter.NewQueueBlockingLimiterFromConfig(fixed(1),
					limiter.QueueLimiterConfig{
						Ordering: limiter.OrderingLIFO, MaxBacklogTimeout: time.Hour,
					})
				token, _ := gate.Acquire(context.Background())
				var order []int
				for i := range 4 {
					go func() {
						token, _ := gate.Acquire(context.Background())
						order = append(order, i)
						token.OnSuccess()
					}()
					synctest.Wait()
				}
				token.OnSuccess()
				synctest.Wait()
				if order[0] != 3 {
					shown("served in the order %v", order)
				}
			})
		},
		want: "served in the order [0 1 2 3]",
	},
}

func fixed(n int) core.Limiter {
	l, err := limiter.NewDefaultLimiter(limit.NewFixedLimit("", n, nil), 1e9, 1e9, 1e5, 100,
		strategy.NewPreciseStrategy(n),
		limit.NoopLimitLogger{}, core.EmptyMetricRegistryInstance)
	if err != nil {
		panic(err)
	}
	return l
}

// late is a Limiter that calls refused once, right after its first refusal.
type late struct {
	core.Limiter
	refused func()
}

func (l *late) Acquire(ctx context.Context) (core.Listener, bool) {
	token, ok := l.Limiter.Acquire(ctx)
	if !ok && l.refused != nil {
		refused := l.refused
		l.refused = nil
		refused()
	}
	return token, ok
}

// showLost returns the only token after a caller was refused and before this caller waits.
func showLost(t *testing.T, blocking func(core.Limiter) core.Limiter) {
	synctest.Test(t, func(*testing.T) {
		delegate := &late{Limiter: fixed(1)}
		gate := blocking(delegate)
		token, _ := gate.Acquire(context.Background())
		delegate.refused = func() { go token.OnSuccess(); time.Sleep(time.Second) }
		got := false
		go func() { gate.Acquire(context.Background()); got = true }()
		time.Sleep(time.Minute)
		if _, free := delegate.Limiter.Acquire(context.Background()); free && !got {
			shown("the token is free, and the waiter sleeps")
		}
		shown("gone")
	})
}
