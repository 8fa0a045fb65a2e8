package engine_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/engine"
	"github.com/poolbench/poolbench/strategies/strategytest"
)

type channel chan struct{}

func (c channel) try() (struct{}, bool) {
	select {
	case c <- struct{}{}:
		return struct{}{}, true
	default:
		return struct{}{}, false
	}
}

func (c channel) wait(ctx context.Context) (struct{}, error) {
	select {
	case c <- struct{}{}:
		return struct{}{}, nil
	case <-ctx.Done():
		return struct{}{}, ctx.Err()
	}
}

func (c channel) release(struct{}, strategies.Result) { <-c }

func gates() []strategies.Spec {
	blocking := strategies.Spec{
		Name: "blocking gate", Bound: limit, Capacity: limit, FIFO: true, WorkConserving: true,
		New: func(ctx context.Context, p strategies.Params,
			sink strategies.Sink) strategies.Strategy {
			c := make(channel, p.Limit)
			return engine.Gate[struct{}]{Try: c.try, Wait: c.wait,
				Release: c.release}.Start(ctx, sink)
		},
	}
	shedding := blocking
	shedding.Name, shedding.Sheds = "shedding gate", true
	shedding.New = func(ctx context.Context, p strategies.Params,
		sink strategies.Sink) strategies.Strategy {
		c := make(channel, p.Limit)
		return engine.Gate[struct{}]{Try: c.try, Release: c.release}.Start(ctx, sink)
	}
	return []strategies.Spec{blocking, shedding}
}

func TestGate(t *testing.T) {
	for _, spec := range gates() {
		t.Run(spec.Name, func(t *testing.T) { strategytest.Run(t, spec) })
	}
}

func TestGateDoesNotAllocate(t *testing.T) {
	spec := gates()[0]
	s := spec.New(t.Context(), strategies.Params{Limit: 1},
		strategies.SinkFunc(func(*strategies.Task, strategies.Result) {}))
	var tasks [2000]strategies.Task
	for i := range tasks {
		tasks[i].Run = empty
	}
	submit := func() {
		for i := range tasks {
			if err := s.Submit(t.Context(), &tasks[i]); err != nil {
				t.Fatal(err)
			}
		}
		for s.Submit(t.Context(), &tasks[0]) != nil {
			t.Fatal("full")
		}
	}
	submit() // creates the handles
	if got := testing.AllocsPerRun(5, submit); got > 10 {
		t.Errorf("%v allocations for %d tasks", got, len(tasks))
	}
	if err := s.Drain(t.Context()); err != nil {
		t.Error(err)
	}
}

// Release must receive the permit and the task's outcome, before Done.
func TestGateLearns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		own := errors.New("the task's own")
		next, free := 0, make(chan struct{}, 1)
		type given struct {
			permit int
			err    error
		}
		// a Done may overlap the next Release
		var mu sync.Mutex
		var got []given
		take := func() int { next++; return next }
		g := engine.Gate[int]{
			Try: func() (int, bool) {
				select {
				case free <- struct{}{}:
					return take(), true
				default:
					return 0, false
				}
			},
			Wait: func(context.Context) (int, error) { free <- struct{}{}; return take(), nil },
			Release: func(permit int, r strategies.Result) {
				mu.Lock()
				got = append(got, given{permit, r.Err})
				mu.Unlock()
				<-free
			},
		}
		done := 0
		s := g.Start(t.Context(), strategies.SinkFunc(func(*strategies.Task, strategies.Result) {
			mu.Lock()
			defer mu.Unlock()
			if done++; len(got) < done {
				t.Error("done before its permit was given back")
			}
		}))
		task := func(err error) *strategies.Task {
			return &strategies.Task{Run: func(context.Context, *strategies.Task) strategies.Result {
				time.Sleep(time.Millisecond)
				return strategies.Result{Err: err}
			}}
		}
		for _, err := range []error{own, nil, own} {
			if err := s.Submit(t.Context(), task(err)); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Drain(t.Context()); err != nil {
			t.Fatal(err)
		}
		if want := [3]given{{1, own}, {2, nil}, {3, own}}; len(got) != 3 || [3]given(got) != want {
			t.Errorf("released %v, want %v", got, want)
		}
	})
}

// Submit must return other errors of Wait than the context's.
func TestGateRefuses(t *testing.T) {
	overload := errors.New("overload")
	g := engine.Gate[int]{
		Try:     func() (int, bool) { return 0, false },
		Wait:    func(context.Context) (int, error) { return 0, overload },
		Release: func(int, strategies.Result) {},
	}
	s := g.Start(t.Context(), unheard)
	if err := s.Submit(context.Background(), &strategies.Task{Run: empty}); err != overload {
		t.Errorf("Submit: %v", err)
	}
	if err := s.Drain(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestGateForgetsContexts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var waits atomic.Int64
		g := engine.Gate[int]{
			Try: func() (int, bool) { return 0, false },
			Wait: func(ctx context.Context) (int, error) {
				waits.Add(1)
				<-ctx.Done()
				return 0, ctx.Err()
			},
			Release: func(int, strategies.Result) {},
		}
		s := g.Start(t.Context(), unheard)
		parent, cancel := context.WithCancel(t.Context())
		for range 100 {
			ctx, cancel := context.WithTimeout(parent, time.Second)
			begin := time.Now()
			if err := s.Submit(ctx,
				&strategies.Task{Run: empty}); err != context.DeadlineExceeded ||
				time.Since(begin) != time.Second {
				t.Fatalf("Submit: %v after %v", err, time.Since(begin))
			}
			cancel()
		}
		blocked := make(chan error, 2)
		for range 2 {
			go func() { blocked <- s.Submit(parent, &strategies.Task{Run: empty}) }()
		}
		synctest.Wait()
		if err := s.Drain(t.Context()); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := <-blocked; err != strategies.ErrClosed {
				t.Errorf("blocked when Drain was called: %v", err)
			}
		}
		synctest.Wait()
		if n := engine.WaitsOf(s); n != 0 || waits.Load() != 102 {
			t.Errorf("%d contexts are kept after %d waits", n, waits.Load())
		}
		cancel()
	})
}

func TestGateMisused(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	engine.Gate[int]{Wait: func(context.Context) (int, error) {
		return 0, nil
	}}.Start(t.Context(), unheard)
}

func empty(context.Context, *strategies.Task) strategies.Result { return strategies.Result{} }

var unheard = strategies.SinkFunc(func(*strategies.Task, strategies.Result) {})
