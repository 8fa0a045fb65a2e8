package targets_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/poolbench/poolbench/targets"
)

// callOutcome is the time at which a call gets its connection or its error.
type callOutcome struct {
	at  time.Duration
	err error
}

func sendCalls(
	t *testing.T, target targets.Target, at, work []time.Duration,
	patience func(i int) (context.Context, context.CancelFunc),
) []callOutcome {
	t.Helper()
	began := time.Now()
	all := make([]callOutcome, len(at))
	var wg sync.WaitGroup
	for i := range at {
		wg.Go(func() {
			time.Sleep(at[i])
			ctx, cancel := patience(i)
			defer cancel()
			err := target.Call(ctx, uint64(i), func(context.Context, uint64) error {
				all[i].at = time.Since(began)
				time.Sleep(work[i])
				return nil
			})
			if err != nil {
				all[i] = callOutcome{time.Since(began), err}
			}
		})
	}
	wg.Wait()
	return all
}

func patient(t *testing.T) func(int) (context.Context, context.CancelFunc) {
	return func(int) (context.Context, context.CancelFunc) {
		return context.WithCancel(t.Context())
	}
}

// poolOracle gives each call the connection that becomes free first, unless the call times
// out before.
func poolOracle(conns int, timeout time.Duration, at, work []time.Duration) []callOutcome {
	free := make([]time.Duration, conns)
	all := make([]callOutcome, len(at))
	for i := range at {
		first := 0
		for c := range free {
			if free[c] < free[first] {
				first = c
			}
		}
		if start := max(at[i], free[first]); start == at[i] || start < at[i]+timeout {
			all[i] = callOutcome{at: start}
			free[first] = start + work[i]
		} else {
			all[i] = callOutcome{at[i] + timeout, targets.ErrThrottled}
		}
	}
	return all
}

func sameOutcomes(t *testing.T, got, want []callOutcome) {
	t.Helper()
	for i := range want {
		if got[i].at != want[i].at || !errors.Is(got[i].err, want[i].err) {
			t.Errorf("call %d: %v after %v, want %v after %v", i, got[i].err, got[i].at,
				want[i].err, want[i].at)
		}
	}
}

// A call whose connection becomes free exactly at its timeout is refused.
func TestConnPoolIsAFIFOWithATimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const ms = time.Millisecond
		target := build(t, "conn_pool:conns=1,timeout=250ms")
		at := []time.Duration{0, 10 * ms, 20 * ms, 30 * ms, 40 * ms, 50 * ms, 60 * ms}
		work := []time.Duration{100 * ms, 100 * ms, 100 * ms, 100 * ms, 100 * ms,
			100 * ms, 100 * ms}
		got := sendCalls(t, target, at, work, patient(t))
		refused := targets.ErrThrottled
		sameOutcomes(t, got, []callOutcome{{at: 0}, {at: 100 * ms}, {at: 200 * ms}, {280 * ms, refused},
			{290 * ms, refused}, {300 * ms, refused}, {at: 300 * ms}})
		var r *targets.Throttled
		if !errors.As(got[3].err, &r) || *r != (targets.Throttled{Refusal: targets.Unavailable}) {
			t.Errorf("refused with %v", got[3].err)
		}
		want := "[{admitted-calls 4} {refused-calls 3} {abandoned-calls 0} {delayed-calls 6}]"
		if got := fmt.Sprint(target.(targets.Counted).Counts()); got != want {
			t.Errorf("%s, want %s", got, want)
		}
		if q := target.(targets.Metered).Quota(); q != (targets.Quota{Limit: 1, Remaining: 1}) {
			t.Errorf("at the end %+v", q)
		}
	})
}

func TestConnPoolEqualsTheOracle(t *testing.T) {
	for seed := range uint64(5) {
		for _, timeout := range []time.Duration{0, 20 * time.Millisecond, time.Hour} {
			r := rand.New(rand.NewPCG(seed, uint64(timeout)))
			at, work := make([]time.Duration, 300), make([]time.Duration, 300)
			var now time.Duration
			for i := range at { // these means give 4 connections a utilisation of 95 %
				now += time.Duration(1 + r.ExpFloat64()*2.6e6)
				at[i], work[i] = now, time.Duration(1+r.ExpFloat64()*10e6)
			}
			synctest.Test(t, func(t *testing.T) {
				target := build(t, fmt.Sprintf("conn_pool:conns=4,timeout=%v", timeout))
				sameOutcomes(t, sendCalls(t, target, at, work, patient(t)),
					poolOracle(4, timeout, at, work))
			})
		}
	}
}

func TestConnPoolClientsLeave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const ms = time.Millisecond
		target := build(t, "conn_pool:conns=1,timeout=1s")
		at := []time.Duration{0, 1 * ms, 2 * ms, 3 * ms}
		work := []time.Duration{100 * ms, 100 * ms, 100 * ms, 100 * ms}
		got := sendCalls(t, target, at, work, func(i int) (context.Context, context.CancelFunc) {
			if i == 1 {
				return context.WithTimeout(t.Context(), 49*ms)
			}
			return context.WithCancel(t.Context())
		})
		sameOutcomes(t, got, []callOutcome{{at: 0}, {50 * ms, context.DeadlineExceeded},
			{at: 100 * ms}, {at: 200 * ms}})
		want := "[{admitted-calls 3} {refused-calls 0} {abandoned-calls 1} {delayed-calls 3}]"
		if got := fmt.Sprint(target.(targets.Counted).Counts()); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	})
}

// Simultaneous returns, departures and timeouts must not lose or add a connection.
func TestConnPoolKeepsItsConnections(t *testing.T) {
	for range 50 {
		synctest.Test(t, func(t *testing.T) {
			target := build(t, "conn_pool:conns=2,timeout=20ms")
			at, work := make([]time.Duration, 40), make([]time.Duration, 40)
			for i := range work {
				at[i], work[i] = time.Duration(i/4)*5*time.Millisecond, 10*time.Millisecond
			}
			sendCalls(t, target, at, work, func(i int) (context.Context, context.CancelFunc) {
				return context.WithTimeout(t.Context(), time.Duration(i%5+1)*5*time.Millisecond)
			})
			counts := target.(targets.Counted).Counts()
			if q := target.(targets.Metered).Quota(); q.Remaining != 2 || counts[0].Value+
				counts[1].Value+counts[2].Value != 40 {
				t.Fatalf("at the end %+v, %v", q, counts)
			}
		})
	}
}
