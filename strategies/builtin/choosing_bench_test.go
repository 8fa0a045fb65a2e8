package builtin_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/poolbench/poolbench/strategies"
)

// All slots are occupied until the queue is full. One op is the acceptance, choice and run of a
// task.
func BenchmarkChoosing(b *testing.B) {
	for _, name := range []string{"dispatcher", "shortest_first", "priority", "earliest_deadline",
		"fair_share"} {
		for _, queued := range []int{1_000, 10_000, 100_000} {
			b.Run(fmt.Sprintf("strategy=%s/limit=8/queued=%d", name, queued), func(b *testing.B) {
				spec, err := strategies.Lookup(name)
				if err != nil {
					b.Fatal(err)
				}
				tasks := make([]strategies.Task, queued)
				random := rand.New(rand.NewPCG(1, 6))
				for i := range tasks {
					tasks[i] = strategies.Task{Run: nothing, Priority: int32(random.IntN(100)),
						Tenant: int32(random.IntN(100)), Size: time.Duration(random.IntN(1e6)),
						Deadline: time.Duration(1 + random.IntN(1e9))}
				}
				var all sync.WaitGroup
				sink := strategies.SinkFunc(func(*strategies.Task, strategies.Result) {
					all.Done()
				})
				s := spec.New(b.Context(), params(spec, 8, queued), sink)
				submit := func(t *strategies.Task) {
					all.Add(1)
					if err := s.Submit(b.Context(), t); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportAllocs()
				for done := 0; b.Loop(); done++ {
					if done%queued != 0 {
						continue
					}
					open := make(chan struct{})
					hold := strategies.Task{Run: func(context.Context,
						*strategies.Task) strategies.Result {
						<-open
						return strategies.Result{}
					}}
					for range 8 {
						held := hold
						submit(&held)
					}
					for i := range tasks {
						submit(&tasks[i])
					}
					close(open)
					all.Wait()
				}
				if err := s.Drain(context.Background()); err != nil {
					b.Fatal(err)
				}
			})
		}
	}
}
