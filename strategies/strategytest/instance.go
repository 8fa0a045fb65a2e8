package strategytest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime/pprof"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/internal/machine"
	"github.com/poolbench/poolbench/strategies"
)

// instance is one instance of a durable strategy with a record of its tasks.
type instance struct {
	spec   strategies.Spec
	p      strategies.Params
	s      strategies.Strategy
	endNew context.CancelFunc
	mark   machine.Mark
	do     func(ctx context.Context, id uint64) strategies.Result // work of each task
	steps  atomic.Uint64

	mu     sync.Mutex
	record // accessed by change and seen only
}

type record struct {
	runs, dones   map[uint64]int
	results       map[uint64]strategies.Result
	order         []uint64 // task IDs in order of their starts
	running, peak int
	odd           error
}

// durably calls check with an instance that uses the resumed queue, or a new queue if resume is
// nil.
func durably(
	spec strategies.Spec, limit int, resume *strategies.Resume, check func(*instance) error,
) (err error) {
	return durablyDoing(spec, limit, resume,
		func(context.Context, uint64) strategies.Result { return strategies.Result{} }, check)
}

func durablyDoing(
	spec strategies.Spec, limit int, resume *strategies.Resume,
	do func(ctx context.Context, id uint64) strategies.Result, check func(*instance) error,
) (err error) {
	values, err := param.Resolve(spec.Keys, nil)
	if err != nil {
		return fmt.Errorf("its own parameters have no defaults: %w", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	x := &instance{spec: spec, endNew: cancel, mark: machine.NewMark(),
		p: strategies.Params{Limit: limit, Values: values, Resume: resume}, do: do,
		record: record{runs: map[uint64]int{}, dones: map[uint64]int{},
			results: map[uint64]strategies.Result{}}}
	if resume != nil {
		resume.Task = x.task
	}
	x.mark.Set(ctx)
	defer pprof.SetGoroutineLabels(context.Background())
	if x.s, err = spec.Start(ctx, x.p, x); err != nil {
		return err
	}
	if x.s == nil {
		return errors.New("no instance: New returned nil")
	}
	if err = check(x); err == nil {
		err = x.snapshot().odd
	}
	cancel()
	if over := x.finish(); err == nil {
		err = over
	}
	return err
}

func (x *instance) finish() error {
	over := false
	go func() {
		_ = x.s.Drain(context.Background()) // the clause Drain checks its error
		x.change(func() { over = true })
	}()
	return x.waitUntil("Drain returns", func() bool { return over })
}

func (x *instance) waitUntil(what string, so func() bool) error {
	patience, err := machine.Patience()
	if err != nil {
		return err
	}
	const look = 2 * time.Millisecond
	last := x.steps.Load()
	for idle := time.Duration(0); ; idle += look {
		x.mu.Lock()
		is := so()
		x.mu.Unlock()
		if is {
			return nil
		}
		if now := x.steps.Load(); now != last {
			last, idle = now, 0
		}
		if idle >= patience {
			return fmt.Errorf("nothing happened for %v while waiting until %s%s", patience,
				what, x.mark.Where())
		}
		time.Sleep(look)
	}
}

func (x *instance) task(id uint64) *strategies.Task {
	return &strategies.Task{ID: id, Run: x.run, Arg: x}
}

func (x *instance) run(ctx context.Context, t *strategies.Task) strategies.Result {
	x.change(func() {
		x.runs[t.ID]++
		x.running++
		x.peak = max(x.peak, x.running)
		x.order = append(x.order, t.ID)
	})
	defer x.change(func() { x.running-- })
	return x.do(ctx, t.ID)
}

func (x *instance) Done(t *strategies.Task, r strategies.Result) {
	x.change(func() {
		if t == nil || t.Arg != x {
			x.odd = errors.New("Done was called with something that is no task of the instance")
			return
		}
		x.dones[t.ID]++
		x.results[t.ID] = r
	})
}

func (x *instance) change(f func()) {
	x.steps.Add(1)
	x.mu.Lock()
	defer x.mu.Unlock()
	f()
}

func (x *instance) snapshot() record {
	x.mu.Lock()
	defer x.mu.Unlock()
	r := x.record
	r.runs, r.dones, r.results = maps.Clone(r.runs), maps.Clone(r.dones), maps.Clone(r.results)
	r.order = slices.Clone(r.order)
	return r
}

func (x *instance) submit(from, to uint64) error {
	for id := from; id < to; id++ {
		if err := x.s.Submit(context.Background(), x.task(id)); err != nil {
			return fmt.Errorf("task %d was refused: %w", id, err)
		}
		x.steps.Add(1)
	}
	return nil
}

func (x *instance) submitFrom(submitters, each uint64) error {
	failures := make(chan error, submitters)
	for i := range submitters {
		go func() { failures <- x.submit(i*each, (i+1)*each) }()
	}
	for range submitters {
		if err := <-failures; err != nil {
			return err
		}
	}
	return nil
}

// awaitDone checks the number of runs and the error of each task. A nil runs checks no number.
func (x *instance) awaitDone(n int, runs func(id uint64) int, want func(id uint64) error) error {
	if err := x.waitUntil(fmt.Sprintf("%d tasks are done", n), func() bool {
		return len(x.dones) >= n
	}); err != nil {
		return fmt.Errorf("%w: %d are, %d have run", err, len(x.snapshot().dones), len(x.snapshot().runs))
	}
	seen := x.snapshot()
	for id, dones := range seen.dones {
		switch r := seen.results[id]; {
		case dones != 1:
			return fmt.Errorf("task %d was done %d times", id, dones)
		case runs != nil && seen.runs[id] != runs(id):
			return fmt.Errorf("task %d was run %d times, want %d", id, seen.runs[id], runs(id))
		case !errors.Is(r.Err, want(id)):
			return fmt.Errorf("task %d was done with the error %v, want %v", id, r.Err, want(id))
		}
	}
	return nil
}

func onceEach(uint64) int  { return 1 }
func noError(uint64) error { return nil }

func (x *instance) drainWithoutError() error {
	if err := x.s.Drain(context.Background()); err != nil {
		return fmt.Errorf("a Drain: %w", err)
	}
	return nil
}

func (x *instance) hold(n uint64) error {
	x.do = func(ctx context.Context, _ uint64) strategies.Result {
		<-ctx.Done()
		return strategies.Result{Err: context.Cause(ctx)}
	}
	if err := x.submit(0, n); err != nil {
		return err
	}
	return x.reachesLimit()
}

func (x *instance) reachesLimit() error {
	return x.waitUntil("the limit is reached", func() bool { return x.running >= x.p.Limit })
}

func (x *instance) checkDeadLetters(want int) error {
	counts, ok := x.s.(interface {
		DeadLetters(ctx context.Context) (int, error)
	})
	if !ok {
		return nil
	}
	n, err := counts.DeadLetters(context.Background())
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		return nil
	case err != nil:
		return fmt.Errorf("dead letters: %w", err)
	case n != want:
		return fmt.Errorf("%d dead letters, want %d", n, want)
	}
	return nil
}
