package strategies

import (
	"fmt"

	"github.com/poolbench/poolbench/internal/text"
)

// Resume lets an instance of a durable strategy continue an earlier queue.
type Resume struct {
	// Name consists of letters, digits and underscores. Only one instance may use a queue at a
	// time.
	Name string
	// Remove removes the queue at the end of this instance.
	Remove bool
	// Task returns the task with that ID from an earlier process, which may have run it already.
	// Nil: the task no longer exists, and its message becomes a dead letter.
	Task func(id uint64) *Task
}

// A StoreError means that a durable strategy has ended because its store failed. The counts are 0
// except in the error that Drain returns.
type StoreError struct {
	Cause error // error of the store
	// tasks whose Submit returned nil, plus delivered tasks of an earlier process
	Accepted int
	// accepted tasks that waited or ran at the failure and should still be in the store
	Stored int
	Lost   int // accepted tasks that were never done and are no longer in the store
	// done tasks whose messages are still in the store
	Unsettled int
}

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

func (e *StoreError) Unwrap() error { return e.Cause }
