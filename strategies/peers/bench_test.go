package peers_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/peers"
)

// In the row "inline", the benchmark calls the task and the sink itself. The metric x-inline is the
// ratio to that row.
//
// To compare values of GOMAXPROCS, set the environment variable instead of -cpu (see make
// dispatch), because ants reads it only at the start of the process.

// batch is the maximum number of unfinished tasks, and the length of queues, so no task is shed.
const batch = 4096

type countdown struct {
	left, shed atomic.Int64
	done       chan struct{}
}

func newCountdown() *countdown { return &countdown{done: make(chan struct{}, 1)} }

func (c *countdown) Done(_ *strategies.Task, r strategies.Result) {
	if r.Err != nil {
		c.shed.Add(1)
	}
	if c.left.Add(-1) == 0 {
		c.done <- struct{}{}
	}
}

// BenchmarkSubmit measures the cost per task: one op is the Submit, Run and Done of an empty task.
// A producer yields and repeats a refused Submit. With limit=batch no task waits for a slot.
func BenchmarkSubmit(b *testing.B) {
	benchmark(b, nothing, []int{1, 8, 64, 1024, batch}, []int{1, 8})
}

// BenchmarkShort runs tasks of about 10 µs. At GOMAXPROCS 2, the best possible x-inline is 0.5.
func BenchmarkShort(b *testing.B) {
	benchmark(b, short, []int{1, 8, 64}, []int{1})
}

// BenchmarkUsual compares reused tasks with a new task and closure for each op.
func BenchmarkUsual(b *testing.B) {
	const limit = 8
	for _, spec := range strategies.All() {
		if spec.Bare == (strategies.Bare{}) {
			continue
		}
		for _, fresh := range []bool{false, true} {
			b.Run(fmt.Sprintf("strategy=%s/fresh=%v", spec.Name, fresh), func(b *testing.B) {
				p, err := paramsOf(spec, limit, batch)
				if err != nil {
					b.Skip(err)
				}
				sink, tasks := newCountdown(), make([]strategies.Task, batch)
				for i := range tasks {
					tasks[i].Run = nothing
				}
				s := spec.New(b.Context(), p, sink)
				b.ReportAllocs()
				b.ResetTimer()
				if fresh {
					submitFresh(b, s, sink)
				} else {
					submitAll(b, s, sink, tasks, 1)
				}
				b.StopTimer()
				if err := s.Drain(context.Background()); err != nil {
					b.Fatal(err)
				}
			})
		}
	}
}

func submitFresh(b *testing.B, s strategies.Strategy, sink *countdown) {
	var ran atomic.Int64
	for left := b.N; left > 0; left -= batch {
		n := min(left, batch)
		sink.left.Store(int64(n))
		for i := range n {
			err := s.Submit(b.Context(), &strategies.Task{
				Run: func(context.Context, *strategies.Task) strategies.Result {
					if i < 0 {
						ran.Add(1)
					}
					return strategies.Result{}
				}})
			if err != nil {
				b.Fatal(err)
			}
		}
		<-sink.done
	}
}

// shortWork takes about 10 µs to hash at 1.6 GB/s.
var shortWork = make([]byte, 16<<10)

func short(context.Context, *strategies.Task) strategies.Result {
	if sha256.Sum256(shortWork)[0] == 0 { // it is 0x4f
		panic("the hash of nothing has changed")
	}
	return strategies.Result{}
}

func benchmark(
	b *testing.B, run func(context.Context, *strategies.Task) strategies.Result,
	limits, producers []int,
) {
	tasks := make([]strategies.Task, batch)
	for i := range tasks {
		tasks[i].Run = run
	}
	floor := inline(tasks)
	b.Run("strategy=inline/limit=1/producers=1", func(b *testing.B) {
		b.ReportAllocs()
		for n := range b.N {
			t := &tasks[n%batch]
			if r := t.Run(b.Context(), t); r.Err != nil {
				b.Fatal(r.Err)
			}
		}
	})
	for _, spec := range slices.Concat(strategies.All(), peers.All()) {
		for _, limit := range limits {
			for _, k := range producers {
				b.Run(fmt.Sprintf("strategy=%s/limit=%d/producers=%d", spec.Name, limit, k),
					func(b *testing.B) {
						p, err := paramsOf(spec, limit, batch)
						if err != nil {
							b.Skip(err)
						}
						sink := newCountdown()
						s := spec.New(b.Context(), p, sink)
						b.ReportAllocs()
						b.ResetTimer()
						submitAll(b, s, sink, tasks, k)
						b.StopTimer()
						if err := s.Drain(context.Background()); err != nil {
							b.Fatal(err)
						}
						b.ReportMetric(float64(b.Elapsed())/float64(b.N)/floor, "x-inline")
						if n := sink.shed.Load(); n > 0 {
							// the task was refused after its acceptance and has not run
							b.ReportMetric(float64(n)/float64(b.N), "shed/op")
						}
					})
			}
		}
	}
}

// paramsOf returns parameters with a rate that is never reached.
func paramsOf(spec strategies.Spec, limit, n int) (strategies.Params, error) {
	var args []param.Arg
	for _, k := range spec.Keys {
		if k.Name == "rate" {
			args = append(args, param.Arg{Key: k.Name, Value: "1000000000"})
		}
	}
	v, err := strategies.Resolve(param.Call{Name: spec.Name, Args: args})
	p := strategies.Params{Limit: limit, Values: v.Values}
	if spec.UsesQueue {
		p.Queue = n
	}
	return p, errors.Join(err, spec.Validate(p))
}

// inline returns the nanoseconds for calling a task and the sink. The number of rounds is fixed, so
// instruction counts of revisions are comparable.
func inline(tasks []strategies.Task) float64 {
	sink, ctx, best := newCountdown(), context.Background(), math.Inf(1)
	for range 20 {
		const batches = 32
		start := time.Now()
		for range batches {
			sink.left.Store(int64(len(tasks)))
			for i := range tasks {
				t := &tasks[i]
				sink.Done(t, t.Run(ctx, t))
			}
			<-sink.done
		}
		best = min(best, float64(time.Since(start))/float64(batches*len(tasks)))
	}
	return best
}

func submitAll(
	b *testing.B, s strategies.Strategy, sink *countdown, tasks []strategies.Task, producers int,
) {
	submit := func(tasks []strategies.Task) {
		for i := range tasks {
			err := s.Submit(b.Context(), &tasks[i])
			for errors.Is(err, strategies.ErrShed) {
				runtime.Gosched()
				err = s.Submit(b.Context(), &tasks[i])
			}
			if err != nil {
				b.Error(err)
				return
			}
		}
	}
	for left := b.N; left > 0; left -= len(tasks) {
		n := min(left, len(tasks))
		sink.left.Store(int64(n))
		if producers == 1 {
			submit(tasks[:n])
		} else {
			var busy sync.WaitGroup
			for part := range slices.Chunk(tasks[:n], (n+producers-1)/producers) {
				busy.Go(func() { submit(part) })
			}
			busy.Wait()
		}
		<-sink.done
	}
}
