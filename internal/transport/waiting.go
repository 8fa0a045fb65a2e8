package transport

import (
	"context"
	"slices"
	"sync"
	"time"
)

// A Waiting is a FIFO queue of callers that wait for a T. Its lock also guards the values.
type Waiting[T any] struct {
	sync.Mutex
	line []chan T
}

// Await waits for a value until the deadline, with error late, or until ctx ends. The caller holds
// the lock, and Await releases it. A value that arrives too late goes to the next caller.
func (w *Waiting[T]) Await(
	ctx context.Context, deadline time.Time, late error, give func(T),
) (one T, err error) {
	mine := make(chan T, 1)
	w.line = append(w.line, mine)
	w.Unlock()
	over := time.NewTimer(time.Until(deadline))
	defer over.Stop()
	select {
	case one = <-mine:
		return one, nil
	case <-ctx.Done():
		err = context.Cause(ctx)
	case <-over.C:
		err = late
	}
	w.Lock()
	at := slices.Index(w.line, mine)
	if at >= 0 {
		w.line = slices.Delete(w.line, at, at+1)
	}
	w.Unlock()
	if at < 0 {
		give(<-mine)
	}
	return one, err
}

// The caller of Next holds the lock.
func (w *Waiting[T]) Next(one T) bool {
	if len(w.line) == 0 {
		return false
	}
	w.line[0] <- one
	w.line = w.line[1:]
	return true
}
