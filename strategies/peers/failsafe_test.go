package peers_test

import (
	"testing"
	"time"

	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/adaptivelimiter"
	"github.com/failsafe-go/failsafe-go/bulkhead"
	"github.com/failsafe-go/failsafe-go/circuitbreaker"
	"github.com/failsafe-go/failsafe-go/hedgepolicy"
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
}

func panicIn(e failsafe.Executor[any]) {
	defer func() { _ = recover() }()
	_ = e.Run(func() error { panic("of a task") })
}
