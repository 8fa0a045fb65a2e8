package strategies

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// A Task is one unit of work. It belongs to the caller and may be reused once it is done: a
// strategy keeps no reference to it after Sink.Done. Submitting a prebuilt Task costs no allocation
// (beyond those of a library that a strategy is built on).
type Task struct {
	// Run is one attempt, or one step of a partitioned task. A static function with its data in Arg
	// needs no closure per task.
	Run    func(ctx context.Context, t *Task) Result
	Arg    any           // the caller's data, best a pointer
	Weight int64         // units of a weighted limit; 0 counts as 1
	Class  Class         // its class, for strategies with class pools
	Size   time.Duration // hint for size-aware strategies; 0 is unknown
	// ID is the caller's own number of the task. A durable strategy stores it, so that another
	// process can find the task (Resume); others ignore it.
	ID uint64

	kept Kept

	// What follows is for strategies that choose. It stands last because a semaphore takes 5 % more
	// a task when Kept is moved by 16 bytes.

	// Priority is its urgency, for strategies that order tasks by it: the largest goes first.
	Priority int32
	// Tenant is the number of its tenant, for strategies that share slots among tenants.
	Tenant int32
	// Deadline is the instant by which it should be done, as the time since an origin of the
	// caller's choice: strategies compare deadlines with each other, never with a clock. 0: none.
	Deadline time.Duration
}

// Kept returns the data of the strategy that has the task.
func (t *Task) Kept() *Kept { return &t.kept }

// Kept is the strategy's own data in a task while it has the task, so that a prebuilt task costs no
// allocation. It is for package engine and strategies built from it; callers leave it alone.
type Kept struct {
	Thunk  Thunk
	Tries  Tries
	Room   uint8 // the class pool whose room it takes, where a part separates classes
	Owner  Sink  // receives its outcome, where several creators share an instance
	Handle any   // for the adapter of a library
}

// A Thunk is a task as a func, for go statements and libraries. It is made at the task's first use
// on an instance: `go s.execute(t)` would allocate a closure each time.
type Thunk struct {
	Of  any // the instance that made the funcs; another instance makes new ones
	Run func()
	Try func() error
}

// Tries counts the attempts at a task, for strategies that retry.
type Tries struct {
	Ordinal uint64 // number of its Submit on the instance
	Made    int    // attempts that asked for another; 0 unless the strategy has the task
	// for a part that retries in place: that part, and the task's own Run
	Of  any
	Run func(context.Context, *Task) Result
}

// Class is the class of a task, by which a strategy with class pools chooses its pool. A class
// without a pool counts as AnyClass: its tasks may take a slot of any pool.
type Class uint8

// The classes. Strategies have pools for Short and Long, or for CPU and IO.
const (
	AnyClass Class = iota
	Short
	Long
	CPU
	IO
)

// A Result is the outcome of one attempt or step, by value. More, Retry and Split are requests: a
// task asks its strategy for them and never submits from inside a worker, so it cannot deadlock on
// its own pool.
//
// Every strategy carries out Split and More, in this order, unless Err is set or the task's context
// has ended: then the rest is not run, and the task is done with that error. Unless its Spec
// declares otherwise, it runs the sub-tasks one after another, and the next step at once, in the
// slot of the task. Retry is carried out only where the Spec declares it; then the task is run
// again, with the step that asked for it. A sub-task that asks for Retry repeats its parent, which
// may split off fewer sub-tasks this time.
type Result struct {
	// nil, the task's own, ErrAbandoned, ErrShed, *ExhaustedError, *PanicError, ErrGoexit
	Err   error
	More  bool          // a partitioned task has steps left: run it again
	Retry bool          // this attempt failed and may be tried again, not before After
	After time.Duration // least wait before the next attempt, e.g. from Retry-After

	// Split are sub-tasks to run at once. They are parts of their parent: it is done when the last
	// of them is, with the first error among them, and Sink.Done is called for the parent only.
	Split []*Task
}

// A Sink learns the outcome of each accepted task, exactly once. Done is called from the strategy's
// goroutines, several at a time, and must neither block nor panic: the strategy has no other
// goroutine for it. When it is called the Task is the caller's again. The task's room is free by
// then: a client that Done wakes may submit at once, from its own goroutine, without being shed or
// blocked by the task just done. Done itself must not submit.
type Sink interface{ Done(t *Task, r Result) }

// SinkFunc makes a Sink of a function.
type SinkFunc func(t *Task, r Result)

// Done calls f.
func (f SinkFunc) Done(t *Task, r Result) { f(t, r) }

// A Strategy is a running instance of a Spec. All methods may be called concurrently. The contract
// is in the package's documentation; in short:
//
// When the context that the instance was made with ends, its queued tasks are done with that
// context's error, its running tasks see the cancellation, and it accepts no more. Drain must still
// be called by whoever wants to know when the last is done; without it the goroutines end all the
// same, after their tasks. Without Drain and the end of the context they never end.
type Strategy interface {
	// Submit offers a task. nil means accepted: Done will be called exactly once. ErrShed,
	// ErrClosed or ctx's error mean not accepted, and Done is never called. A strategy that blocks
	// returns ctx's error as soon as ctx ends, and ErrClosed as soon as the intake closes. ctx is
	// for the wait only: the task runs with the instance's context.
	Submit(ctx context.Context, t *Task) error
	// Drain accepts no more and waits until what was accepted is done. When ctx ends first, it
	// cancels the running tasks (the cause of their context is ErrAbandoned), settles the queued
	// ones with ErrAbandoned, gives the running ones DrainGrace to return, and returns a
	// *DrainError. Afterwards no goroutine of the strategy is left, save those of tasks that ignore
	// their context; these are still done, exactly once, when they return. A second Drain waits
	// like the first.
	Drain(ctx context.Context) error
}

// A Resizer is an instance whose limit can change while it runs; Spec.Resizes declares it.
type Resizer interface {
	// Resize sets the limit from now on, from 1 to Params.Limit; any other value is an error and
	// changes nothing. Running tasks continue, even if they exceed the limit; if it grows, waiting
	// tasks start at once.
	Resize(limit int) error
}

// DrainGrace is the time that a Drain, after its deadline, gives the running tasks, which it has
// just cancelled, to return. It costs nothing under a virtual clock. 100 ms is long for a task that
// checks its context and short for a user who waits for the program to end.
const DrainGrace = 100 * time.Millisecond

// The errors of Submit and of Result.Err.
var (
	ErrShed   = errors.New("shed: refused by the strategy")
	ErrClosed = errors.New("closed: the strategy accepts no more tasks")
	// also the cause of a cancelled task's context
	ErrAbandoned = errors.New("abandoned: accepted, and given up before it was finished")
	ErrGoexit    = errors.New("the task ended its goroutine (runtime.Goexit)")
	ErrExhausted = errors.New("exhausted: every attempt has failed") // what an *ExhaustedError is
)

// A PanicError is the Result.Err of a task that panicked.
type PanicError struct {
	Value any    // what was passed to panic
	Stack []byte // of the panicking goroutine
}

// Error gives the value without the stack, on one line as far as the value is.
func (e *PanicError) Error() string { return fmt.Sprintf("the task panicked: %v", e.Value) }

// An ExhaustedError is the Result.Err of a task whose last attempt asked for another. errors.Is
// finds in it ErrExhausted and what Last wraps.
type ExhaustedError struct {
	Attempts int   // how many were made
	Last     error // of the last one; nil if it gave none
}

// Error gives both, on one line if the last error is one line.
func (e *ExhaustedError) Error() string {
	if e.Last == nil {
		return fmt.Sprintf("exhausted: attempt %d was the last, and failed without an error",
			e.Attempts)
	}
	return fmt.Sprintf("exhausted: attempt %d was the last: %v", e.Attempts, e.Last)
}

// Is reports that it is ErrExhausted.
func (e *ExhaustedError) Is(target error) bool { return target == ErrExhausted }

// Unwrap returns the last error.
func (e *ExhaustedError) Unwrap() error { return e.Last }

// A DrainError says what a Drain whose deadline ended left undone.
type DrainError struct {
	Abandoned int   // accepted tasks that were settled with ErrAbandoned without having run
	Running   int   // tasks that still ran, ignoring their cancelled context, when Drain returned
	Cause     error // why the deadline ended: the context's error
}

// Error gives both numbers and the cause on one line.
func (e *DrainError) Error() string {
	return fmt.Sprintf("drain: %d tasks abandoned, %d still running: %v", e.Abandoned,
		e.Running, e.Cause)
}

// Unwrap returns the cause.
func (e *DrainError) Unwrap() error { return e.Cause }
