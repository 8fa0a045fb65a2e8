package strategies

import (
	"context"
	"sync"
)

// pools are one or several pools of long-lived workers, each with a queue and room of its own: the
// engine of segregated and cpu_io_split, and with a single pool of the event loops and the
// partitioned pools.
//
// One mutex guards it all. Admission and the queue are one step under it, so that the order in
// which tasks are accepted is the order in which they wait, also among blocked Submits; that is
// what the channels of workers cannot say once a task comes back to the queue, which must find room
// there whoever waits for it. The mutex is taken three times a task (accept, take, release), for
// some ten nanoseconds each; nobody waits for anything else while holding it.
type pools struct {
	lifecycle
	poolOf func(Class) int // index in pool, or anyPool; nil: there is only one
	// a task runs one step at a time and goes back to the queue: see engine_turns.go
	turns bool
	// it goes to the front of the queue, with all its sub-tasks at once; otherwise to the tail, one
	// by one
	front bool
	home  *loop // where tasks are reported; nil: by whoever ran them

	mu   sync.Mutex
	pool []pool
	// queue and line of the tasks that may take a slot of any pool; it has no workers
	any pool
	seq uint64 // entries and blocked Submits so far
}

// anyPool is where a task goes whose class has no pool: to the first free slot of all.
const anyPool = -1

// A pool is a pool: workers that take from one queue.
type pool struct {
	queue  entries // accepted, and waiting for a slot
	line   line    // Submits that wait for room
	room   int     // most tasks accepted and not done
	inside int     // tasks accepted and not done
	idle   int     // workers asleep and not called
	wake   sync.Cond
}

// An entry is a task in a queue, or on its way through a worker.
type entry struct {
	task    *Task
	of      *family // of which it is a sub-task; nil: it was submitted
	seq     uint64  // the lower came first
	pool    int     // whose room it takes
	started bool    // it has run a step
}

// start makes w ready with one pool for each number of slots, and room for queue waiting tasks in
// each.
func (w *pools) start(ctx context.Context, sink Sink, queue int, slots ...int) *pools {
	w.pool = make([]pool, len(slots))
	for i := range w.pool {
		l := &w.pool[i]
		l.room, l.wake.L = slots[i]+queue, &w.mu
	}
	w.drop, w.atEnd = w.dropAll, w.wakeAll
	w.open(ctx, sink, nil)
	if w.home != nil {
		w.home.start(w)
	}
	for i := range w.pool {
		w.alive.Add(slots[i])
		for range slots[i] {
			go w.work(&w.pool[i])
		}
	}
	return w
}

// Submit blocks while there is no room in the task's pool.
func (w *pools) Submit(ctx context.Context, t *Task) error {
	if err := w.enter(ctx); err != nil {
		return err
	}
	to := 0
	if w.poolOf != nil {
		to = w.poolOf(t.Class)
	}
	w.mu.Lock()
	switch room := w.roomFor(to); {
	case w.ctx.Err() != nil:
		w.mu.Unlock()
		w.leave()
		return ErrClosed
	case room >= 0:
		w.accept(t, to, room)
		w.mu.Unlock()
		return nil
	}
	b := w.block(t, to)
	w.mu.Unlock()
	return w.wait(ctx, b)
}

// roomFor returns the pool whose room a task takes that goes there, or -1 if there is none. One
// that may go anywhere takes it where there is most, so that it is in nobody's way as long as
// possible. Whenever a pool has room nobody waits for it.
func (w *pools) roomFor(to int) int {
	if to != anyPool {
		if l := &w.pool[to]; l.inside < l.room {
			return to
		}
		return -1
	}
	best, most := -1, 0
	for i := range w.pool {
		if room := w.pool[i].room - w.pool[i].inside; room > 0 && room >= most {
			best, most = i, room
		}
	}
	return best
}

// accept puts a task into the queue for the pool it goes to, in the room of another if it may go to
// any.
func (w *pools) accept(t *Task, to, room int) {
	w.pool[room].inside++
	w.seq++
	e := entry{task: t, seq: w.seq, pool: room}
	if to == anyPool {
		w.any.queue.pushBack(e)
	} else {
		w.pool[to].queue.pushBack(e)
	}
	w.call(to)
}

// call wakes a sleeping worker of the pool. For a task that may go anywhere that is one of the last
// pool that has any: the slower one, so that the others stay free for theirs.
func (w *pools) call(to int) {
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

// work runs tasks until the instance is idle. A panic leaves the goroutine as it is; after a Goexit
// another goes on.
func (w *pools) work(l *pool) {
	for w.serve(l) {
	}
	w.alive.Done()
}

// serve runs tasks until one panics (true) or there are no more to come. One defer serves them all.
func (w *pools) serve(l *pool) (again bool) {
	var running entry
	defer func() {
		if running.task == nil {
			return // or it is the sink that panics, which is not ours to hide
		}
		v := recover()
		w.over(running, failure(v))
		if again = true; v == nil {
			go w.work(l)
		}
	}()
	for {
		e, more := w.next(l)
		if !more {
			return false
		}
		running = e
		r := w.step(e)
		running = entry{}
		w.over(e, r)
	}
}

// next takes out the oldest entry that a worker of the pool may run, and sleeps until there is one.
// An entry for a pool calls one of its sleeping workers, and whoever is awake looks before he
// sleeps: so no entry is overlooked.
func (w *pools) next(l *pool) (e entry, more bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for {
		q := &l.queue
		if a := &w.any.queue; a.n > 0 && (q.n == 0 || a.at(0).seq < q.at(0).seq) {
			q = a
		}
		switch {
		case q.n > 0:
			return q.popFront(), true
		case w.isIdle.Load():
			return entry{}, false
		}
		l.idle++
		l.wake.Wait()
	}
}

// step runs the entry's task, to its end unless tasks take turns. A panic and Goexit pass through.
func (w *pools) step(e entry) Result {
	switch {
	case !w.turns:
		return w.run(e.task)
	case w.ctx.Err() != nil:
		return Result{Err: w.outcome(e)}
	}
	return e.task.Run(w.taskCtx, e.task)
}

// over is what follows a step: the task's end, unless it has asked for more or is a part of
// another.
func (w *pools) over(e entry, r Result) {
	if e.of != nil || r.More || len(r.Split) > 0 {
		var ended bool
		if e, r, ended = w.proceed(e, r); !ended {
			return
		}
	}
	if w.home != nil {
		w.home.post(e, r)
		return
	}
	w.report(e, r)
}

// report gives back the task's room and settles it. It is called by goroutines of the strategy, for
// which Drain waits, so that it cannot overtake the Done; and a client that submits on Done finds
// room.
func (w *pools) report(e entry, r Result) {
	w.release(e.pool)
	w.leave()
	w.sink.Done(e.task, r)
}

// release gives back room in a pool, and lets the Submit in that has waited for it longest.
func (w *pools) release(room int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	l := &w.pool[room]
	l.inside--
	first := l.line.first
	if a := w.any.line.first; a != nil && (first == nil || a.seq < first.seq) {
		first = a
	}
	if first != nil && w.word.Load() >= 0 {
		w.let(first, room)
	}
}
