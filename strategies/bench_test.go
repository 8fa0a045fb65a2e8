package strategies_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/poolbench/poolbench/strategies"
)

// batch is how many tasks of BenchmarkSubmit are under way at most: enough that waiting for them all is spread thin, and the
// queue of those that have one, so that nothing is shed.
const batch = 4096

// countdown is a sink that reports when a batch is done.
type countdown struct {
	left atomic.Int64
	done chan struct{}
}

func (c *countdown) Done(*strategies.Task, strategies.Result) {
	if c.left.Add(-1) == 0 {
		c.done <- struct{}{}
	}
}

func nothing(context.Context, *strategies.Task) strategies.Result { return strategies.Result{} }

// BenchmarkSubmit measures what a strategy costs per task: one op is an empty task submitted, run and reported, by one
// producer. The case "inline" is the floor: the same task and sink, called.
func BenchmarkSubmit(b *testing.B) {
	tasks := make([]strategies.Task, batch)
	for i := range tasks {
		tasks[i].Run = nothing
	}

	b.Run("strategy=inline/limit=1", func(b *testing.B) {
		sink, ctx := &countdown{done: make(chan struct{}, 1)}, b.Context()
		b.ReportAllocs()
		submitAll(b, sink, tasks, func(t *strategies.Task) error {
			sink.Done(t, t.Run(ctx, t))
			return nil
		})
	})
	for _, spec := range strategies.All() {
		for _, limit := range []int{1, 8, 64} {
			b.Run(fmt.Sprintf("strategy=%s/limit=%d", spec.Name, limit), func(b *testing.B) {
				p := params(spec, limit, batch)
				ctx, sink := b.Context(), &countdown{done: make(chan struct{}, 1)}
				s := spec.New(ctx, p, sink)
				b.ReportAllocs()
				submitAll(b, sink, tasks, func(t *strategies.Task) error { return s.Submit(ctx, t) })
				if err := s.Drain(context.Background()); err != nil {
					b.Fatal(err)
				}
			})
		}
	}
}

// submitAll submits b.N tasks in batches and waits for each batch.
func submitAll(b *testing.B, sink *countdown, tasks []strategies.Task, submit func(*strategies.Task) error) {
	for left := b.N; left > 0; left -= len(tasks) {
		n := min(left, len(tasks))
		sink.left.Store(int64(n))
		for i := range n {
			if err := submit(&tasks[i]); err != nil {
				b.Fatal(err)
			}
		}
		<-sink.done
	}
}
