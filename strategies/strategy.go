package strategies

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// A Task is one unit of work. It belongs to the caller, who may reuse it once it is done.
// Submitting a prebuilt Task does not allocate, except in the library of some strategies.
type Task struct {
	// Run is one attempt, or one step of a partitioned task. A static function with its data in Arg
	// avoids a closure.
	Run    func(ctx context.Context, t *Task) Result
	Arg    any           // the caller's data, preferably a pointer
	Weight int64         // units of a weighted limit; 0 counts as 1
	Class  Class         // for strategies with class pools
	Size   time.Duration // size hint for strategies that order by size; 0: unknown
	// ID is the caller's number for the task. A durable strategy stores it, so that another process
	// can find the task (Resume). Other strategies ignore it.
	ID uint64

	kept Kept

	// These fields are last because moving Kept by 16 bytes makes a semaphore 5 % slower per task.

	// Priority orders tasks in some strategies: the largest goes first.
	Priority int32
	// Tenant is the number of the tenant, for strategies that share slots among tenants, or the
	// key, for strategies that keep the order per key. Negative: the task has no key.
	Tenant int32
	// Deadline is the time by which the task should be done, since an origin of the caller's
	// choice. Strategies compare deadlines with each other, never with a clock. 0: none.
	Deadline time.Duration
}

// Kept returns the data that the current strategy stores in the task.
func (t *Task) Kept() *Kept { return &t.kept }

// Kept is the strategy's data in a task, so that submitting a prebuilt task does not allocate. Only
// package engine and strategies built from it use it.
type Kept struct {
	Thunk  Thunk
	Tries  Tries
	Room   uint8 // the class pool whose room the task uses, in a part that separates classes
	Owner  Sink  // receives the outcome, if several creators share an instance
	Handle any   // for the adapter of a library
}

// A Thunk is a task as a func, made once per instance, because `go s.execute(t)` would allocate a
// closure each time.
type Thunk struct {
	Of  any // the instance that made the funcs; another instance makes new ones
	Run func()
	Try func() error
}

// Tries counts the attempts at a task, for strategies that retry.
type Tries struct {
	Ordinal uint64 // sequence number of its Submit on the instance
	Made    int    // attempts that requested another; 0 unless the strategy has the task
	// the part that retries in place, and the Run of the task that it replaced
	Of  any
	Run func(context.Context, *Task) Result
}

// Class selects the pool of a task. A class without a pool counts as AnyClass: its tasks use a slot
// of any pool.
type Class uint8

// The classes. Strategies have pools for Short and Long, or for CPU and IO.
const (
	AnyClass Class = iota
	Short
	Long
	CPU
	IO
)

// A Result is the outcome of one attempt or step. More, Retry and Split are requests to the
// strategy.
//
// Every strategy carries out Split and then More, unless Err is set or the task's context has
// ended. Then the rest does not run, and the task is done with that error. By default, sub-tasks
// run one after another in the task's slot, and the next step follows at once. Retry is carried out
// only if the Spec declares it. It repeats the step that requested it. A sub-task that requests
// Retry repeats its parent, which may split differently.
type Result struct {
	// nil, the task's own error, ErrAbandoned, ErrShed, *ExhaustedError, *PanicError or ErrGoexit
	Err   error
	More  bool          // a partitioned task has steps left: run it again
	Retry bool          // this attempt failed and may be repeated, not before After
	After time.Duration // minimum wait before the next attempt, e.g. from Retry-After

	// Split are sub-tasks to run now. The parent is done after the last of them, with their first
	// error. Sink.Done is called only for the parent.
	Split []*Task
}

// A Sink receives the outcome of each accepted task exactly once. Strategies call Done
// concurrently. Done must not block, panic or submit. When it runs, the Task belongs to the caller
// again and its room is free.
type Sink interface{ Done(t *Task, r Result) }

// SinkFunc makes a Sink of a function.
type SinkFunc func(t *Task, r Result)

// Done calls f.
func (f SinkFunc) Done(t *Task, r Result) { f(t, r) }

// A Strategy is a running instance of a Spec. All methods are safe for concurrent use. The package
// documentation defines the contract.
//
// When the context of New ends, queued tasks are done with its error, running tasks see the
// cancellation, and Submit refuses further tasks. Its goroutines end only after Drain or the end of
// that context.
type Strategy interface {
	// Submit offers a task. nil means accepted: Done will be called exactly once. ErrShed,
	// ErrClosed or ctx's error mean refused: Done is never called. ctx covers only the wait: the
	// task runs with the instance's context.
	Submit(ctx context.Context, t *Task) error
	// Drain closes the instance and waits until accepted tasks are done. When ctx ends first, it
	// cancels running tasks (cause ErrAbandoned), completes queued tasks with ErrAbandoned, waits
	// up to DrainGrace for running tasks, and returns a *DrainError. Tasks that ignore their
	// context are done, exactly once, when they return.
	Drain(ctx context.Context) error
}

// A Resizer is an instance whose limit can change while it runs. Spec.Resizes declares it.
type Resizer interface {
	// Resize sets the limit, from 1 to Params.Limit. Any other value is an error without effect.
	Resize(limit int) error
}

// DrainGrace is the time that tasks have to return after Drain's deadline cancelled them. It is
// long for a task that checks its context and short for a user who waits.
const DrainGrace = 100 * time.Millisecond

// The errors of Submit and of Result.Err.
var (
	ErrShed   = errors.New("shed: refused by the strategy")
	ErrClosed = errors.New("closed: the strategy accepts no more tasks")
	// also the cause in a cancelled task's context
	ErrAbandoned = errors.New("abandoned: accepted, but ended before it was finished")
	ErrGoexit    = errors.New("the task ended its goroutine (runtime.Goexit)")
	ErrExhausted = errors.New("exhausted: every attempt has failed") // *ExhaustedError matches it
)

// A PanicError is the Result.Err of a task that panicked.
type PanicError struct {
	Value any    // argument of panic
	Stack []byte // stack of the panicking goroutine
}

// Error returns the value without the stack.
func (e *PanicError) Error() string { return fmt.Sprintf("the task panicked: %v", e.Value) }

// An ExhaustedError is the Result.Err of a task whose last attempt requested another. errors.Is
// finds ErrExhausted and the errors that Last wraps.
type ExhaustedError struct {
	Attempts int   // number of attempts
	Last     error // error of the last attempt, or nil
}

func (e *ExhaustedError) Error() string {
	if e.Last == nil {
		return fmt.Sprintf("exhausted: attempt %d was the last, and failed without an error",
			e.Attempts)
	}
	return fmt.Sprintf("exhausted: attempt %d was the last: %v", e.Attempts, e.Last)
}

// Is reports whether target is ErrExhausted.
func (e *ExhaustedError) Is(target error) bool { return target == ErrExhausted }

// Unwrap returns the last error.
func (e *ExhaustedError) Unwrap() error { return e.Last }

// A DrainError counts the tasks that a Drain left undone at its deadline.
type DrainError struct {
	Abandoned int   // accepted tasks that were completed with ErrAbandoned without having run
	Running   int   // tasks that ignored the cancellation and still ran when Drain returned
	Cause     error // error of Drain's context
}

// Error returns the numbers and the cause in one line.
func (e *DrainError) Error() string {
	return fmt.Sprintf("drain: %d tasks abandoned, %d still running: %v", e.Abandoned,
		e.Running, e.Cause)
}

// Unwrap returns the cause.
func (e *DrainError) Unwrap() error { return e.Cause }
