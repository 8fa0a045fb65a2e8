package engine

import (
	"context"
	"sync"
	"time"

	"github.com/poolbench/poolbench/strategies"
)

// A Backlog is the engine of strategies with a queue discipline of their own: the Discipline
// decides which accepted task starts next, and when, and the backlog does everything else.
//
// It has one mutex, held for a push or a pop and some arithmetic, never during a wait. A waiting
// task takes memory in the discipline, but no goroutine. Workers are goroutines that are started
// when there is a task and a slot for it, and end when there is none: under load a running worker
// takes its next task without a switch of goroutines, and an idle instance has none. They are
// started one at a time, each by the one before it, so that a burst wakes no more of them than are
// needed.
type Backlog struct {
	Lifecycle
	room chan struct{} // holds one element for each accepted task; nil: a strategy that sheds
	most int64         // accepted tasks, for one that sheds
	// when the instance was made: all instants count from it, which costs half of time.Now
	Began time.Time
	work  func() // worker as a func made once, for the go statement

	Mutex   sync.Mutex
	queue   Discipline
	slots   int     // most workers; a discipline may change it
	workers int     // at work or on their way
	handed  Waiting // what the worker that is on its way will find; there is at most one
	pushed  uint64  // tasks so far

	timer *time.Timer
	alarm time.Duration // when the timer rings; 0: it does not
}

// A Discipline chooses the task that starts next. All methods are called with the backlog's mutex
// held; now is the time since the instance was made.
type Discipline interface {
	Push(w Waiting, now time.Duration)
	// Pop takes the task that starts now; false if none waits, or none may start yet. It is called
	// when there is a slot.
	Pop(now time.Duration) (Waiting, bool)
	// Ended is called for each task that Pop returned, when its slot is free again.
	Ended(w Waiting, e Ending)
	// Wake is called at the instant given to WakeAt, and returns tasks to shed.
	Wake(now time.Duration) []*strategies.Task
	// Empty takes all tasks.
	Empty() []*strategies.Task
}

// Waiting is an accepted task that has not ended.
type Waiting struct {
	Task *strategies.Task
	Came time.Duration // when it was accepted
	Seq  uint64        // its number in the order of acceptance
	Key  int64         // the discipline's own: its sort key
	Long bool          // the discipline's own: it counts against the cap
}

// Ending is the end of a task's run.
type Ending struct {
	Began, Ended time.Duration
	Err          error
	Workers      int  // tasks in flight, this one included
	own          bool // the task's own end: neither a panic nor one of the instance
}

// Open makes b ready: a discipline, a number of slots, and room for capacity tasks, beyond which
// Submit sheds or blocks.
func (b *Backlog) Open(
	ctx context.Context, sink strategies.Sink, queue Discipline, slots, capacity int, sheds bool,
) {
	b.queue, b.slots, b.Began = queue, slots, time.Now()
	b.work, b.Drop = b.worker, b.abandon
	if sheds {
		b.most = int64(capacity)
	} else {
		b.room = make(chan struct{}, capacity)
	}
	b.Lifecycle.Open(ctx, sink, nil)
}

// now is the time since the instance was made.
func (b *Backlog) now() time.Duration { return time.Since(b.Began) }

// Submit blocks or sheds when there is no room, and does not wait for a slot.
func (b *Backlog) Submit(ctx context.Context, t *strategies.Task) error {
	var err error
	if b.room == nil {
		err = b.Admit(ctx, b.most)
	} else {
		err = b.Acquire(ctx, b.room)
	}
	if err != nil {
		return err
	}
	b.Mutex.Lock()
	now := b.now()
	b.queue.Push(Waiting{Task: t, Came: now, Seq: b.pushed}, now)
	b.pushed++
	b.Start(now)
	b.Mutex.Unlock()
	if b.Ctx.Err() != nil {
		b.Sweep()
	}
	return nil
}

// Start starts a worker if there is a slot and a task for it and no other worker is starting.
func (b *Backlog) Start(now time.Duration) {
	if b.handed.Task != nil || b.workers >= b.slots {
		return
	}
	w, ok := b.queue.Pop(now)
	if !ok {
		return
	}
	b.handed = w
	b.workers++
	b.Alive.Add(1)
	go b.work()
}

// Slots returns the number of slots; the caller holds Mutex.
func (b *Backlog) Slots() int { return b.slots }

// SetSlots changes the number of slots to n; the caller holds Mutex. Running tasks continue.
func (b *Backlog) SetSlots(n int, now time.Duration) {
	b.slots = n
	b.Start(now)
}

// worker runs tasks as long as there are some and its slot is not taken away. One defer catches
// the panic or Goexit of whatever it was running; that ends it, and its slot goes to a successor.
func (b *Backlog) worker() {
	var w Waiting
	var began time.Duration
	inTask := false
	defer func() {
		if inTask { // else it is the sink that panics, which is not ours to hide
			r := Failure(recover())
			b.Mutex.Lock()
			now := b.now()
			b.queue.Ended(w, Ending{Began: began, Ended: now, Err: r.Err, Workers: b.workers})
			b.workers--
			b.Start(now)
			b.Mutex.Unlock()
			b.report(w.Task, r)
		}
		b.Alive.Done()
	}()

	b.Mutex.Lock()
	began = b.now()
	w, b.handed = b.handed, Waiting{}
	b.Start(began)
	b.Mutex.Unlock()
	for more := true; more; {
		inTask = true
		r := b.Run(w.Task)
		inTask = false
		done := w.Task
		own := b.Ctx.Err() == nil

		b.Mutex.Lock()
		now := b.now()
		b.queue.Ended(w, Ending{began, now, r.Err, b.workers, own})
		if more = b.workers <= b.slots; more {
			w, more = b.queue.Pop(now)
		}
		began = now
		if !more {
			w = Waiting{}
			b.workers--
		}
		b.Start(now)
		b.Mutex.Unlock()
		b.report(done, r)
	}
}

// report counts out a task that a goroutine of ours held, and then tells the sink, so that a client
// which submits on Done finds room. Drain cannot overtake that Done, because it waits for the
// goroutine too.
func (b *Backlog) report(t *strategies.Task, r strategies.Result) {
	if b.room != nil {
		<-b.room
	}
	b.Leave()
	b.sink.Done(t, r)
}

// abandon settles what waits without running it.
func (b *Backlog) abandon() {
	b.Mutex.Lock()
	tasks := b.queue.Empty()
	b.Silence()
	b.Mutex.Unlock()
	for _, t := range tasks {
		if b.room != nil {
			<-b.room
		}
		b.Settle(t, strategies.Result{Err: b.GiveUp()})
	}
}

// WakeAt schedules a call of the discipline's Wake at that instant, unless an earlier one is
// scheduled.
func (b *Backlog) WakeAt(at, now time.Duration) {
	switch {
	case b.alarm == 0:
		b.Alive.Add(1)
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

// Silence cancels the wake-up that WakeAt asked for.
func (b *Backlog) Silence() {
	if b.alarm != 0 && b.timer.Stop() {
		b.alarm = 0
		b.Alive.Done()
	}
}

// ring is called by the timer.
func (b *Backlog) ring() {
	defer b.Alive.Done()
	b.Mutex.Lock()
	b.alarm = 0
	now := b.now()
	late := b.queue.Wake(now)
	b.Start(now)
	b.Mutex.Unlock()
	for _, t := range late {
		b.report(t, strategies.Result{Err: strategies.ErrShed})
	}
}
