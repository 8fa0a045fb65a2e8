package strategies

import (
	"context"
	"sync"
	"time"
)

// Consume is the Work of a Broker that is asked for messages: limit goroutines ask next for one
// each, and go on until ctx ends. A do may end its goroutine, which is then made anew. While next
// fails each asks it ten times a second.
func Consume(
	ctx context.Context, limit int, next func(ctx context.Context) (Message, error),
	do func(Message),
) {
	var all sync.WaitGroup
	var consumer func()
	consumer = func() {
		over := false
		defer func() {
			if !over {
				all.Go(consumer)
			}
		}()
		for ctx.Err() == nil {
			m, err := next(ctx)
			if err == nil {
				do(m)
				continue
			}
			select {
			case <-time.After(100 * time.Millisecond):
			case <-ctx.Done():
			}
		}
		over = true
	}
	for range limit {
		all.Go(consumer)
	}
	all.Wait()
}
