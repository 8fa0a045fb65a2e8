package strategies

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// A Task is one unit of work. It belongs to the caller, who may reuse it once it is done.
type Task struct {
	// Run is one attempt, or one step of a partitioned task. A static function with its data in Arg
	// avoids a closure.
	Run    func(ctx context.Context, t *Task) Result
	Arg    any           // the caller's data, preferably a pointer
	Weight int64         // units of a weighted limit; 0 counts as 1
	Class  Class         // for strategies with class pools
	Size   time.Duration // size hint for strategies that order by size; 0: unknown
	// ID lets another process find the task (Resume). Only durable strategies use it.
	ID uint64

	kept Scratch

	// The fields below are last because moving Kept by 16 bytes makes a semaphore 5 % slower per
	// task.

	// tasks of larger priority go first
	Priority int32
	// Tenant is the number of the tenant, or the key for clause KeyOrder. Negative: no key.
	Tenant int32
	// Deadline is measured from any origin, because strategies compare it only with other
	// deadlines. 0: none.
	Deadline time.Duration
}

// Scratch returns the data that the current strategy stores in the task.
func (t *Task) Scratch() *Scratch { return &t.kept }

// Scratch is the strategy's data in a task, which saves an allocation per Submit. Only package
// engine and strategies built from it use it.
type Scratch struct {
	Thunk  Thunk
	Tries  AttemptState
	Room   uint8 // the class pool whose room the task uses, in a part that separates classes
	Owner  Sink  // receives the outcome, if several creators share an instance
	Handle any   // for the adapter of a library
}

// A Thunk is a task as a func, made once per instance, because `go s.execute(t)` would allocate
// each time.
type Thunk struct {
	Of  any // the instance that made the funcs; another instance makes new ones
	Run func()
	Try func() error
}

// AttemptState counts the attempts at a task, for strategies that retry.
type AttemptState struct {
	Ordinal uint64 // sequence number of its Submit on the instance
	Made    int    // attempts that requested another; 0 unless the strategy has the task
	// the part that retries in place, and the Run of the task that it replaced
	Of  any
	Run func(context.Context, *Task) Result
}

// Class selects the pool of a task. Tasks of a class without a pool use a slot of any pool.
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
// strategy, which carries out Split and then More, unless Err is set or the task's context has
// ended. By default, sub-tasks run one after another in the task's slot. Retry requires
// Spec.Retries and repeats only the step that requested it. A sub-task that requests Retry repeats
// its parent.
type Result struct {
	// nil, the task's own error, ErrAbandoned, ErrShed, *ExhaustedError, *PanicError or ErrGoexit
	Err   error
	More  bool          // a partitioned task has steps left: run it again
	Retry bool          // this attempt failed and may be repeated, not before After
	After time.Duration // minimum wait before the next attempt, e.g. from Retry-After

	// The parent is done after its last sub-task, with their first error. Sink.Done is called only
	// for the parent.
	Split []*Task
}

// A Sink receives the outcome of each accepted task exactly once. Done must be safe for concurrent
// use and must not block, panic or submit. The task then belongs to the caller again.
type Sink interface{ Done(t *Task, r Result) }

// SinkFunc makes a Sink of a function.
type SinkFunc func(t *Task, r Result)

// Done calls f.
func (f SinkFunc) Done(t *Task, r Result) { f(t, r) }

// A Strategy is a running instance of a Spec, safe for concurrent use. The package documentation
// defines the contract. Its goroutines end only after Drain or the end of New's context.
type Strategy interface {
	// Submit offers a task. nil means that Done will be called exactly once, and an error that it
	// will not be called. ctx covers only the wait: the task runs with the instance's context.
	Submit(ctx context.Context, t *Task) error
	// Drain closes the instance and waits until accepted tasks are done. When ctx ends first, it
	// gives up all tasks and returns a *DrainError after at most DrainGrace.
	Drain(ctx context.Context) error
}

// A Resizer is an instance whose limit can change while it runs (Spec.Resizes).
type Resizer interface {
	// Resize sets the limit, from 1 to Params.Limit. Any other value is an error without effect.
	Resize(limit int) error
}

// DrainGrace is the time that tasks have to return after Drain cancelled them.
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

func (e *PanicError) Error() string { return fmt.Sprintf("the task panicked: %v", e.Value) }

// An ExhaustedError is the Result.Err of a task whose last attempt requested another. It matches
// ErrExhausted and wraps Last.
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

func (e *ExhaustedError) Is(target error) bool { return target == ErrExhausted }

func (e *ExhaustedError) Unwrap() error { return e.Last }

// A DrainError counts the tasks that a Drain left undone at its deadline.
type DrainError struct {
	Abandoned int   // accepted tasks that were completed with ErrAbandoned without having run
	Running   int   // tasks that ignored the cancellation and still ran when Drain returned
	Cause     error // error of Drain's context
}

func (e *DrainError) Error() string {
	return fmt.Sprintf("drain: %d tasks abandoned, %d still running: %v", e.Abandoned,
		e.Running, e.Cause)
}

func (e *DrainError) Unwrap() error { return e.Cause }
