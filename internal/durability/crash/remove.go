package crash

import (
	"context"
	"fmt"
	"time"

	"github.com/poolbench/poolbench/strategies"
)

// removing is how long the queue of a process that was killed may take to be removed. Its store may
// have failed.
const removing = 2 * time.Second

// remove is end, and does not wait for a store that does not answer.
func (o Order) remove() error {
	ended := make(chan error, 1)
	go func() { ended <- o.end() }()
	select {
	case err := <-ended:
		return err
	case <-time.After(removing):
		return fmt.Errorf("it is not removed after %v", removing)
	}
}

// end ends in this process what the one that was killed has left, so that its queue is removed. Its
// tasks are not run.
func (o Order) end() error {
	v, err := strategies.Parse(o.Strategy)
	if err != nil {
		return nil // no process has had such a strategy
	}
	ctx, cancel := context.WithTimeout(context.Background(), removing)
	defer cancel()
	p := o.params(v, func(uint64) *strategies.Task {
		return &strategies.Task{Run: func(context.Context, *strategies.Task) strategies.Result {
			return strategies.Result{}
		}}
	})
	if p.Resume == nil {
		return nil
	}
	nobody := strategies.SinkFunc(func(*strategies.Task, strategies.Result) {})
	s, err := v.Spec.Start(ctx, p, nobody)
	if err != nil {
		return err
	}
	cancel()
	return s.Drain(context.Background())
}
