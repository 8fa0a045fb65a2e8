package strategies

import (
	"fmt"

	"github.com/poolbench/poolbench/internal/text/prose"
)

// Resume has an instance of a durable strategy go on where another process has ended.
type Resume struct {
	// Name is of the queue, in letters, digits and underscores. Instances of one name, one after
	// another, share it; two at a time must not.
	Name string
	// Remove has the queue removed when this instance has ended; otherwise it is kept.
	Remove bool
	// Task returns the task with that Task.ID, which an earlier process has submitted; nil: there
	// is none any more, and its message becomes a dead letter. The sink is told of it as of others.
	// Where a process was killed it may have run before.
	Task func(id uint64) *Task
}

// A StoreError says that a durable strategy has ended because its store failed. Submit refuses with
// it, tasks that were waiting are done with it, and Drain returns it. The counts are those of
// Drain's; before that they are 0.
type StoreError struct {
	Cause error // what the store said
	// tasks whose Submit returned nil, or that an earlier process has left and that were delivered
	Accepted int
	// of these: they waited or ran when the store failed. Their messages are in the store, as far
	// as it has kept them
	Held int
	Lost int // of these: the store has them no more, and they were never done
	// tasks that were done, but their messages are still in the store
	Unsettled int
}

// Error gives the cause, and the counts where they are known, in one line.
func (e *StoreError) Error() string {
	if e.Accepted == 0 {
		return fmt.Sprintf("the store failed: %v", e.Cause)
	}
	text := fmt.Sprintf("the store failed: %v; of %s %d were done, %d are in the store and %d are "+
		"lost", e.Cause, prose.Count(e.Accepted, "accepted task"), e.Accepted-e.Held-e.Lost,
		e.Held, e.Lost)
	if e.Unsettled > 0 {
		text += fmt.Sprintf("; %d that were done would be delivered again", e.Unsettled)
	}
	return text
}

// Unwrap returns the cause.
func (e *StoreError) Unwrap() error { return e.Cause }
