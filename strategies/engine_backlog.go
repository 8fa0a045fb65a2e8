package strategies

import (
	"context"
	"sync"
	"time"
)

// A backlog is the engine of the strategies that decide themselves which of the accepted tasks
// starts next, and when: the discipline does, and the backlog does everything else.
//
// It is one mutex, held for a push or a pop and some arithmetic and never during a wait. A waiting
// task is a slot in the discipline's memory and no goroutine. Workers are goroutines that are
// started when there is a task and a slot for it, and end when there is none: under load a running
// worker takes its next task without a switch of goroutines, and an idle instance has none. They
// are started one at a time, each by the one before it, so that a burst wakes no more of them than
// are needed.
type backlog struct {
	lifecycle
	room chan struct{} // holds one element for each accepted task; nil: a strategy that sheds
	most int64         // accepted tasks, for one that sheds
	// when the instance was made: all instants here are counted from it, at half the price of
	// time.Now
	began time.Time
	work  func() // worker as a func made once, for the go statement

	mu      sync.Mutex
	queue   discipline
	slots   int     // most workers; a discipline may change it
	workers int     // at work or on their way
	handed  waiting // what the worker that is on its way will find; there is at most one
	pushed  uint64  // tasks so far

	timer *time.Timer
	alarm time.Duration // when the timer rings; 0: it does not
}

// A discipline chooses. All methods are called with the backlog's mutex held; now is the time since
// the instance was made.
type discipline interface {
	push(w waiting, now time.Duration)
	// pop takes the task that starts now; false if none waits, or none may start yet. It is called
	// when there is a slot.
	pop(now time.Duration) (waiting, bool)
	// ended is told of each task that pop gave out, when its slot is free again.
	ended(w waiting, e ending)
	// wake is called at the instant that was asked for with wakeAt, and returns tasks to be shed.
	wake(now time.Duration) []*Task
	// empty takes all tasks.
	empty() []*Task
}

// waiting is an accepted task that has not ended.
type waiting struct {
	task *Task
	came time.Duration // when it was accepted
	seq  uint64        // its number in the order of acceptance
	key  float64       // the discipline's own: what it is sorted by
	long bool          // the discipline's own: it counts against the cap
}

// ending is the end of a task's run.
type ending struct {
	began, ended time.Duration
	err          error
	workers      int  // tasks in flight, this one included
	own          bool // the task's own end: neither a panic nor one of the instance
}

// open makes b ready: a discipline, a number of slots, and room for capacity tasks, beyond which
// Submit sheds or blocks.
func (b *backlog) open(
	ctx context.Context, sink Sink, queue discipline, slots, capacity int, sheds bool,
) {
	b.queue, b.slots, b.began = queue, slots, time.Now()
	b.work, b.drop = b.worker, b.abandon
	if sheds {
		b.most = int64(capacity)
	} else {
		b.room = make(chan struct{}, capacity)
	}
	b.lifecycle.open(ctx, sink, nil)
}

// now is the time since the instance was made.
func (b *backlog) now() time.Duration { return time.Since(b.began) }

// Submit blocks or sheds when there is no room, and does not wait for a slot.
func (b *backlog) Submit(ctx context.Context, t *Task) error {
	var err error
	if b.room == nil {
		err = b.admit(ctx, b.most)
	} else {
		err = b.acquire(ctx, b.room)
	}
	if err != nil {
		return err
	}
	b.mu.Lock()
	now := b.now()
	b.queue.push(waiting{task: t, came: now, seq: b.pushed}, now)
	b.pushed++
	b.start(now)
	b.mu.Unlock()
	if b.ctx.Err() != nil {
		b.sweep()
	}
	return nil
}

// start starts a worker if there are a slot and a task for it and no other worker is on its way.
func (b *backlog) start(now time.Duration) {
	if b.handed.task != nil || b.workers >= b.slots {
		return
	}
	w, ok := b.queue.pop(now)
	if !ok {
		return
	}
	b.handed = w
	b.workers++
	b.alive.Add(1)
	go b.work()
}

// worker runs tasks as long as there are some and its slot is not taken away. One defer catches
// the panic or Goexit of whatever it was running; that ends it, and its slot goes to a successor.
func (b *backlog) worker() {
	var w waiting
	var began time.Duration
	inTask := false
	defer func() {
		if inTask { // else it is the sink that panics, which is not ours to hide
			r := failure(recover())
			b.mu.Lock()
			now := b.now()
			b.queue.ended(w, ending{began: began, ended: now, err: r.Err, workers: b.workers})
			b.workers--
			b.start(now)
			b.mu.Unlock()
			b.report(w.task, r)
		}
		b.alive.Done()
	}()

	b.mu.Lock()
	began = b.now()
	w, b.handed = b.handed, waiting{}
	b.start(began)
	b.mu.Unlock()
	for more := true; more; {
		inTask = true
		r := b.run(w.task)
		inTask = false
		done := w.task
		own := b.ctx.Err() == nil

		b.mu.Lock()
		now := b.now()
		b.queue.ended(w, ending{began, now, r.Err, b.workers, own})
		if more = b.workers <= b.slots; more {
			w, more = b.queue.pop(now)
		}
		began = now
		if !more {
			w = waiting{}
			b.workers--
		}
		b.start(now)
		b.mu.Unlock()
		b.report(done, r)
	}
}

// report counts out a task that a goroutine of ours held, and then tells the sink, so that a client
// which submits on Done finds room. Drain cannot overtake that Done, because it waits for the
// goroutine too.
func (b *backlog) report(t *Task, r Result) {
	if b.room != nil {
		<-b.room
	}
	b.leave()
	b.sink.Done(t, r)
}

// abandon settles what waits without running it.
func (b *backlog) abandon() {
	b.mu.Lock()
	tasks := b.queue.empty()
	b.silence()
	b.mu.Unlock()
	for _, t := range tasks {
		if b.room != nil {
			<-b.room
		}
		b.settle(t, Result{Err: b.giveUp()})
	}
}

// wakeAt has the discipline woken at that instant, or before if that has been asked for already.
func (b *backlog) wakeAt(at, now time.Duration) {
	switch {
	case b.alarm == 0:
		b.alive.Add(1)
	case b.alarm <= at || !b.timer.Stop(): // if it is ringing, the discipline is about to ask again
		return
	}
	b.alarm = at
	if b.timer == nil {
		b.timer = time.AfterFunc(at-now, b.ring)
	} else {
		b.timer.Reset(at - now)
	}
}

// silence calls off the alarm.
func (b *backlog) silence() {
	if b.alarm != 0 && b.timer.Stop() {
		b.alarm = 0
		b.alive.Done()
	}
}

// ring is called by the timer.
func (b *backlog) ring() {
	defer b.alive.Done()
	b.mu.Lock()
	b.alarm = 0
	now := b.now()
	late := b.queue.wake(now)
	b.start(now)
	b.mu.Unlock()
	for _, t := range late {
		b.report(t, Result{Err: ErrShed})
	}
}
