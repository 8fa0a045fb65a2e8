package engine_test

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/engine"
	"github.com/poolbench/poolbench/strategies/strategytest"
)

func limit(p strategies.Params) int { return p.Limit }

type queueing struct {
	mu      sync.Mutex
	queue   []func()
	workers int
	limit   int
}

func (q *queueing) Go(run func()) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.queue = append(q.queue, run)
	if q.workers < q.limit {
		q.workers++
		go q.work()
	}
	return nil
}

func (q *queueing) work() {
	for {
		q.mu.Lock()
		if len(q.queue) == 0 {
			q.workers--
			q.mu.Unlock()
			return
		}
		run := q.queue[0]
		q.queue[0], q.queue = nil, q.queue[1:]
		q.mu.Unlock()
		run()
	}
}

func (q *queueing) lost() { go q.work() }

// handing is a pool whose workers share an unbuffered channel.
type handing struct {
	jobs    chan func()
	workers sync.WaitGroup
}

func newHanding(n int) *handing {
	h := &handing{jobs: make(chan func())}
	for range n {
		h.lost()
	}
	return h
}

func (h *handing) Go(run func()) error { h.jobs <- run; return nil }

func (h *handing) lost() {
	h.workers.Go(func() {
		for run := range h.jobs {
			run()
		}
	})
}

func (h *handing) Close() {
	close(h.jobs)
	h.workers.Wait()
}

func executors() []strategies.Spec {
	fifo := strategies.Spec{Bound: limit, FIFO: true, WorkConserving: true}
	with := func(name string, capacity func(strategies.Params) int,
		pool func(n int) engine.Executor) strategies.Spec {
		spec := fifo
		spec.Name, spec.Capacity = name, capacity
		spec.New = func(ctx context.Context, p strategies.Params,
			sink strategies.Sink) strategies.Strategy {
			return pool(p.Limit).Start(ctx, sink)
		}
		return spec
	}
	return []strategies.Spec{
		with("queueing", nil, func(n int) engine.Executor {
			q := &queueing{limit: n}
			return engine.Executor{Go: q.Go, Lost: q.lost}
		}),
		with("handing", limit, func(n int) engine.Executor {
			h := newHanding(n)
			return engine.Executor{Go: h.Go, Slots: n, Lost: h.lost, Close: h.Close}
		}),
		with("calling", limit, func(n int) engine.Executor {
			slots := make(chan struct{}, n)
			return engine.Executor{Slots: n, Call: func(run func()) {
				slots <- struct{}{}
				defer func() { <-slots }()
				run()
			}}
		}),
	}
}

func TestExecutor(t *testing.T) {
	for _, spec := range executors() {
		t.Run(spec.Name, func(t *testing.T) { strategytest.Run(t, spec) })
	}
}

func TestAdaptersDoNotAllocate(t *testing.T) {
	for _, spec := range append(executors(), gates()...) {
		if spec.Name == "queueing" {
			continue // its slice allocates
		}
		done := make(chan struct{}, 1)
		s := spec.New(t.Context(), strategies.Params{Limit: 2},
			strategies.SinkFunc(func(*strategies.Task, strategies.Result) { done <- struct{}{} }))
		task := &strategies.Task{Run: empty}
		if got := testing.AllocsPerRun(1000, func() {
			if err := s.Submit(t.Context(), task); err != nil {
				t.Fatal(err)
			}
			<-done
		}); got != 0 {
			t.Errorf("%s: %v allocations per task", spec.Name, got)
		}
		if err := s.Drain(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

func TestExecutorRefuses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		full := errors.New("full")
		answer := full
		x := engine.Executor{Slots: 1, Go: func(run func()) error {
			if answer == nil {
				go run()
			}
			return answer
		}}
		var done atomic.Int64
		sink := strategies.SinkFunc(func(*strategies.Task, strategies.Result) { done.Add(1) })
		s := x.Start(t.Context(), sink)
		for range 3 {
			if err := s.Submit(t.Context(), &strategies.Task{Run: empty}); err != full {
				t.Errorf("Submit: %v", err)
			}
		}
		answer = nil
		if err := s.Submit(t.Context(), &strategies.Task{Run: empty}); err != nil {
			t.Errorf("Submit: %v", err)
		}
		if err := s.Drain(t.Context()); err != nil || done.Load() != 1 {
			t.Errorf("Drain: %v, %d tasks done", err, done.Load())
		}
	})
}

// Lost must be called only after Goexit, before the task is done.
func TestExecutorLost(t *testing.T) {
	lost := 0
	seen := make(chan int, 3)
	s := engine.Executor{
		Go:   func(run func()) error { go run(); return nil },
		Lost: func() { lost++ },
	}.Start(t.Context(),
		strategies.SinkFunc(func(*strategies.Task, strategies.Result) { seen <- lost }))
	for i, run := range []func(context.Context, *strategies.Task) strategies.Result{
		empty,
		func(context.Context, *strategies.Task) strategies.Result { panic("not lost") },
		func(context.Context, *strategies.Task) strategies.Result {
			runtime.Goexit()
			return strategies.Result{}
		},
	} {
		if err := s.Submit(t.Context(), &strategies.Task{Run: run}); err != nil {
			t.Fatal(err)
		}
		if got, want := <-seen, i/2; got != want {
			t.Errorf("task %d: the pool was told %d times, want %d", i, got, want)
		}
	}
	if err := s.Drain(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestSlotsOfTasksThatAreGone(t *testing.T) {
	q := &queueing{limit: 1}
	done := make(chan struct{}, 1)
	s := engine.Executor{Go: q.Go}.Start(t.Context(),
		strategies.SinkFunc(func(*strategies.Task, strategies.Result) { done <- struct{}{} }))
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	submit := func(n int) {
		for i := range n {
			if err := s.Submit(t.Context(), &strategies.Task{Run: empty}); err != nil {
				t.Fatal(err)
			}
			<-done
			if i%1000 == 0 {
				runtime.GC()
			}
		}
	}
	submit(5_000)
	before := heap()
	submit(50_000)
	if after := heap(); after > before+1<<20 { // a retained handle has over 100 bytes
		t.Errorf("after 50 000 tasks the heap is %d bytes larger", after-before)
	}
	if err := s.Drain(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestExecutorMisused(t *testing.T) {
	call := func(run func()) { run() }
	hand := func(run func()) error { return nil }
	for name, x := range map[string]engine.Executor{
		"neither":  {},
		"both":     {Go: hand, Call: call},
		"negative": {Go: hand, Slots: -1},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			x.Start(t.Context(), unheard)
		}()
	}
}
