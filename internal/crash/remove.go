package crash

import (
	"context"
	"time"

	"github.com/poolbench/poolbench/strategies"
)

// removing is how long the queue of a process that was killed may take to be removed.
const removing = 10 * time.Second

// remove ends in this process what the one that was killed has left, so that its queue is removed.
// Its tasks are not run.
func (o Order) remove() error {
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
