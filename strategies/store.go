package strategies

import (
	"fmt"

	"github.com/poolbench/poolbench/internal/text"
)

// Resume lets a durable strategy's instance continue an earlier queue.
type Resume struct {
	// Name is the queue's name: letters, digits and underscores. Only one instance may use it at a
	// time.
	Name string
	// Remove removes the queue at the end of this instance.
	Remove bool
	// Task returns the task with that Task.ID from an earlier process. Nil: it no longer exists, and
	// its message becomes a dead letter. Its outcome goes to the sink. After a kill, the task may have
	// run before.
	Task func(id uint64) *Task
}

// A StoreError means that a durable strategy has ended because its store failed. Submit returns it,
// waiting tasks are done with it, and Drain returns it. Only Drain's error has counts, otherwise
// they are 0.
type StoreError struct {
	Cause error // what the store said
	// tasks whose Submit returned nil, and delivered tasks of an earlier process
	Accepted int
	// of these, tasks waiting or running at the failure, whose messages are in the store unless it
	// lost them
	Stored int
	Lost   int // of these, tasks that were never done and are no longer in the store
	// done tasks whose messages are still in the store
	Unsettled int
}

// Error returns the cause and any known counts in one line.
func (e *StoreError) Error() string {
	if e.Accepted == 0 {
		return fmt.Sprintf("the store failed: %v", e.Cause)
	}
	s := fmt.Sprintf("the store failed: %v; of %s %d were done, %d are in the store and %d are "+
		"lost", e.Cause, text.Count(e.Accepted, "accepted task"), e.Accepted-e.Stored-e.Lost,
		e.Stored, e.Lost)
	if e.Unsettled > 0 {
		s += fmt.Sprintf("; %d that were done would be delivered again", e.Unsettled)
	}
	return s
}

// Unwrap returns the cause.
func (e *StoreError) Unwrap() error { return e.Cause }
