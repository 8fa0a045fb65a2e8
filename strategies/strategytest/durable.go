package strategytest

import (
	"context"
	"errors"
	"fmt"
	"runtime/pprof"
	"sync"
	"sync/atomic"
	"time"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/internal/watchdog"
	"github.com/poolbench/poolbench/strategies"
)

// DurableClauses returns the contract of strategies that wait for a disk or a server, in the order
// of its documentation: under the real clock, so that no instant is exact. The slice is the
// caller's. Kept to Poison are for those whose tasks outlive the instance with their defaults.
func DurableClauses() []Clause {
	return []Clause{
		{Name: "Bound", Check: durableBound},
		{Name: "Once", Check: durableOnce},
		{Name: "Context", Check: durableContext},
		{Name: "Drain", Check: durableDrain},
		{Name: "Closed", Check: durableClosed},
		{Name: "Panic", Check: durablePanic},
		{Name: "Order", Check: durableOrder},
		{Name: "Kept", Check: durableKept},
		{Name: "Killed", killed: durableKilled, kills: 1},
		{Name: "Poison", killed: durablePoison, kills: poisonAttempts},
	}
}

// A stint is one instance of a durable strategy, from New to Drain, and what its tasks did.
type stint struct {
	spec   strategies.Spec
	p      strategies.Params
	s      strategies.Strategy
	endNew context.CancelFunc
	mark   watchdog.Mark
	do     func(ctx context.Context, id uint64) strategies.Result // what tasks do
	steps  atomic.Uint64

	mu            sync.Mutex
	runs, dones   map[uint64]int
	results       map[uint64]strategies.Result
	order         []uint64 // of the starts
	running, peak int
	odd           error
}

// durably calls check with an instance, for a queue that is to be resumed or one of its own. Its
// tasks return at once, until check has them do something else.
func durably(
	spec strategies.Spec, limit int, resume *strategies.Resume, check func(*stint) error,
) (err error) {
	return durablyDoing(spec, limit, resume,
		func(context.Context, uint64) strategies.Result { return strategies.Result{} }, check)
}

// durablyDoing is durably for tasks that come before check is called.
func durablyDoing(
	spec strategies.Spec, limit int, resume *strategies.Resume,
	do func(ctx context.Context, id uint64) strategies.Result, check func(*stint) error,
) (err error) {
	values, err := param.Resolve(spec.Keys, nil)
	if err != nil {
		return fmt.Errorf("its own parameters have no defaults: %w", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	x := &stint{spec: spec, endNew: cancel, mark: watchdog.NewMark(),
		runs: map[uint64]int{}, dones: map[uint64]int{}, results: map[uint64]strategies.Result{},
		p: strategies.Params{Limit: limit, Values: values, Resume: resume}}
	x.do = do
	if resume != nil {
		resume.Task = x.task
	}
	x.mark.Set(ctx)
	defer pprof.SetGoroutineLabels(context.Background())
	if x.s, err = spec.Start(ctx, x.p, x); err != nil {
		return err
	}
	if x.s == nil {
		return errNil
	}
	err = check(x)
	x.mu.Lock()
	if err == nil {
		err = x.odd
	}
	x.mu.Unlock()
	cancel()
	if over := x.finish(); err == nil {
		err = over
	}
	return err
}

// finish waits for Drain, whatever that says.
func (x *stint) finish() error {
	over := make(chan struct{})
	go func() {
		defer close(over)
		_ = x.s.Drain(context.Background()) // what it returns is the business of the clause Drain
	}()
	return x.until("Drain returns", func() bool {
		select {
		case <-over:
			return true
		default:
			return false
		}
	})
}

// until waits until that is so, and gives up when nothing has happened for long.
func (x *stint) until(what string, so func() bool) error {
	patience, err := watchdog.Patience()
	if err != nil {
		return err
	}
	const look = 2 * time.Millisecond
	last := x.steps.Load()
	for idle := time.Duration(0); ; idle += look {
		if so() {
			return nil
		}
		if now := x.steps.Load(); now != last {
			last, idle = now, 0
		}
		if idle >= patience {
			return fmt.Errorf("in %v nothing has happened, and it is not so that %s%s", patience, what,
				x.where())
		}
		time.Sleep(look)
	}
}

// where shows what the goroutines of the instance do.
func (x *stint) where() string {
	if all := x.mark.Stacks().Foreign(); len(all) > 0 {
		return "\n" + all.String()
	}
	return ""
}

// task makes the task of that ID.
func (x *stint) task(id uint64) *strategies.Task {
	return &strategies.Task{ID: id, Run: x.run, Arg: x}
}

func (x *stint) run(ctx context.Context, t *strategies.Task) strategies.Result {
	x.change(func() {
		x.runs[t.ID]++
		x.running++
		x.peak = max(x.peak, x.running)
		x.order = append(x.order, t.ID)
	})
	defer x.change(func() { x.running-- })
	return x.do(ctx, t.ID)
}

// Done implements strategies.Sink.
func (x *stint) Done(t *strategies.Task, r strategies.Result) {
	x.change(func() {
		if t == nil || t.Arg != x {
			x.odd = errors.New("Done was called with something that is no task of the instance")
			return
		}
		x.dones[t.ID]++
		x.results[t.ID] = r
	})
}

func (x *stint) change(f func()) {
	x.steps.Add(1)
	x.mu.Lock()
	defer x.mu.Unlock()
	f()
}

// is reads the record.
func (x *stint) is(so func() bool) func() bool {
	return func() bool {
		x.mu.Lock()
		defer x.mu.Unlock()
		return so()
	}
}

// submit offers the tasks from, …, to-1.
func (x *stint) submit(from, to uint64) error {
	for id := from; id < to; id++ {
		if err := x.s.Submit(context.Background(), x.task(id)); err != nil {
			return fmt.Errorf("task %d was refused: %w", id, err)
		}
		x.steps.Add(1)
	}
	return nil
}

// done waits until so many tasks are, and looks at each: runs and error; nil is none.
func (x *stint) done(n int, runs func(id uint64) int, want func(id uint64) error) error {
	if err := x.until(fmt.Sprintf("%d tasks are done", n), x.is(func() bool {
		return len(x.dones) >= n
	})); err != nil {
		return fmt.Errorf("%w: %d are, %d have run", err, len(x.dones), len(x.runs))
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	for id, dones := range x.dones {
		switch r := x.results[id]; {
		case dones != 1:
			return fmt.Errorf("task %d was done %d times", id, dones)
		case runs != nil && x.runs[id] != runs(id):
			return fmt.Errorf("task %d was run %d times, want %d", id, x.runs[id], runs(id))
		case !errors.Is(r.Err, want(id)):
			return fmt.Errorf("task %d was done with the error %v, want %v", id, r.Err, want(id))
		}
	}
	return nil
}

func onceEach(uint64) int  { return 1 }
func noError(uint64) error { return nil }

func (x *stint) isDone() int {
	x.mu.Lock()
	defer x.mu.Unlock()
	return len(x.dones)
}

// drained is a Drain without an end, which has to succeed.
func (x *stint) drained() error {
	if err := x.s.Drain(context.Background()); err != nil {
		return fmt.Errorf("a Drain: %w", err)
	}
	return nil
}

func oneDurableTask(x *stint) error {
	if err := x.submit(0, 1); err != nil {
		return err
	}
	if err := x.done(1, onceEach, noError); err != nil {
		return err
	}
	return x.drained()
}

// durableBound holds tasks until as many run as may.
func durableBound(spec strategies.Spec) error {
	const limit, n = 3, 24
	return durably(spec, limit, nil, func(x *stint) error {
		full := make(chan struct{})
		x.do = func(context.Context, uint64) strategies.Result {
			<-full
			return strategies.Result{}
		}
		if err := x.submit(0, n); err != nil {
			return err
		}
		err := x.until("as many tasks run as may", x.is(func() bool { return x.running >= limit }))
		time.Sleep(20 * time.Millisecond) // for one too many
		close(full)
		if err != nil {
			return err
		}
		if err := x.done(n, onceEach, noError); err != nil {
			return err
		}
		if x.peak > limit {
			return fmt.Errorf("%d tasks ran at once, where the bound is %d", x.peak, limit)
		}
		return nil
	})
}

// errDurable is what tasks fail with.
var errDurable = errors.New("the task's own error")

// durableOnce has several submitters, and tasks that fail, that are tried twice, and that are tried
// in vain.
func durableOnce(spec strategies.Spec) error {
	const submitters, each = 4, 40
	return durably(spec, 4, nil, func(x *stint) error {
		attempts := x.attempts()
		x.do = func(_ context.Context, id uint64) strategies.Result {
			x.mu.Lock()
			defer x.mu.Unlock()
			switch {
			case id%10 == 1:
				return strategies.Result{Err: errDurable}
			case id == 2 && x.runs[id] < 2, id == 3:
				return strategies.Result{Err: errDurable, Retry: true}
			}
			return strategies.Result{}
		}
		failures := make(chan error, submitters)
		for i := range uint64(submitters) {
			go func() { failures <- x.submit(i*each, (i+1)*each) }()
		}
		for range submitters {
			if err := <-failures; err != nil {
				return err
			}
		}
		runs := func(id uint64) int {
			switch id {
			case 2:
				return min(2, attempts)
			case 3:
				return attempts
			}
			return 1
		}
		return x.done(submitters*each, runs, func(id uint64) error {
			switch {
			case id == 2 && attempts >= 2:
				return nil
			case id%10 == 1, id == 2, id == 3:
				return errDurable
			}
			return nil
		})
	})
}

// durableContext ends the context of a Submit, and that of the instance.
func durableContext(spec strategies.Spec) error {
	const limit, n = 2, 12
	return durably(spec, limit, nil, func(x *stint) error {
		ended, cancel := context.WithCancel(context.Background())
		cancel()
		if err := x.s.Submit(ended, x.task(100)); !errors.Is(err, context.Canceled) {
			return fmt.Errorf("a Submit with an ended context returned %v", err)
		}
		if err := x.hold(n); err != nil {
			return err
		}
		x.endNew()
		if err := x.done(n, nil, func(uint64) error { return context.Canceled }); err != nil {
			return err
		}
		if len(x.runs) != limit {
			return fmt.Errorf("%d tasks ran, want %d: the others were done with the error of the "+
				"instance's context", len(x.runs), limit)
		}
		return nil
	})
}

// durableDrain wants all done, and nothing unacknowledged that has run; and the right count of what
// was abandoned.
func durableDrain(spec strategies.Spec) error {
	const limit, n = 2, 40
	queue := newQueue()
	if err := durably(spec, limit, resumed(spec, queue), func(x *stint) error {
		if err := x.submit(0, n); err != nil {
			return err
		}
		if err := x.drained(); err != nil {
			return err
		}
		if x.isDone() != n {
			return fmt.Errorf("a Drain returned, and of %d tasks %d are done", n, x.isDone())
		}
		return x.done(n, onceEach, noError)
	}); err != nil {
		return err
	}
	if again := resumed(spec, queue); again != nil {
		if err := durably(spec, limit, again, nothingComes); err != nil {
			return err
		}
	}
	last := resumed(spec, queue)
	if last != nil {
		last.Remove = true
	}
	return durably(spec, limit, last, func(x *stint) error {
		if err := x.hold(n); err != nil {
			return err
		}
		ended, cancel := context.WithCancel(context.Background())
		cancel()
		left, ok := errors.AsType[*strategies.DrainError](x.s.Drain(ended))
		if !ok || left.Abandoned != n-limit || left.Running != 0 {
			return fmt.Errorf("a Drain with an ended context returned %v, want %d tasks abandoned",
				left, n-limit)
		}
		return x.done(n, nil, func(uint64) error { return strategies.ErrAbandoned })
	})
}

// resumed is a queue that is kept; nil for a strategy whose tasks outlive nothing.
func resumed(spec strategies.Spec, queue string) *strategies.Resume {
	if spec.Survives(defaults(spec)) == strategies.Volatile {
		return nil
	}
	return &strategies.Resume{Name: queue}
}

// nothingComes wants no message in the queue.
func nothingComes(x *stint) error {
	time.Sleep(x.lease() * 3 / 2) // for one that was not acknowledged
	const probe = 1_000_000
	if err := x.submit(probe, probe+1); err != nil {
		return err
	}
	if err := x.done(1, nil, noError); err != nil {
		return err
	}
	if len(x.runs) != 1 {
		return fmt.Errorf("%d tasks that were done before a Drain that returned nil were "+
			"delivered again", len(x.runs)-1)
	}
	return nil
}

// hold submits n tasks that end with their context, and returns when as many run as may.
func (x *stint) hold(n uint64) error {
	x.do = func(ctx context.Context, _ uint64) strategies.Result {
		<-ctx.Done()
		return strategies.Result{Err: context.Cause(ctx)}
	}
	if err := x.submit(0, n); err != nil {
		return err
	}
	return x.until("the limit is reached", x.is(func() bool { return x.running >= x.p.Limit }))
}

func durableClosed(spec strategies.Spec) error {
	return durably(spec, 2, nil, func(x *stint) error {
		if err := x.submit(0, 10); err != nil {
			return err
		}
		if err := x.drained(); err != nil {
			return err
		}
		if err := x.s.Submit(context.Background(), x.task(10)); !errors.Is(err,
			strategies.ErrClosed) {
			return fmt.Errorf("a Submit after Drain returned %v", err)
		}
		if err := x.drained(); err != nil {
			return fmt.Errorf("twice: %w", err)
		}
		return x.done(10, onceEach, noError)
	})
}
