package engine

import (
	"context"
	"errors"
	"math"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/poolbench/poolbench/strategies"
)

// A Lifecycle contains the context of the tasks, the number of tasks inside, and shutdown.
//
// A task is inside while it is being submitted, and from its acceptance until it is settled. One
// atomic word contains this number and a closed bit. Submit increments the number before it checks
// the bit, so a closed intake with zero tasks is final. A mutex would cost twice as much, and a
// WaitGroup forbids an Add that races with Wait.
//
// A strategy frees a task's room before it calls the sink, so a client that submits from Done finds
// room. Drain waits for the calling goroutine, so it returns after Done.
type Lifecycle struct {
	sink strategies.Sink
	// ends with New's context, at the deadline of a Drain, and when idle
	Ctx     context.Context
	Cancel  context.CancelCauseFunc // cancels Ctx
	TaskCtx context.Context         // context of the tasks: Ctx or one derived from it
	Jobs    chan *strategies.Task   // accepted tasks on their way to a worker; nil without workers
	Intake  context.Context         // ends when the intake closes
	shut    context.CancelFunc      // cancels Intake
	closing <-chan struct{}         // Intake.Done(), for blocked Submits
	Idle    chan struct{}           // closed when the intake is closed and no task is inside
	// called once when the intake closes; may be nil
	atClose func()
	// called once when idle; may be nil
	AtEnd func()
	// called when Ctx ends, to settle tasks that wait outside Jobs; may be nil
	Drop    func()
	unwatch func() bool    // stops the watch over Ctx
	Alive   sync.WaitGroup // workers and the goroutine that watches Ctx

	isIdle    atomic.Bool
	abandoned atomic.Int64 // tasks settled with ErrAbandoned that never ran
	word      atomic.Int64 // closedBit and the number of tasks inside
}

const closedBit = math.MinInt64

// Open prepares l. jobs passes tasks to workers and may be nil.
func (l *Lifecycle) Open(ctx context.Context, sink strategies.Sink, jobs chan *strategies.Task) {
	l.sink, l.Jobs = sink, jobs
	l.Ctx, l.Cancel = context.WithCancelCause(ctx)
	l.TaskCtx = l.Ctx
	l.Intake, l.shut = context.WithCancel(context.Background())
	l.closing, l.Idle = l.Intake.Done(), make(chan struct{})

	// Open counts as inside until unwatch is set, because ctx may already have ended.
	l.word.Add(1)
	l.Alive.Add(1)
	l.unwatch = context.AfterFunc(l.Ctx, func() {
		defer l.Alive.Done()
		l.closeIntake()
		l.Sweep()
	})
	l.Leave()
}

// Enter counts a Submit in. The caller must then settle the task or call Leave.
func (l *Lifecycle) Enter(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if l.word.Add(1) < 0 {
		l.Leave()
		return strategies.ErrClosed
	}
	return nil
}

// Admit is Enter for strategies that shed. An addition that is reverted would shed other Submits
// although there is room.
func (l *Lifecycle) Admit(ctx context.Context, most int64) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	for {
		inside := l.word.Load()
		switch {
		case inside < 0:
			return strategies.ErrClosed
		case inside >= most:
			return strategies.ErrShed
		case l.word.CompareAndSwap(inside, inside+1):
			return nil
		}
	}
}

// Send counts a Submit in and blocks until its task is sent.
func (l *Lifecycle) Send(
	ctx context.Context, to chan<- *strategies.Task, t *strategies.Task,
) error {
	if err := l.Enter(ctx); err != nil {
		return err
	}
	select {
	case to <- t: // A select with only this send costs 15 ns. With two more cases it costs 60 ns.
	default:
		select {
		case to <- t:
		case <-ctx.Done():
			l.Leave()
			return ctx.Err()
		case <-l.closing:
			l.Leave()
			return strategies.ErrClosed
		}
	}
	if l.Ctx.Err() != nil {
		l.Sweep()
	}
	return nil
}

// Enqueue sends a task that is already counted as in flight. Jobs must have room for it.
func (l *Lifecycle) Enqueue(t *strategies.Task) {
	l.Jobs <- t
	if l.Ctx.Err() != nil {
		l.Sweep()
	}
}

// Acquire calls Enter and then sends to slots. The caller receives from slots before it calls
// Leave. A shared generic function with Send made Submit a few percent slower.
func (l *Lifecycle) Acquire(ctx context.Context, slots chan struct{}) error {
	if err := l.Enter(ctx); err != nil {
		return err
	}
	select {
	case slots <- struct{}{}:
		return nil
	default:
	}
	select {
	case slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		l.Leave()
		return ctx.Err()
	case <-l.closing:
		l.Leave()
		return strategies.ErrClosed
	}
}

// Leave counts one task out.
func (l *Lifecycle) Leave() {
	if l.word.Add(-1) == closedBit {
		l.becomeIdle()
	}
}

// Settle reports the outcome of a task that no worker holds, and counts it out.
func (l *Lifecycle) Settle(t *strategies.Task, r strategies.Result) {
	l.sink.Done(t, r)
	l.Leave()
}

// IsOpen reports whether l accepts tasks. The intake may close at any moment.
func (l *Lifecycle) IsOpen() bool { return l.word.Load() >= 0 && l.Ctx.Err() == nil }

func (l *Lifecycle) closeIntake() {
	before := l.word.Or(closedBit)
	if before < 0 {
		return
	}
	l.shut()
	if l.atClose != nil {
		l.atClose()
	}
	if before == 0 {
		l.becomeIdle()
	}
}

// becomeIdle may be called twice, because a Submit that is refused late counts itself in and out.
func (l *Lifecycle) becomeIdle() {
	if !l.isIdle.CompareAndSwap(false, true) {
		return
	}
	if l.unwatch() {
		l.Alive.Done()
	}
	l.Cancel(context.Canceled) // Cancel also releases the resources of Ctx in its parent.
	if l.Jobs != nil {
		close(l.Jobs)
	}
	if l.AtEnd != nil {
		l.AtEnd()
	}
	close(l.Idle)
}

// Sweep settles the tasks in Jobs and those of Drop. A sender calls it if Ctx has ended after its
// send.
func (l *Lifecycle) Sweep() {
	if l.Drop != nil {
		l.Drop()
	}
	for {
		select {
		case t, open := <-l.Jobs:
			if !open {
				return
			}
			l.Settle(t, strategies.Result{Err: l.GiveUpOn(t)})
		default:
			return
		}
	}
}

// GiveUpOn returns the error of a task that will not run, or not again, because Ctx has ended.
func (l *Lifecycle) GiveUpOn(t *strategies.Task) error {
	if t.Scratch().Tries.Made > 0 {
		return l.EndedBy()
	}
	return l.GiveUp()
}

// GiveUp returns the error of a task that will not run because Ctx has ended.
func (l *Lifecycle) GiveUp() error {
	err := l.EndedBy()
	if err == strategies.ErrAbandoned {
		l.abandoned.Add(1)
	}
	return err
}

// EndedBy returns why Ctx or TaskCtx has ended: ErrAbandoned, a *StoreError or the context's error.
func (l *Lifecycle) EndedBy() error {
	cause := context.Cause(l.Ctx)
	if errors.Is(cause, strategies.ErrAbandoned) {
		return strategies.ErrAbandoned
	}
	if fault, is := errors.AsType[*strategies.StoreError](cause); is {
		return fault
	}
	if err := l.Ctx.Err(); err != nil {
		return err
	}
	return l.TaskCtx.Err()
}

// Drain implements Strategy.
func (l *Lifecycle) Drain(ctx context.Context) error {
	l.closeIntake()
	select {
	case <-l.Idle:
		l.Alive.Wait()
		return nil
	default:
	}
	select {
	case <-l.Idle:
		l.Alive.Wait()
		return nil
	case <-ctx.Done():
	}

	l.Cancel(strategies.ErrAbandoned)
	l.Sweep()
	grace := time.NewTimer(strategies.DrainGrace)
	defer grace.Stop()
	running := 0
	select {
	case <-l.Idle:
		l.Alive.Wait()
	case <-grace.C:
		running = int(l.word.Load() &^ closedBit)
	}
	return &strategies.DrainError{
		Abandoned: int(l.abandoned.Load()),
		Running:   running,
		Cause:     ctx.Err(),
	}
}

// Run runs all steps and sub-tasks of t, unless Ctx ends first. It does not recover panics.
func (l *Lifecycle) Run(t *strategies.Task) strategies.Result {
	if l.Ctx.Err() != nil {
		return strategies.Result{Err: l.GiveUpOn(t)}
	}
	r := t.Run(l.TaskCtx, t)
	if r.More || len(r.Split) > 0 {
		r = l.resume(t, r)
	}
	return r
}

func (l *Lifecycle) resume(t *strategies.Task, r strategies.Result) strategies.Result {
	return carryOut(l.TaskCtx, t, r, t.Run, l.EndedBy)
}

// carryOut runs the sub-tasks of a step one after another, and then the next step by calling run.
// The first error ends the task. A Retry is returned, also from a failed sub-task.
func carryOut(
	ctx context.Context, t *strategies.Task, r strategies.Result,
	run func(context.Context, *strategies.Task) strategies.Result, ended func() error,
) strategies.Result {
	for r.Err == nil && (r.More || len(r.Split) > 0) {
		switch {
		case ctx.Err() != nil:
			r.Err = ended()
		case len(r.Split) > 0:
			sub := r.Split[0]
			r.Split = r.Split[1:]
			part := carryOut(ctx, sub, sub.Run(ctx, sub), sub.Run, ended)
			if part.Err != nil {
				r.Err, r.Retry, r.After = part.Err, part.Retry, part.After
			}
		default:
			r = run(ctx, t)
		}
	}
	r.More, r.Split = false, nil
	return r
}

// Conclude runs an attempt and calls end with its Result, or with a Failure after a panic or
// Goexit.
func Conclude(attempt func() strategies.Result, end func(r strategies.Result, returned bool)) {
	r, returned := strategies.Result{}, false
	defer func() {
		if !returned {
			r = Failure(recover())
		}
		end(r, returned)
	}()
	r = attempt()
	returned = true
}

// Failure returns the Result of a task that did not return. recovered is nil after Goexit, because
// panic(nil) recovers as non-nil since Go 1.21. Call Failure in the deferred function, so the stack
// trace shows the panic.
func Failure(recovered any) strategies.Result {
	if recovered == nil {
		return strategies.Result{Err: strategies.ErrGoexit}
	}
	return strategies.Result{Err: &strategies.PanicError{Value: recovered, Stack: debug.Stack()}}
}
