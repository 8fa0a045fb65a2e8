package builtin_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/builtin"
	"github.com/poolbench/poolbench/strategies/strategytest"
)

func createSingleton(
	t *testing.T, ctx context.Context, limit, queue int, sink strategies.Sink,
) strategies.Strategy {
	t.Helper()
	spec, p := variant(t, "singleton_pool", limit, queue)
	return spec.New(ctx, p, sink)
}

func makespan(t *testing.T, pools ...strategies.Strategy) time.Duration {
	t.Helper()
	begin := time.Now()
	var callers sync.WaitGroup
	for _, s := range pools {
		callers.Go(func() {
			tasks := sleeps(24, ms)
			for i := range tasks {
				if err := s.Submit(context.Background(), &tasks[i]); err != nil {
					t.Error(err)
				}
			}
		})
	}
	callers.Wait()
	for _, s := range pools {
		drainAll(t, s)
	}
	return time.Since(begin)
}

// The first caller's limit of 3 must apply to all 16.
func TestSingletonIsOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		process := builtin.WithSingletons(t.Context())
		log := newLog(16 * 24)
		first := createSingleton(t, process, 3, 8, log)
		pools := make([]strategies.Strategy, 16)
		var callers sync.WaitGroup
		for i := range pools {
			callers.Go(func() { pools[i] = createSingleton(t, process, 3+i, 0, log) })
		}
		callers.Wait()
		pools[0] = first
		if got, want := makespan(t, pools...), 16*24/3*ms; got != want {
			t.Errorf("16 callers with 24 tasks of 1ms each: %v, want %v", got, want)
		}
	})
}

func TestSingletonIsCreatedOnce(t *testing.T) {
	for range 50 {
		process, cancel := context.WithCancel(builtin.WithSingletons(t.Context()))
		pools := make([]strategies.Strategy, 64)
		start := make(chan struct{})
		var callers sync.WaitGroup
		for i := range pools {
			callers.Go(func() {
				<-start
				pools[i] = createSingleton(t, process, 1, 0,
					strategies.SinkFunc(func(*strategies.Task, strategies.Result) {}))
			})
		}
		close(start)
		callers.Wait()
		drainAll(t, pools[0])
		for i, s := range pools {
			if err := s.Submit(t.Context(),
				&strategies.Task{Run: nothing}); err != strategies.ErrClosed {
				t.Fatalf("the pool of caller 0 was drained, and caller %d has another: %v", i, err)
			}
		}
		cancel()
	}
}

func TestSingletonScope(t *testing.T) {
	for _, c := range []struct {
		name string
		of   func(context.Context) context.Context
	}{
		{"each its own process", builtin.WithSingletons},
		{"no process", func(ctx context.Context) context.Context { return ctx }},
	} {
		synctest.Test(t, func(t *testing.T) {
			log := newLog(48)
			a, b := createSingleton(t, c.of(t.Context()), 3, 8, log),
				createSingleton(t, c.of(t.Context()), 3, 8, log)
			if got := makespan(t, a, b); got != 8*ms {
				t.Errorf("%s: two callers with 24 tasks of 1ms each, 3 at once: %v, want 8ms",
					c.name, got)
			}
		})
	}
}

func TestSingletonReports(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		process := builtin.WithSingletons(t.Context())
		logs := []*log{newLog(5), newLog(5)}
		pools := []strategies.Strategy{createSingleton(t, process, 2, 8, logs[0]),
			createSingleton(t, process, 2, 8, logs[1])}
		tasks := sleeps(10, ms)
		for i := range tasks {
			accept(t, pools[i%2], &tasks[i])
		}
		drainAll(t, pools[0])
		for which, log := range logs {
			if len(log.done) != 5 {
				t.Fatalf("sink %d was told of %d tasks", which, len(log.done))
			}
			for i := which; i < 10; i += 2 {
				if e := <-log.done; e.task != &tasks[i] {
					t.Errorf("sink %d was told of a task that is not its own, or out of order",
						which)
				}
			}
		}
	})
}

// The new pool must work outside the first bubble.
func TestSingletonIsReplaced(t *testing.T) {
	process := builtin.WithSingletons(context.Background())
	for i, end := range []func(t *testing.T, s strategies.Strategy, cancel func()){
		func(t *testing.T, s strategies.Strategy, _ func()) { drainAll(t, s) },
		func(_ *testing.T, _ strategies.Strategy, cancel func()) { cancel() },
		func(t *testing.T, s strategies.Strategy, _ func()) {
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			var e *strategies.DrainError
			if err := s.Drain(ctx); err != nil && !errors.As(err, &e) {
				t.Error(err)
			}
		},
	} {
		limit := i + 1
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(process)
			defer cancel()
			log := newLog(24)
			first, second := createSingleton(t, ctx, limit, 0, log),
				createSingleton(t, process, 100, 0, log)
			accept(t, second, &sleeps(1, ms)[0])
			end(t, first, cancel)
			synctest.Wait()
			for _, s := range []strategies.Strategy{first, second} {
				if err := s.Submit(t.Context(),
					&strategies.Task{Run: nothing}); err != strategies.ErrClosed {
					t.Errorf("limit %d, closed: Submit returned %v", limit, err)
				}
			}
			next := createSingleton(t, process, 2*limit, 0, newLog(24))
			if got, want := makespan(t, next),
				time.Duration((24+2*limit-1)/(2*limit))*ms; got != want {
				t.Errorf("limit %d: the next pool took %v, want %v", limit, got, want)
			}
		})
	}
}

func TestSingletonCreators(t *testing.T) {
	v := strategies.MustParse("singleton_pool:creators=5")
	spec := v.Spec
	spec.New = func(
		ctx context.Context, p strategies.Params, sink strategies.Sink,
	) strategies.Strategy {
		p.Values = v.Values
		return v.Spec.New(ctx, p, sink)
	}
	spec.Keys, spec.Check = nil, nil
	strategytest.Run(t, spec)
	synctest.Test(t, func(t *testing.T) {
		log := newLog(48)
		s := startVariant(t, "singleton_pool:creators=16", 3, 8, log)
		if got := makespan(t, s, s); got != 16*ms {
			t.Errorf("48 tasks of 1ms, 3 at once: %v", got)
		}
	})
	refusedValues(t, map[string]string{
		"singleton_pool:creators=0":    "strategy singleton_pool: creators 0: want 1 to 1024",
		"singleton_pool:creators=1025": "strategy singleton_pool: creators 1025: want 1 to 1024",
		"singleton_pool:creators=1024": "",
	})
}
