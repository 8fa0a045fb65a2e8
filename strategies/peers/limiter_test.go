package peers_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/peers"
)

// learned saturates the strategy, and returns the peak number of running tasks at the end of each
// half minute. A task takes 10 ms, or proportionally longer if more than 16, 4, 4 or 16 tasks run
// in that half minute.
func learned(t *testing.T, name string, args ...param.Arg) (at [4]int) {
	synctest.Test(t, func(t *testing.T) {
		spec, p := lookup(t, name, 16, args...)
		start := time.Now()
		mu, room := make(chan struct{}, 1), make(chan struct{}, 1)
		running := 0
		s := spec.New(t.Context(), p,
			strategies.SinkFunc(func(*strategies.Task, strategies.Result) {
				select {
				case room <- struct{}{}:
				default:
				}
			}))
		run := func(_ context.Context, task *strategies.Task) strategies.Result {
			since := time.Since(start)
			half := min(3, int(since/(30*time.Second)))
			bears := [4]int{16, 4, 4, 16}[half]
			mu <- struct{}{}
			running++
			n := running
			if since%(30*time.Second) > 29*time.Second {
				at[half] = max(at[half], n)
			}
			<-mu
			time.Sleep(10*time.Millisecond*time.Duration(max(bears, n))/time.Duration(bears) +
				task.Size)
			mu <- struct{}{}
			running--
			<-mu
			return strategies.Result{}
		}
		for i := 0; time.Since(start) < 2*time.Minute; i++ {
			// no two tasks end at once, so the order of ends is deterministic
			task := &strategies.Task{Run: run, Size: time.Duration(i * 7919 % 10007)}
			for s.Submit(t.Context(), task) != nil {
				<-room
			}
		}
		if err := s.Drain(t.Context()); err != nil {
			t.Error(err)
		}
	})
	return at
}

// The ideal limits are 16, 4, 4 and 16. TestLearned expects those that the bare libraries find.
// failsafe_adaptive takes the slow minute for normal, and the recovery for an overload.
func TestLearned(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	algorithm := func(name string) param.Arg { return param.Arg{Key: "algorithm", Value: name} }
	for _, test := range []struct {
		name string
		args []param.Arg
		want [4]int
	}{
		{"failsafe_bulkhead", nil, [4]int{16, 16, 16, 16}},
		{"failsafe_adaptive", nil, [4]int{16, 16, 10, 1}},
		{"failsafe_priority", nil, [4]int{16, 16, 10, 1}},
		{"concurrency_limits", nil, [4]int{16, 9, 9, 16}},
		{"concurrency_limits", []param.Arg{algorithm("gradient2")}, [4]int{16, 11, 13, 16}},
		{"concurrency_limits", []param.Arg{algorithm("fixed")}, [4]int{16, 16, 16, 16}},
	} {
		if got := learned(t, test.name, test.args...); got != test.want {
			t.Errorf("%s %v: %v under way at the ends of the half minutes, want %v", test.name,
				test.args, got, test.want)
		}
	}
}

func TestParametersOfLimits(t *testing.T) {
	for _, test := range []struct{ key, value, want string }{
		{"algorithm", "gradient2", ""},
		{"algorithm", "tcp",
			`strategy concurrency_limits: algorithm "tcp" is none of vegas, gradient2, fixed`},
		{"window", "0s", "strategy concurrency_limits: window must be above 0"},
	} {
		spec, p := lookup(t, "concurrency_limits", 8, param.Arg{Key: test.key, Value: test.value})
		got := ""
		if err := spec.Validate(p); err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("%s=%s: %q, want %q", test.key, test.value, got, test.want)
		}
	}
}

func TestOutcome(t *testing.T) {
	own := errors.New("the task's own")
	for _, test := range []struct {
		r    strategies.Result
		want string
	}{
		{strategies.Result{}, "succeeded"},
		{strategies.Result{Err: own}, "ignored"},
		{strategies.Result{Err: own, Retry: true}, "dropped"},
		{strategies.Result{Err: own, After: time.Second}, "dropped"},
		{strategies.Result{Err: context.DeadlineExceeded}, "dropped"},
		{strategies.Result{Err: context.Canceled}, "ignored"},
		{strategies.Result{Err: strategies.ErrAbandoned}, "ignored"},
		{strategies.Result{Err: &strategies.PanicError{}}, "ignored"},
	} {
		if got := peers.OutcomeOf(test.r); got != test.want {
			t.Errorf("%+v: %s, want %s", test.r, got, test.want)
		}
	}
}
