package engine

import (
	"context"
	"sync"

	"github.com/poolbench/poolbench/strategies"
)

// Pools are one or several pools of long-lived workers. One mutex makes admission and queueing one
// step, so tasks and blocked Submits are served in order of acceptance. With a channel, a task that
// returns to the queue could not overtake blocked Submits.
type Pools struct {
	Lifecycle
	poolOf func(strategies.Class) int // pool index or anyPool; nil if there is one pool
	// tasks run one step at a time and return to the queue, see turns.go
	Turns bool
	// a task returns to the front with all its sub-tasks; otherwise to the tail, one sub-task at a
	// time
	Front bool
	Home  *Loop // reports the tasks; if nil, workers report them

	mu    sync.Mutex
	pool  []pool
	any   entries // tasks that may run in any pool
	space admission
}

type pool struct {
	queue entries // accepted tasks that wait for a slot
	idle  int     // sleeping workers without a pending wake-up
	wake  sync.Cond
}

type entry struct {
	task    *strategies.Task
	family  *family // family of a sub-task; nil for a submitted task
	seq     uint64  // sequence number in order of acceptance
	pool    int     // pool whose room the task uses
	started bool    // whether it has run a step
}

// Start opens one pool per element of slots, its number of workers, with room for queue waiting
// tasks.
func (w *Pools) Start(ctx context.Context, sink strategies.Sink, queue int, slots ...int) *Pools {
	w.pool, w.space.rooms = make([]pool, len(slots)), make([]room, len(slots))
	for i := range w.pool {
		w.space.rooms[i].most, w.pool[i].wake.L = slots[i]+queue, &w.mu
	}
	w.Drop, w.AtEnd = w.dropAll, w.wakeAll
	w.Open(ctx, sink, nil)
	if w.Home != nil {
		w.Home.Start(w)
	}
	for i := range w.pool {
		w.Alive.Add(slots[i])
		for range slots[i] {
			go w.work(&w.pool[i])
		}
	}
	return w
}

// Submit blocks while the task's pool has no room.
func (w *Pools) Submit(ctx context.Context, t *strategies.Task) error {
	if err := w.Enter(ctx); err != nil {
		return err
	}
	to := 0
	if w.poolOf != nil {
		to = w.poolOf(t.Class)
	}
	w.mu.Lock()
	switch room := w.space.findRoom(to); {
	case w.Ctx.Err() != nil:
		w.mu.Unlock()
		w.Leave()
		return strategies.ErrClosed
	case room >= 0:
		w.accept(t, to, room)
		w.mu.Unlock()
		return nil
	}
	b := w.space.block(t, to)
	w.mu.Unlock()
	return w.waitInLine(ctx, &w.mu, w.space.lineOf(to), b)
}

func (w *Pools) accept(t *strategies.Task, to, room int) {
	e := entry{task: t, seq: w.space.useRoom(room), pool: room}
	if to == anyPool {
		w.any.pushBack(e)
	} else {
		w.pool[to].queue.pushBack(e)
	}
	w.call(to)
}

// For anyPool, call wakes the last pool with a sleeping worker: that is the slower pool, and the
// others stay free.
func (w *Pools) call(to int) {
	if to != anyPool {
		if l := &w.pool[to]; l.idle > 0 {
			l.idle--
			l.wake.Signal()
		}
		return
	}
	for i := len(w.pool) - 1; i >= 0; i-- {
		if w.pool[i].idle > 0 {
			w.call(i)
			return
		}
	}
}

func (w *Pools) work(l *pool) {
	for w.serve(l) {
	}
	w.Alive.Done()
}

// serve returns true if a task panicked, and false if the instance is idle. All tasks share one
// deferred function.
func (w *Pools) serve(l *pool) (again bool) {
	var running entry
	defer func() {
		if running.task == nil {
			return // idle, or the sink has panicked, which must not be recovered
		}
		v := recover()
		w.endStep(running, Failure(v))
		if again = true; v == nil {
			go w.work(l)
		}
	}()
	for {
		e, more := w.Next(l)
		if !more {
			return false
		}
		running = e
		r := w.step(e)
		running = entry{}
		w.endStep(e, r)
	}
}

// Next returns the oldest entry for the pool and sleeps until there is one.
func (w *Pools) Next(l *pool) (e entry, more bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for {
		q := &l.queue
		if a := &w.any; a.Len > 0 && (q.Len == 0 || a.At(0).seq < q.At(0).seq) {
			q = a
		}
		switch {
		case q.Len > 0:
			return q.PopFront(), true
		case w.isIdle.Load():
			return entry{}, false
		}
		l.idle++
		l.wake.Wait()
	}
}

func (w *Pools) step(e entry) strategies.Result {
	switch {
	case !w.Turns:
		return w.Run(e.task)
	case w.Ctx.Err() != nil:
		return strategies.Result{Err: w.outcome(e)}
	}
	return e.task.Run(w.TaskCtx, e.task)
}

func (w *Pools) endStep(e entry, r strategies.Result) {
	if e.family != nil || r.More || len(r.Split) > 0 {
		var ended bool
		if e, r, ended = w.proceed(e, r); !ended {
			return
		}
	}
	if w.Home != nil {
		w.Home.post(e, r)
		return
	}
	w.report(e, r)
}

func (w *Pools) report(e entry, r strategies.Result) {
	w.release(e.pool)
	w.Leave()
	w.sink.Done(e.task, r)
}

func (w *Pools) release(room int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if first := w.space.freeRoom(room); first != nil && w.word.Load() >= 0 {
		w.accept(first.unlink(), first.to, room)
		first.admitted <- struct{}{}
	}
}

func (w *Pools) dropAll() {
	for {
		e, r, any := w.dropOne()
		switch {
		case !any:
			return
		case e.task == nil: // a sub-task of a task that has not ended
		case w.Home != nil:
			w.Home.post(e, r)
		default:
			w.Settle(e.task, r)
		}
	}
}

func (w *Pools) dropOne() (e entry, r strategies.Result, any bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	q := &w.any
	for i := 0; q.Len == 0; i++ {
		if i == len(w.pool) {
			return entry{}, strategies.Result{}, false
		}
		q = &w.pool[i].queue
	}
	e = q.PopFront()
	r = strategies.Result{Err: w.outcome(e)}
	if e.family != nil {
		var ended bool
		if e, r, ended = w.advance(e, r); !ended {
			e = entry{}
		}
	}
	return e, r, true
}

// The task counts as abandoned only if it never ran.
func (w *Pools) outcome(e entry) error {
	if e.started || e.family != nil {
		return w.EndedBy()
	}
	return w.GiveUp()
}

func (w *Pools) wakeAll() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i := range w.pool {
		w.pool[i].idle = 0
		w.pool[i].wake.Broadcast()
	}
	if w.Home != nil {
		w.Home.wakeUp()
	}
}
