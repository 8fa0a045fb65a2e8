package builtin_test

import (
	"context"
	"errors"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/poolbench/poolbench/strategies"
)

func TestAIMDParameters(t *testing.T) {
	refusedValues(t, map[string]string{
		"adaptive_aimd":           "",
		"adaptive_aimd:min=1":     "",
		"adaptive_aimd:initial=1": "",
		"adaptive_aimd:min=0": "strategy adaptive_aimd: min must be at least 1 and " +
			"at most the limit 1",
		"adaptive_aimd:min=2": "strategy adaptive_aimd: min must be at least 1 and " +
			"at most the limit 1",
		"adaptive_aimd:initial=-1": "strategy adaptive_aimd: initial must be 0, or at " +
			"least min and at most the limit 1",
		"adaptive_aimd:initial=2": "strategy adaptive_aimd: initial must be 0, or at " +
			"least min and at most the limit 1",
		"adaptive_aimd:backoff=0": "strategy adaptive_aimd: backoff must be above 0 and " +
			"below 1",
		"adaptive_aimd:backoff=1": "strategy adaptive_aimd: backoff must be above 0 and " +
			"below 1",
		"adaptive_aimd:target=0s": "strategy adaptive_aimd: target must be above 0",
		"adaptive_aimd:min=0,backoff=1.5": "strategy adaptive_aimd: backoff must be above 0 and " +
			"below 1",
	})
}

type learner interface{ Limit() int }

// A curve returns the service time and error of tasks that start at an instant.
type curve func(now time.Duration) (time.Duration, error)

// scripted saturates an instance and returns the limit and the tasks in flight at the instants.
func scripted(
	t *testing.T, s strategies.Strategy, c curve, instants []time.Duration,
) (limits, inFlight []int) {
	var running atomic.Int64
	began := time.Now()
	run := func(context.Context, *strategies.Task) strategies.Result {
		running.Add(1)
		defer running.Add(-1)
		took, err := c(time.Since(began))
		time.Sleep(took)
		return strategies.Result{Err: err}
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for s.Submit(ctx, &strategies.Task{Run: run}) == nil {
		}
	}()
	for _, at := range instants {
		time.Sleep(at - time.Since(began))
		limits = append(limits, s.(learner).Limit())
		inFlight = append(inFlight, int(running.Load()))
	}
	cancel()
	if err := s.Drain(t.Context()); err != nil {
		t.Error(err)
	}
	return limits, inFlight
}

// Tasks that start from 10 to 90 ms take 20 ms, twice the target, so each round must halve the
// limit once. Later rounds of 1 ms must add a slot.
func TestAIMDStep(t *testing.T) {
	step := func(now time.Duration) (time.Duration, error) {
		if now >= 10*time.Millisecond && now < 90*time.Millisecond {
			return 20 * time.Millisecond, nil
		}
		return time.Millisecond, nil
	}
	checkAIMD(t, step)
}

// Failures within the target must reduce the limit like slow tasks.
func TestAIMDFailures(t *testing.T) {
	down := errors.New("down")
	checkAIMD(t, func(now time.Duration) (time.Duration, error) {
		if now >= 10*time.Millisecond && now < 90*time.Millisecond {
			return 10 * time.Millisecond, down
		}
		return 10 * time.Millisecond, nil
	})
}

func checkAIMD(t *testing.T, c curve) {
	synctest.Test(t, func(t *testing.T) {
		var instants []time.Duration
		var want []int
		expect := func(at time.Duration, limit int) {
			instants, want = append(instants, at+500*time.Microsecond), append(want, limit)
		}
		bad, _ := c(10 * time.Millisecond)
		good, _ := c(0)
		at := 10 * time.Millisecond
		expect(at, 16)
		limit := 16
		for at < 90*time.Millisecond {
			at += bad
			limit = max(2, limit/2)
			expect(at, limit)
		}
		for range 16 {
			at += good
			limit = min(16, limit+1)
			expect(at, limit)
		}
		s := startVariant(t, "adaptive_aimd:min=2,backoff=0.5,target=10ms", 16, 16, anySink())
		limits, inFlight := scripted(t, s, c, instants)
		for i, at := range instants {
			if limits[i] != want[i] || inFlight[i] != want[i] {
				t.Errorf("at %v the limit is %d with %d in flight, want %d", at, limits[i],
					inFlight[i], want[i])
			}
		}
	})
}

func TestAIMDLearnsFromTasksOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := newLog(1)
		s := startVariant(t, "adaptive_aimd:initial=4", 8, 0, log)
		for i := range 60 {
			task := &strategies.Task{
				Run: func(context.Context, *strategies.Task) strategies.Result {
					switch time.Sleep(time.Millisecond); i % 3 {
					case 0:
						panic("a fault of the program")
					case 1:
						runtime.Goexit()
					}
					return strategies.Result{} // one at a time: most slots are idle
				}}
			if err := s.Submit(t.Context(), task); err != nil {
				t.Fatal(err)
			}
			<-log.done
		}
		if got := s.(learner).Limit(); got != 4 {
			t.Errorf("the limit is %d, want 4", got)
		}
		if err := s.Drain(t.Context()); err != nil {
			t.Error(err)
		}
	})
}
