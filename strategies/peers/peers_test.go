package peers_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/internal/machine/race"
	"github.com/poolbench/poolbench/strategies"
	_ "github.com/poolbench/poolbench/strategies/builtin"
	"github.com/poolbench/poolbench/strategies/peers"
	"github.com/poolbench/poolbench/strategies/strategytest"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m,
		goleak.IgnoreCurrent(), // started by importing ants
		// TestWorkerpoolEndsAfterGoexit leaks these. The clause Drain detects other leaks of
		// workerpool.
		goleak.IgnoreAnyFunction("github.com/gammazero/workerpool.(*WorkerPool).dispatch"),
		goleak.IgnoreAnyFunction("github.com/gammazero/workerpool.(*WorkerPool).stop"))
}

// TestContract skips clauses with a known fault. With -short it checks one clause in eight.
func TestContract(t *testing.T) {
	for n, spec := range peers.All() {
		t.Run(spec.Name, func(t *testing.T) {
			for i, c := range strategytest.Clauses() {
				if testing.Short() && (n+i)%8 != 0 {
					continue
				}
				t.Run(fmt.Sprintf("%d_%s", i+1, c.Name), func(t *testing.T) {
					if broken(spec.Name, c.Name) {
						t.Skip("known to be broken: TestKnown shows how")
					}
					if err := c.Check(spec); err != nil {
						t.Errorf("%s: %v", spec.Name, err)
					}
				})
			}
		})
	}
}

func TestSpecs(t *testing.T) {
	if n := len(peers.All()); n != 12 {
		t.Errorf("%d peers", n)
	}
	for _, spec := range peers.All() {
		source, err := os.ReadFile(spec.Name + ".go")
		if err != nil {
			t.Errorf("%s: %v", spec.Name, err)
		}
		if n := strings.Count(string(source), "= register("); n != 1 {
			t.Errorf("%s.go registers %d peers", spec.Name, n)
		}
		for field, text := range map[string]string{"Summary": spec.Summary, "UseIf": spec.UseIf,
			"Source": spec.Source, "OnPanic": spec.OnPanic} {
			if text == "" || strings.ContainsAny(text, "\n|") || strings.HasSuffix(text, ".") {
				t.Errorf("%s: %s = %q, want one line for a table", spec.Name, field, text)
			}
		}
		if found, err := strategies.Lookup(spec.Name); err != nil || found.Name != spec.Name ||
			!peers.Has(spec.Name) {
			t.Errorf("Lookup(%q) = %q, %v", spec.Name, found.Name, err)
		}
		if newPanics(spec, strategies.Params{}) == nil {
			t.Errorf("%s: New took a limit of 0", spec.Name)
		}
	}
	if _, err := strategies.Lookup("no_such"); err == nil ||
		!strings.Contains(err.Error(), "worker_pool, ants, conc") || peers.Has("worker_pool") {
		t.Errorf("Lookup of an unknown strategy: %v", err)
	}
}

func newPanics(spec strategies.Spec, p strategies.Params) (v any) {
	defer func() { v = recover() }()
	spec.New(context.Background(), p,
		strategies.SinkFunc(func(*strategies.Task, strategies.Result) {}))
	return nil
}

// lookup returns a peer and its parameters, with defaults.
func lookup(
	t testing.TB, name string, limit int, args ...param.Arg,
) (strategies.Spec, strategies.Params) {
	t.Helper()
	spec, err := strategies.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	values, err := param.Resolve(spec.Keys, args)
	if err != nil {
		t.Fatal(err)
	}
	return spec, strategies.Params{Limit: limit, Values: values}
}

func nothing(context.Context, *strategies.Task) strategies.Result { return strategies.Result{} }

// One prebuilt task runs at a time. Only the library may allocate, not the adapter.
func TestAllocations(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector allocates")
	}
	for name, want := range map[string]float64{
		"ants": 0, "conc": 0, "workerpool": 0,
		"pond": 1, "gopool": 1, // the start of a worker: there is none while there is nothing to do
		"tunny":              1, // the func that would interrupt the worker
		"failsafe_bulkhead":  0,
		"failsafe_breaker":   0,
		"failsafe_hedge":     32, // the library, and the attempt
		"failsafe_adaptive":  1,  // the permit
		"failsafe_priority":  2,  // the permit, and the goroutine
		"concurrency_limits": 3,  // the token, what it calls, and the listener around it
	} {
		spec, p := lookup(t, name, 2)
		done := make(chan struct{}, 1)
		s := spec.New(t.Context(), p,
			strategies.SinkFunc(func(*strategies.Task, strategies.Result) { done <- struct{}{} }))
		task := &strategies.Task{Run: nothing}
		const n = 100
		got := testing.AllocsPerRun(10, func() {
			for range n {
				if err := s.Submit(t.Context(), task); err != nil {
					t.Fatal(err)
				}
				<-done
			}
		})
		if got := math.Round(got / n); got != want {
			// rounded, because a worker may allocate after the last task
			t.Errorf("%s: %v allocations per task, want %v", name, got, want)
		}
		if err := s.Drain(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

// TestContract does not cover panics in workerpool, because Goexit breaks that clause.
func TestPanicIsContained(t *testing.T) {
	for _, spec := range peers.All() {
		synctest.Test(t, func(t *testing.T) {
			_, p := lookup(t, spec.Name, 2)
			outcomes := make(chan error, 8)
			s := spec.New(t.Context(), p,
				strategies.SinkFunc(func(_ *strategies.Task,
					r strategies.Result) {
					outcomes <- r.Err
				}))
			for range 4 {
				if err := s.Submit(t.Context(),
					&strategies.Task{
						Run: func(context.Context, *strategies.Task) strategies.Result {
							panic(1)
						}}); err != nil {
					t.Fatal(err)
				}
				var e *strategies.PanicError
				if err := <-outcomes; !errors.As(err, &e) || e.Value != 1 {
					t.Errorf("%s: done with %v", spec.Name, err)
				}
			}
			start := time.Now()
			for range 2 {
				if err := s.Submit(t.Context(),
					&strategies.Task{
						Run: func(context.Context, *strategies.Task) strategies.Result {
							time.Sleep(time.Second)
							return strategies.Result{}
						}}); err != nil {
					t.Fatal(err)
				}
			}
			if err := s.Drain(t.Context()); err != nil || time.Since(start) != time.Second {
				t.Errorf("%s: after panics, two tasks of 1s at a limit of 2 took %v, error %v",
					spec.Name, time.Since(start), err)
			}
		})
	}
}

// Goexit loses a slot. Drain must still return, and report queued tasks as abandoned.
func TestWorkerpoolEndsAfterGoexit(t *testing.T) {
	spec, p := lookup(t, "workerpool", 1)
	outcomes := make(chan error, 2)
	s := spec.New(t.Context(), p,
		strategies.SinkFunc(func(_ *strategies.Task, r strategies.Result) { outcomes <- r.Err }))
	exit := func(context.Context, *strategies.Task) strategies.Result {
		runtime.Goexit()
		return strategies.Result{}
	}
	if err := s.Submit(t.Context(), &strategies.Task{Run: exit}); err != nil {
		t.Fatal(err)
	}
	if err := <-outcomes; err != strategies.ErrGoexit {
		t.Errorf("done with %v", err)
	}
	if err := s.Submit(t.Context(), &strategies.Task{Run: nothing}); err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	var e *strategies.DrainError
	if err := s.Drain(ended); !errors.As(err, &e) || e.Abandoned != 1 || e.Running != 0 {
		t.Errorf("Drain: %v", err)
	}
	if err := <-outcomes; err != strategies.ErrAbandoned {
		t.Errorf("done with %v", err)
	}
}

// Only concurrent submitters may exceed gopool's limit.
func TestGopoolIsExactForOneSubmitter(t *testing.T) {
	spec, p := lookup(t, "gopool", 4)
	var running, peak atomic.Int64
	s := spec.New(t.Context(), p, strategies.SinkFunc(func(*strategies.Task, strategies.Result) {}))
	run := func(context.Context, *strategies.Task) strategies.Result {
		if n := running.Add(1); n > peak.Load() {
			peak.Store(n)
		}
		runtime.Gosched()
		running.Add(-1)
		return strategies.Result{}
	}
	for range 20_000 {
		if err := s.Submit(t.Context(), &strategies.Task{Run: run}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Drain(t.Context()); err != nil {
		t.Error(err)
	}
	if peak.Load() > 4 {
		t.Errorf("%d tasks at once where the limit is 4", peak.Load())
	}
}

func TestAdds(t *testing.T) {
	for _, spec := range peers.All() {
		if len(spec.Adds) < 3 {
			t.Errorf("%s says of %d additions", spec.Name, len(spec.Adds))
		}
		for _, a := range spec.Adds {
			if a.What == "" || a.Bare == "" || strings.HasSuffix(a.String(), ".") {
				t.Errorf("%s: %q", spec.Name, a)
			}
		}
	}
}
