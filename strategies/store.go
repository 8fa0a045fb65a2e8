package strategies

import (
	"fmt"

	"github.com/poolbench/poolbench/internal/text"
)

// Resume lets an instance of a durable strategy continue the queue of an earlier one.
type Resume struct {
	// Name is the name of the queue: letters, digits and underscores. Instances share it one after
	// another, never two at a time.
	Name string
	// Remove removes the queue when this instance has ended; false keeps it.
	Remove bool
	// Task returns the task with that Task.ID, which an earlier process submitted; nil: it no
	// longer exists, and its message becomes a dead letter. Its outcome goes to the sink. If a
	// process was killed, the task may have run before.
	Task func(id uint64) *Task
}

// A StoreError says that a durable strategy has ended because its store failed. Submit refuses with
// it, tasks that were waiting are done with it, and Drain returns it. Only the error of Drain has
// counts; elsewhere they are 0.
type StoreError struct {
	Cause error // what the store said
	// tasks whose Submit returned nil, and delivered tasks of an earlier process
	Accepted int
	// of these, tasks that waited or ran when the store failed: their messages are still in the
	// store, unless it lost them
	Stored int
	Lost   int // of these, tasks that were never done and are no longer in the store
	// done tasks whose messages are still in the store
	Unsettled int
}

// Error gives the cause, and the counts where they are known, in one line.
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
