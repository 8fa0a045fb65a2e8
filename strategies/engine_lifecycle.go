package strategies

import (
	"context"
	"errors"
	"math"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"
)

// DrainGrace is how long a Drain whose deadline has ended still waits for the running tasks, which
// it has just cancelled, to return. It is time.Sleep's time, so that under a virtual clock it costs
// nothing. 100 ms is long for a task that looks at its context and short for whoever waits for the
// program to end.
const DrainGrace = 100 * time.Millisecond

// A lifecycle is what every strategy of this package has in common: the tasks' context, the count
// of what is inside, the closing of the intake and the end.
//
// The count is one atomic word: a closed bit and the number of tasks inside, which are those being
// submitted and those accepted and not settled. A Submit counts itself in before it looks at
// anything else, so once the intake is closed and the count is zero nothing can come in any more:
// that moment, idle, is when the jobs channel may be closed and why the workers can be plain range
// loops. A mutex would say the same at twice the price; a WaitGroup does not allow Add to race
// Wait.
type lifecycle struct {
	sink    Sink
	ctx     context.Context         // ends with New's, at the deadline of a Drain, and when idle
	cancel  context.CancelCauseFunc // of ctx
	taskCtx context.Context         // what tasks run with: ctx, or one derived from it
	jobs    chan *Task              // accepted tasks on their way to a worker; nil without workers
	intake  context.Context         // ends when the intake closes
	shut    context.CancelFunc      // of intake
	closing <-chan struct{}         // intake's Done, for the Submits that are blocked
	idle    chan struct{}           // closed once the intake is closed and nothing is inside
	// called once, when the intake closes; nil: nothing. Set before open
	atClose func()
	// called once idle, to close what else there is to close; nil: nothing. Set before open
	atEnd func()
	// called when ctx has ended, to settle what waits elsewhere than in jobs; nil: nothing does.
	// Set before open
	drop    func()
	unwatch func() bool    // calls off the watch over ctx
	alive   sync.WaitGroup // workers, and the watch over ctx

	isIdle    atomic.Bool
	abandoned atomic.Int64 // tasks settled with ErrAbandoned that never ran
	// Cache lines of its own for word, which changes twice a task, were tried and made no
	// difference: a channel's lock does.
	word atomic.Int64 // closedBit and the number inside
}

// closedBit is the sign: a closed word is negative whatever its count.
const closedBit = math.MinInt64

// open makes l ready for a strategy whose tasks reach their workers over jobs (nil: there are
// none).
func (l *lifecycle) open(ctx context.Context, sink Sink, jobs chan *Task) {
	l.sink, l.jobs = sink, jobs
	l.ctx, l.cancel = context.WithCancelCause(ctx)
	l.taskCtx = l.ctx
	l.intake, l.shut = context.WithCancel(context.Background())
	l.closing, l.idle = l.intake.Done(), make(chan struct{})

	// New itself is inside until unwatch is set: the watch may begin with the context already ended
	l.word.Add(1)
	l.alive.Add(1)
	l.unwatch = context.AfterFunc(l.ctx, func() {
		defer l.alive.Done()
		l.closeIntake()
		l.sweep()
	})
	l.leave()
}

// enter counts a Submit in. When it returns nil, the task must be settled or leave called.
func (l *lifecycle) enter(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if l.word.Add(1) < 0 {
		l.leave()
		return ErrClosed
	}
	return nil
}

// admit is enter for a strategy that sheds: it refuses when most are inside already.
// Compare-and-swap and not add-and-look, because an addition that is taken back is seen by others
// meanwhile, who would be shed while there is room.
func (l *lifecycle) admit(ctx context.Context, most int64) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	for {
		inside := l.word.Load()
		switch {
		case inside < 0:
			return ErrClosed
		case inside >= most:
			return ErrShed
		case l.word.CompareAndSwap(inside, inside+1):
			return nil
		}
	}
}

// send counts a Submit in and sends its task, which blocks until there is room in the channel or a
// receiver.
func (l *lifecycle) send(ctx context.Context, to chan<- *Task, t *Task) error {
	if err := l.enter(ctx); err != nil {
		return err
	}
	select {
	case to <- t: // alone in its select a send costs 15 ns; with two other ways, 60
	default:
		select {
		case to <- t:
		case <-ctx.Done():
			l.leave()
			return ctx.Err()
		case <-l.closing:
			l.leave()
			return ErrClosed
		}
	}
	if l.ctx.Err() != nil {
		l.sweep()
	}
	return nil
}

// enqueue sends a task that has been counted in, and for which jobs has room.
func (l *lifecycle) enqueue(t *Task) {
	l.jobs <- t
	if l.ctx.Err() != nil {
		l.sweep()
	}
}

// acquire is enter, and then waits for a slot in a channel that holds one element for each that is
// taken. It is given back by a receive, before leave. It is send once more for another type: one
// generic function for both made a Submit a few percent slower.
func (l *lifecycle) acquire(ctx context.Context, slots chan struct{}) error {
	if err := l.enter(ctx); err != nil {
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
		l.leave()
		return ctx.Err()
	case <-l.closing:
		l.leave()
		return ErrClosed
	}
}

// leave counts one out.
func (l *lifecycle) leave() {
	if l.word.Add(-1) == closedBit {
		l.becomeIdle()
	}
}

// settle reports the outcome of a task that no worker holds, and counts it out.
func (l *lifecycle) settle(t *Task, r Result) {
	l.sink.Done(t, r)
	l.leave()
}

// isOpen says whether it accepts tasks; it may close at any moment.
func (l *lifecycle) isOpen() bool { return l.word.Load() >= 0 && l.ctx.Err() == nil }

// closeIntake refuses all further tasks. Calling it again does nothing.
func (l *lifecycle) closeIntake() {
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

// becomeIdle ends the instance. A Submit that is refused late counts itself in and out again and so
// comes here a second time.
func (l *lifecycle) becomeIdle() {
	if !l.isIdle.CompareAndSwap(false, true) {
		return
	}
	if l.unwatch() {
		l.alive.Done()
	}
	l.cancel(context.Canceled) // also takes ctx off the books of its parent
	if l.jobs != nil {
		close(l.jobs)
	}
	if l.atEnd != nil {
		l.atEnd()
	}
	close(l.idle)
}

// sweep settles what waits in jobs, or where drop knows, without running it. Whoever puts a task
// there looks at ctx afterwards and sweeps if it has ended: so either the sweep at ctx's end finds
// the task or the one who sent it does, even if no worker ever comes back.
func (l *lifecycle) sweep() {
	if l.drop != nil {
		l.drop()
	}
	for {
		select {
		case t, open := <-l.jobs:
			if !open {
				return
			}
			l.settle(t, Result{Err: l.giveUpOn(t)})
		default:
			return
		}
	}
}

// giveUpOn is the outcome of an accepted task that will not run, or not again, because ctx has
// ended.
func (l *lifecycle) giveUpOn(t *Task) error {
	if t.tries.made > 0 {
		return l.endedBy()
	}
	return l.giveUp()
}

// giveUp is the outcome of a task that will not run because ctx has ended.
func (l *lifecycle) giveUp() error {
	err := l.endedBy()
	if err == ErrAbandoned {
		l.abandoned.Add(1)
	}
	return err
}

// endedBy says why ctx has ended, ErrAbandoned by a Drain, otherwise the error of New's context;
// or, if it has not, taskCtx.
func (l *lifecycle) endedBy() error {
	if errors.Is(context.Cause(l.ctx), ErrAbandoned) {
		return ErrAbandoned
	}
	if err := l.ctx.Err(); err != nil {
		return err
	}
	return l.taskCtx.Err()
}

// Drain implements Strategy.
func (l *lifecycle) Drain(ctx context.Context) error {
	l.closeIntake()
	select {
	case <-l.idle:
		l.alive.Wait()
		return nil
	default:
	}
	select {
	case <-l.idle:
		l.alive.Wait()
		return nil
	case <-ctx.Done():
	}

	l.cancel(ErrAbandoned)
	l.sweep()
	grace := time.NewTimer(DrainGrace)
	defer grace.Stop()
	running := 0
	select {
	case <-l.idle:
		l.alive.Wait()
	case <-grace.C:
		running = int(l.word.Load() &^ closedBit)
	}
	return &DrainError{Abandoned: int(l.abandoned.Load()), Running: running, Cause: ctx.Err()}
}

// run carries t to its end: all its steps and sub-tasks, unless ctx has ended. A panic and Goexit
// pass through.
func (l *lifecycle) run(t *Task) Result {
	if l.ctx.Err() != nil {
		return Result{Err: l.giveUpOn(t)}
	}
	r := t.Run(l.taskCtx, t)
	if r.More || len(r.Split) > 0 {
		r = l.resume(t, r)
	}
	return r
}

// resume carries out what a step asked for: first the sub-tasks, one after another in the place of
// their parent, then the next step. The first error is the task's, and ends it; so does the end of
// its context, as long as there is something left to do. Retry passes through, from a sub-task that
// failed as well.
func (l *lifecycle) resume(t *Task, r Result) Result {
	for r.Err == nil && (r.More || len(r.Split) > 0) {
		switch {
		case l.taskCtx.Err() != nil:
			r.Err = l.endedBy()
		case len(r.Split) > 0:
			sub := r.Split[0]
			r.Split = r.Split[1:]
			if part := l.resume(sub, sub.Run(l.taskCtx, sub)); part.Err != nil {
				r.Err, r.Retry, r.After = part.Err, part.Retry, part.After
			}
		default:
			r = t.Run(l.taskCtx, t)
		}
	}
	r.More, r.Split = false, nil
	return r
}

// failure is the Result of a task that did not return: recovered is what recover gave, nil after
// Goexit. (Since Go 1.21 even panic(nil) recovers as something.) It is called by the deferred
// function, so that the stack shows the panic.
func failure(recovered any) Result {
	if recovered == nil {
		return Result{Err: ErrGoexit}
	}
	return Result{Err: &PanicError{Value: recovered, Stack: debug.Stack()}}
}
