package targets_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/poolbench/poolbench/targets"
)

// Calls that would complete after the patience are refused, but still occupy the slots.
func TestDeafServer(t *testing.T) {
	const ms = time.Millisecond
	for _, c := range []struct {
		parameters string
		done       int           // of the ten calls
		refused    time.Duration // time of the refusals
		next       time.Duration // completion of a call that arrives at 30 ms; 0: refused
	}{
		{"patience=35ms", 6, 35 * ms, 60 * ms},
		{"patience=25ms", 4, 25 * ms, 0},
		{"patience=25ms,queue=2", 4, 0, 40 * ms}, // two in service and two waiting
		{"patience=1s,queue=8", 10, 0, 60 * ms},
	} {
		synctest.Test(t, func(t *testing.T) {
			target := build(t, "deaf_server:slots=2,service=10ms,"+c.parameters)
			began := time.Now()
			var mu sync.Mutex
			var wg sync.WaitGroup
			done := 0
			for i := range uint64(10) {
				wg.Go(func() {
					err := target.Call(t.Context(), i, nothing)
					mu.Lock()
					defer mu.Unlock()
					switch at := time.Since(began); {
					case err == nil:
						done++
					case !errors.Is(err, targets.ErrThrottled) || at != c.refused:
						t.Errorf("%s: %v at %v", c.parameters, err, at)
					}
				})
			}
			time.Sleep(30 * ms)
			err := target.Call(t.Context(), 10, nothing)
			at := time.Since(began)
			wg.Wait()
			if refused := errors.Is(err, targets.ErrThrottled); done != c.done ||
				refused != (c.next == 0) || !refused && at != c.next {
				t.Errorf("%s: %d are done, want %d; the next is done at %v (%v), want %v",
					c.parameters, done, c.done, at, err, c.next)
			}
		})
	}
}

// An abandoned call must still be served.
func TestDeafServerClientsLeave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		target := build(t, "deaf_server:slots=1,service=10ms")
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Millisecond)
		defer cancel()
		began := time.Now()
		if err := target.Call(ctx, 0, nothing); !errors.Is(err, context.DeadlineExceeded) ||
			time.Since(began) != 2*time.Millisecond {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		if err := target.Call(t.Context(), 1, nothing); err != nil ||
			time.Since(began) != 20*time.Millisecond {
			t.Errorf("the next is done after %v (%v), want 20ms", time.Since(began), err)
		}
		if counts := target.(targets.Counted).Counts(); counts[0].Value != 1 ||
			counts[1].Value != 0 || counts[2].Value != 1 || counts[3].Value != 1 {
			t.Errorf("counts %v", counts)
		}
	})
}

// If the service time overflowed, the second call would be served at once.
func TestDeafServerLongService(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		target := build(t, "deaf_server:slots=1,service=2562047h,patience=1s")
		for i := range uint64(3) {
			if err := target.Call(t.Context(), i, nothing); !errors.Is(err,
				targets.ErrThrottled) {
				t.Errorf("call %d: %v, want a refusal", i, err)
			}
		}
	})
}
