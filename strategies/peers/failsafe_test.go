package peers_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/adaptivelimiter"
	"github.com/failsafe-go/failsafe-go/bulkhead"
	"github.com/failsafe-go/failsafe-go/circuitbreaker"
	"github.com/failsafe-go/failsafe-go/hedgepolicy"
	"github.com/failsafe-go/failsafe-go/priority"

	"github.com/poolbench/poolbench/strategies"
)

var failsafeFaults = []fault{
	{
		name: "failsafe_bulkhead", module: failsafeModule, version: "v0.9.8",
		finding: "Run with a Bulkhead loses a permit per panic that is recovered outside",
		show: func(*testing.T) {
			gate := bulkhead.New[any](2)
			for range 2 {
				panicIn(failsafe.With(gate))
			}
			if !gate.TryAcquirePermit() {
				shown("no permit of 2 is left after 2 panics")
			}
		},
		want: "no permit of 2 is left after 2 panics",
	},
	{
		name: "failsafe_adaptive", module: failsafeModule, version: "v0.9.8",
		finding: "Run with an AdaptiveLimiter loses a permit per panic that is recovered outside",
		show: func(*testing.T) {
			limiter := adaptivelimiter.NewBuilder[any]().WithLimits(1, 2, 2).Build()
			for range 2 {
				panicIn(failsafe.With(limiter))
			}
			if n := limiter.Inflight(); n > 0 {
				shown("%d in flight after 2 panics", n)
			}
		},
		want: "2 in flight after 2 panics",
	},
	{
		name: "failsafe_breaker", module: failsafeModule, version: "v0.9.8",
		finding: "Run with a half-open CircuitBreaker loses a trial per panic that is recovered " +
			"outside, and stays half-open",
		show: func(*testing.T) {
			breaker := circuitbreaker.NewBuilder[any]().WithFailureThreshold(2).Build()
			breaker.HalfOpen()
			for range 2 {
				panicIn(failsafe.With(breaker))
			}
			if breaker.IsHalfOpen() && !breaker.TryAcquirePermit() {
				shown("half-open, and no trial of 2 is left after 2 panics")
			}
		},
		want: "half-open, and no trial of 2 is left after 2 panics",
	},
	{
		name: "failsafe_hedge", module: failsafeModule, version: "v0.9.8",
		finding: "a panic in a func run with a HedgePolicy crashes the process",
		show: func(*testing.T) {
			policy := hedgepolicy.NewBuilderWithDelay[any](time.Second).Build()
			panicIn(failsafe.With(policy))
		},
		want: "panic: of a task",
	},
	{
		name: "failsafe_priority_order", module: failsafeModule, version: "v0.9.8",
		finding: "a PriorityLimiter serves waiting tasks in their order of arrival, whatever " +
			"their priority (documented)",
		show: func(t *testing.T) {
			synctest.Test(t, func(*testing.T) {
				limiter := adaptivelimiter.NewBuilder[any]().WithLimits(1, 1, 1).
					BuildPrioritized(adaptivelimiter.NewPrioritizer())
				ctx := context.Background()
				permit, _ := limiter.AcquirePermitWithPriority(ctx, priority.Low)
				for _, of := range []priority.Priority{priority.VeryLow, priority.VeryHigh} {
					go func() {
						_, _ = limiter.AcquirePermitWithPriority(ctx, of)
						shown("priority %d has the first permit of 0 and 4", of)
					}()
					synctest.Wait()
				}
				permit.Record()
				synctest.Wait()
			})
		},
		want: "priority 0 has the first permit of 0 and 4",
	},
	{
		name: "failsafe_priority_crowd", module: failsafeModule, version: "v0.9.8",
		finding: "a PriorityLimiter lets more tasks wait than allowed if several arrive at once",
		show: func(*testing.T) {
			limiter := adaptivelimiter.NewBuilder[any]().WithLimits(1, 1, 1).WithQueueing(1, 1).
				BuildPrioritized(adaptivelimiter.NewPrioritizer())
			if _, err := limiter.AcquirePermit(context.Background()); err != nil {
				return
			}
			meet(func() crowd {
				return crowd{
					enter: func() { _, _ = limiter.AcquirePermit(brief{limiter}) },
					both:  func() bool { return false },
					clear: func() {},
				}
			})
		},
		want: "several wait where one may",
	},
	{
		name: "failsafe_priority_room", module: failsafeModule, version: "v0.9.8",
		finding: "a PriorityLimiter refuses a share of the tasks before its queue is full " +
			"(documented)",
		clause: "failsafe_priority: BlocksOrSheds",
		show: func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				spec, p := lookup(t, "failsafe_priority", 10)
				s := spec.New(t.Context(), p,
					strategies.SinkFunc(func(*strategies.Task, strategies.Result) {}))
				for in := range spec.Capacity(p) {
					if in == 35 {
						time.Sleep(2 * time.Second) // for a look at the queue
					}
					task := &strategies.Task{
						Run: func(context.Context, *strategies.Task) strategies.Result {
							time.Sleep(time.Hour)
							return strategies.Result{}
						}}
					if s.Submit(t.Context(), task) != nil {
						shown("refused with %d inside, where the capacity is %d", in,
							spec.Capacity(p))
					}
				}
			})
		},
		want: "refused with 36 inside, where the capacity is 40",
	},
}

// brief is a context that ends as soon as Done is called.
type brief struct {
	limiter adaptivelimiter.PriorityLimiter[any]
}

func (b brief) Done() <-chan struct{} {
	if b.limiter.Queued() > 1 { // up to 4, depending on the machine
		shown("several wait where one may")
	}
	ended := make(chan struct{})
	close(ended)
	return ended
}

func (brief) Err() error                      { return context.Canceled }
func (brief) Deadline() (_ time.Time, _ bool) { return }
func (brief) Value(any) any                   { return nil }

func panicIn(e failsafe.Executor[any]) {
	defer func() { _ = recover() }()
	_ = e.Run(func() error { panic("of a task") })
}
