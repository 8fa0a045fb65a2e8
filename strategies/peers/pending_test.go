package peers_test

import (
	"context"
	"fmt"
	"runtime"
	"runtime/metrics"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/peers"
)

const pending = 100_000

// BenchmarkPending measures the memory of 100,000 tasks that wait for one of 8 slots. If Submit
// blocks, each remaining task has a goroutine, as in a server, whose memory is included. The tasks'
// own memory is not.
func BenchmarkPending(b *testing.B) {
	for _, spec := range slices.Concat(strategies.All(), peers.All()) {
		b.Run(fmt.Sprintf("strategy=%s", spec.Name), func(b *testing.B) {
			p, err := paramsOf(spec, 8, pending)
			if err != nil {
				b.Skip(err)
			}
			if spec.Bound == nil {
				b.Skip("nothing waits: it is unbounded")
			}
			if spec.Sheds && spec.Capacity(p) < pending {
				b.Skip("nothing waits: it refuses")
			}
			bytes, goroutines := 0.0, 0.0
			for range b.N {
				w := newWaitingRoom(p.Limit + pending)
				before := memory()
				w.fill(spec, p)
				after := memory()
				bytes += after.bytes - before.bytes
				goroutines += after.goroutines - before.goroutines
				b.StopTimer()
				if err := w.empty(); err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
			}
			b.ReportMetric(bytes/float64(b.N)/pending, "B/waiting")
			b.ReportMetric(goroutines/float64(b.N)/pending, "goroutines/waiting")
			b.ReportMetric(0, "ns/op") // has no meaning here: filling yields until all is quiet
		})
	}
}

// A waitingRoom is a strategy with tasks that do not end before open is closed.
type waitingRoom struct {
	strategy  strategies.Strategy
	tasks     []strategies.Task
	open      chan struct{}
	next      atomic.Int64 // task to be submitted
	done      atomic.Int64
	producers sync.WaitGroup
	failed    atomic.Pointer[error]
}

func newWaitingRoom(n int) *waitingRoom {
	w := &waitingRoom{tasks: make([]strategies.Task, n), open: make(chan struct{})}
	for i := range w.tasks {
		w.tasks[i].Run = w.hold
	}
	return w
}

func (w *waitingRoom) hold(context.Context, *strategies.Task) strategies.Result {
	<-w.open
	return strategies.Result{}
}

// fill submits tasks from one producer until Submit blocks, and then one task per producer.
func (w *waitingRoom) fill(spec strategies.Spec, p strategies.Params) {
	w.strategy = spec.New(context.Background(), p,
		strategies.SinkFunc(func(*strategies.Task, strategies.Result) { w.done.Add(1) }))
	w.producers.Go(func() { w.produce(len(w.tasks)) })
	quiet()
	for left := len(w.tasks) - int(w.next.Load()); left > 0; left-- {
		w.producers.Go(func() { w.produce(1) })
	}
	quiet()
}

func (w *waitingRoom) produce(n int) {
	for ; n > 0; n-- {
		i := w.next.Add(1) - 1
		if i >= int64(len(w.tasks)) {
			return
		}
		if err := w.strategy.Submit(context.Background(), &w.tasks[i]); err != nil {
			w.failed.CompareAndSwap(nil, &err)
		}
	}
}

func (w *waitingRoom) empty() error {
	close(w.open)
	w.producers.Wait()
	if err := w.strategy.Drain(context.Background()); err != nil {
		return err
	}
	if n := w.done.Load(); n != int64(len(w.tasks)) {
		return fmt.Errorf("%d of %d tasks are done", n, len(w.tasks))
	}
	if err := w.failed.Load(); err != nil {
		return *err
	}
	return nil
}

// quiet waits until no other goroutine is runnable.
func quiet() {
	sample := []metrics.Sample{{Name: "/sched/goroutines/runnable:goroutines"},
		{Name: "/sched/goroutines/running:goroutines"}}
	for still := 0; still < 5; {
		time.Sleep(time.Millisecond)
		metrics.Read(sample)
		if sample[0].Value.Uint64() == 0 && sample[1].Value.Uint64() <= 1 {
			still++
		} else {
			still = 0
		}
	}
}

type footprint struct{ bytes, goroutines float64 }

// memory counts live objects and stacks.
func memory() footprint {
	runtime.GC()
	runtime.GC() // what pools kept of the first
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"},
		{Name: "/memory/classes/heap/stacks:bytes"}, {Name: "/sched/goroutines:goroutines"}}
	metrics.Read(sample)
	return footprint{float64(sample[0].Value.Uint64() + sample[1].Value.Uint64()),
		float64(sample[2].Value.Uint64())}
}
