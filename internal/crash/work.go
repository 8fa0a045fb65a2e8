package crash

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"sync/atomic"
	"time"

	"github.com/poolbench/poolbench/internal/machine/pace"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/engine"
	"github.com/poolbench/poolbench/workloads"
)

// A WorkerConfig is read from a process's stdin as JSON. When stdin ends, the process drains the
// strategy and ends.
type WorkerConfig struct {
	Strategy string
	Workload string
	Limit    int
	Rate     float64 // submits per second; 0 means 4/5 of the capacity
	Seed     uint64
	Queue    string // queue of a durable strategy
	Next     uint64 // ID of the first task to submit
	Tasks    int    // number of tasks to be accepted

	ServerKilled bool // whether its server is killed and restarted too

	End bool // whether to only remove the queue of earlier processes
}

// An event is the first letter of a line, followed by the ID of a task or a text.
type event byte

const (
	accepted event = 'a' // Submit returned nil
	refused  event = 'r' // Submit returned this error
	begun    event = 'b' // Run was called
	ended    event = 'e' // Run returned
	dead     event = 'd' // given up after the last attempt
	failed   event = 'f' // the process cannot carry out its order; followed by the reason
	gone     event = 'g' // the store is gone with its content; followed by the reason
	empty    event = 'n' // the store is empty, and there was no event for seconds
	stored   event = 's' // number of messages in the store, after a second without an event
)

func Work(ctx context.Context, in io.Reader, out io.Writer) error {
	var o WorkerConfig
	orders := json.NewDecoder(in)
	if err := orders.Decode(&o); err != nil {
		return fmt.Errorf("crash: %w", err)
	}
	os.Stdout = os.Stderr // output of a strategy must not mix with the lines
	if o.End {
		err := o.end()
		if err != nil {
			_, err = fmt.Fprintf(out, "%c %q\n", failed, err.Error())
		}
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	w := &worker{out: out}
	if err := w.start(ctx, o); err != nil {
		_, err = fmt.Fprintf(out, "%c %q\n", failed, err.Error())
		return err
	}
	submitting := make(chan struct{})
	go func() {
		defer close(submitting)
		w.submit(ctx, o)
		w.audit(ctx)
	}()
	_, _ = io.Copy(io.Discard, orders.Buffered()) // waits until the order has ended
	_, err := io.Copy(io.Discard, in)
	stop()
	<-submitting
	draining, cancel := context.WithTimeout(context.Background(), drainTime)
	defer cancel()
	if err := w.strategy.Drain(draining); err != nil && !isCounted(err) {
		_, _ = fmt.Fprintf(out, "%c %q\n", failed, err.Error())
	}
	return err
}

// Unfinished tasks are given up before the end of drainTime.
const drainTime = 5 * time.Second

// isCounted reports whether an error of Drain concerns only tasks that are open in the ledger.
func isCounted(err error) bool {
	_, abandoned := errors.AsType[*strategies.DrainError](err)
	return abandoned || errors.Is(err, engine.ErrLost)
}

type worker struct {
	out            io.Writer
	events         atomic.Uint64 // number of events
	work           func(ctx context.Context, seq uint64) error
	strategy       strategies.Strategy
	submitInterval time.Duration // interval between two submits
}

func (w *worker) start(ctx context.Context, o WorkerConfig) error {
	v, err := strategies.Parse(o.Strategy)
	if err != nil {
		return err
	}
	work, err := workloads.Parse(o.Workload)
	if err != nil {
		return err
	}
	built, err := work.Spec.Build(o.Seed, work.Values)
	if err != nil {
		return err
	}
	w.work, w.submitInterval = built.Do, time.Duration(float64(time.Second)/o.Rate)
	if o.Rate == 0 {
		w.submitInterval = built.Mean() * 5 / time.Duration(4*o.Limit)
	}
	p := o.params(v, w.task)
	p.OnFault = w.fail
	// Tasks continue after the last submit.
	ctx = context.WithoutCancel(ctx)
	w.strategy, err = v.Spec.Start(ctx, p, w)
	away := 5 * time.Second // time that the server may be unreachable
	if o.ServerKilled {
		away = time.Minute
	}
	fault := new(*strategies.StoreError)
	for until := time.Now().Add(away); err != nil && v.Spec.Needs != "" &&
		!errors.As(err, fault) && time.Now().Before(until); {
		time.Sleep(100 * time.Millisecond)
		w.strategy, err = v.Spec.Start(ctx, p, w)
	}
	return err
}

// task finds the tasks of earlier processes.
func (o WorkerConfig) params(
	v strategies.Variant, task func(id uint64) *strategies.Task,
) strategies.Params {
	p := strategies.Params{Limit: o.Limit, Values: v.Values,
		Queue: v.Spec.QueueSlots(0, o.Limit, o.Tasks)}
	if v.Spec.Survives(p) != strategies.Volatile {
		p.Resume = &strategies.Resume{Name: o.Queue, Remove: true, Task: task}
	}
	return p
}

func (w *worker) fail(e *strategies.StoreError) {
	said := failed
	switch {
	case errors.Is(e, engine.ErrLost):
		w.writeEvent(empty, 0)
		return
	case errors.Is(e, engine.ErrGone):
		said = gone
	}
	_, _ = fmt.Fprintf(w.out, "%c %q\n", said, e.Error())
}

// audit reports the number of messages in an idle store. The process itself sees only those tasks
// of earlier processes that are delivered to it.
func (w *worker) audit(ctx context.Context) {
	store, ok := w.strategy.(interface {
		Stored(ctx context.Context) (int, error)
	})
	if !ok {
		return
	}
	last, looks := w.events.Load(), 0
	told, toldAt := -1, last // last reported number, and the number of events at that time
	for pace.Sleep(ctx, time.Second) == nil {
		n, err := store.Stored(ctx)
		now := w.events.Load()
		if now == last && err == nil && (n != told || now != toldAt) {
			_, _ = fmt.Fprintf(w.out, "%c %d\n", stored, n)
			told, toldAt = n, now
		}
		if now != last || err != nil || n > 0 {
			last, looks = now, 0
			continue
		}
		if looks++; looks == maxLooks {
			w.writeEvent(empty, 0)
			return
		}
	}
}

// An empty store is reported after this many looks, a second apart.
const maxLooks = 3

func (w *worker) task(id uint64) *strategies.Task {
	return &strategies.Task{ID: id, Run: w.run}
}

func (w *worker) writeEvent(e event, id uint64) {
	w.events.Add(1)
	_, _ = fmt.Fprintf(w.out, "%c %d\n", e, id)
}

func (w *worker) run(ctx context.Context, t *strategies.Task) strategies.Result {
	w.writeEvent(begun, t.ID)
	err := w.work(ctx, t.ID)
	w.writeEvent(ended, t.ID)
	return strategies.Result{Err: err}
}

func (w *worker) Done(t *strategies.Task, r strategies.Result) {
	if errors.Is(r.Err, strategies.ErrExhausted) {
		w.writeEvent(dead, t.ID)
	}
}

// submit does not submit a refused task again, and pauses before the next one.
func (w *worker) submit(ctx context.Context, o WorkerConfig) {
	due := time.Now()
	for id, in := o.Next, 0; in < o.Tasks && id < math.MaxUint64; id++ {
		due = due.Add(w.submitInterval)
		if pace.Sleep(ctx, time.Until(due)) != nil {
			return
		}
		err := w.strategy.Submit(ctx, w.task(id))
		if err == nil {
			w.writeEvent(accepted, id)
			in++
			continue
		}
		w.events.Add(1)
		_, _ = fmt.Fprintf(w.out, "%c %d %q\n", refused, id, err.Error())
		if pace.Sleep(ctx, 20*time.Millisecond) != nil {
			return
		}
	}
}
