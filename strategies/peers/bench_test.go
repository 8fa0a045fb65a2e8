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

// The benchmarks of dispatch, one table over all strategies and peers. The row of the strategy
// "inline" is the floor: the same task and sink, called. The metric x-inline is the ratio to it.
//
// Ants sets itself up for the GOMAXPROCS that the process starts with: to compare several, start as
// many processes with that variable (make dispatch does), instead of -cpu.

// batch is how many tasks are under way at most: enough that waiting for them all is spread thin,
// and the queue of those that have one, so that nothing is shed.
const batch = 4096

// countdown is a sink that reports when a batch is done.
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

// BenchmarkSubmit measures what a strategy costs per task: one op is an empty task submitted, run
// and reported. One that is refused yields and is submitted again. At a limit of a batch nobody
// waits for a slot.
func BenchmarkSubmit(b *testing.B) {
	benchmark(b, nothing, []int{1, 8, 64, 1024, batch}, []int{1, 8})
}

// BenchmarkShort measures how busy a strategy keeps the processors with short tasks: one op is a
// task of some 10 µs of counted computation. At GOMAXPROCS 2, x-inline is at best 0.5.
func BenchmarkShort(b *testing.B) {
	benchmark(b, short, []int{1, 8, 64}, []int{1})
}

// BenchmarkUsual measures the usual choices with tasks that are reused, as in BenchmarkSubmit, and
// with a new task for each op, which a caller allocates who has a closure for each piece of work.
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

// submitFresh is submitAll with one producer and a new task for each op, with a closure of its own.
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

// shortWork is what a task of BenchmarkShort hashes: some 10 µs at 1.6 GB/s.
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
							// refused after it was accepted: this task has not run
							b.ReportMetric(float64(n)/float64(b.N), "shed/op")
						}
					})
			}
		}
	}
}

// paramsOf are the parameters for a pool that is limited by nothing but its limit and a queue of n.
func paramsOf(spec strategies.Spec, limit, n int) (strategies.Params, error) {
	var args []param.Arg
	for _, k := range spec.Keys {
		if k.Name == "rate" {
			// as fast as it can: the cost, not the limit
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

// inline is the time of a call of a task and its sink, in nanoseconds: the least of some rounds,
// each of about a millisecond. They are counted, so that two revisions can be compared by their
// instructions.
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

// submitAll submits b.N tasks in batches, from so many producers, and waits for each batch.
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
