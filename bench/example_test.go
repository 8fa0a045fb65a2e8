package bench_test

import (
	"context"
	"fmt"
	"sync"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/strategies"
)

// mine is a user-defined strategy: a semaphore.
type mine struct {
	ctx     context.Context
	slots   chan struct{}
	sink    strategies.Sink
	running sync.WaitGroup
}

func newMine(ctx context.Context, p strategies.Params, sink strategies.Sink) strategies.Strategy {
	return &mine{ctx: ctx, slots: make(chan struct{}, p.Limit), sink: sink}
}

func (m *mine) Submit(ctx context.Context, t *strategies.Task) error {
	select {
	case m.slots <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	m.running.Go(func() {
		r := t.Run(m.ctx, t)
		<-m.slots
		m.sink.Done(t, r)
	})
	return nil
}

func (m *mine) Drain(context.Context) error { m.running.Wait(); return nil }

// A strategy needs a Spec with a name and a constructor. Runs check its other declarations, here
// the bound on tasks in flight and FIFO order.
func ExampleRun() {
	spec := strategies.Spec{
		Name: "mine", New: newMine,
		Bound: func(p strategies.Params) int { return p.Limit },
		FIFO:  true, WorkConserving: true,
	}
	r, err := bench.Run(context.Background(), bench.Scenario{
		Strategy: strategies.Variant{Spec: spec},
		Limit:    4,
		Load:     bench.Load{Relative: 0.8},
		Clock:    bench.Virtual,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Name)
	for _, unit := range []string{"peak-inflight", "oracle-max-diff-sec", "broken-laws"} {
		v, _ := r.Metric(unit)
		fmt.Println(unit, v)
	}
	// Output:
	// Run/strategy=mine/workload=exponential/target=none/arrival=poisson/limit=4/load=0.8/clock=virtual
	// peak-inflight 4
	// oracle-max-diff-sec 0
	// broken-laws 0
}
