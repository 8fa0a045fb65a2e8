package engine

import (
	"context"
	"sync"
	"time"

	"github.com/poolbench/poolbench/strategies"
)

// A Backlog is the engine of strategies with their own queue discipline. Each worker starts the
// next one, so a burst starts only as many as it needs.
type Backlog struct {
	Lifecycle
	room chan struct{} // one element per accepted task; nil for a strategy that sheds
	most int64         // maximum number of accepted tasks, for a strategy that sheds
	// time.Since(Began) costs half of time.Now
	Began time.Time
	work  func() // the worker method as a func value, allocated once

	Mutex   sync.Mutex
	queue   Discipline
	slots   int     // maximum number of workers; a discipline may change it
	workers int     // running or starting workers
	handed  Waiting // task for the worker that is starting; at most one worker starts at a time
	pushed  uint64  // number of tasks accepted so far

	timer *time.Timer
	alarm time.Duration // when the timer fires; 0 means that it is stopped
}

// A Discipline chooses the next task. The caller holds the Backlog's mutex. now is the time since
// Began.
type Discipline interface {
	Push(w Waiting, now time.Duration)
	// Pop returns the task for a free slot, or false.
	Pop(now time.Duration) (Waiting, bool)
	// Ended is called after the slot is free.
	Ended(w Waiting, e TaskEnd)
	// Wake is called at the instant of WakeAt. It returns the tasks to shed.
	Wake(now time.Duration) []*strategies.Task
	Empty() []*strategies.Task
}

// Waiting is an accepted task that has not ended.
type Waiting struct {
	Task *strategies.Task
	Came time.Duration // time of acceptance
	Seq  uint64        // sequence number in order of acceptance
	Key  int64         // sort key of the discipline
	Long bool          // for use by the discipline: whether the task counts against its cap
}

// TaskEnd is the end of a task's run.
type TaskEnd struct {
	Began, Ended time.Duration
	Err          error
	Workers      int // tasks in flight, including this one
	// whether the task returned by itself: no panic, and the instance had not ended
	own bool
}

// Open opens b with room for capacity tasks.
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

func (b *Backlog) now() time.Duration { return time.Since(b.Began) }

// Submit does not wait for a slot.
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

// Start starts a worker, unless another one is starting. The caller holds Mutex, also for Slots and
// SetSlots.
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

// Slots returns the number of slots.
func (b *Backlog) Slots() int { return b.slots }

// SetSlots sets the number of slots. Running tasks continue.
func (b *Backlog) SetSlots(n int, now time.Duration) {
	b.slots = n
	b.Start(now)
}

func (b *Backlog) worker() {
	var w Waiting
	var began time.Duration
	inTask := false
	defer func() {
		if inTask { // outside a task the sink has panicked, which must not be recovered
			r := Failure(recover())
			b.Mutex.Lock()
			now := b.now()
			b.queue.Ended(w, TaskEnd{Began: began, Ended: now, Err: r.Err, Workers: b.workers})
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
		b.queue.Ended(w, TaskEnd{began, now, r.Err, b.workers, own})
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

func (b *Backlog) report(t *strategies.Task, r strategies.Result) {
	if b.room != nil {
		<-b.room
	}
	b.Leave()
	b.sink.Done(t, r)
}

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

// WakeAt schedules a call of Wake, unless an earlier call is scheduled.
func (b *Backlog) WakeAt(at, now time.Duration) {
	switch {
	case b.alarm == 0:
		b.Alive.Add(1)
	case b.alarm <= at || !b.timer.Stop(): // a firing timer calls Wake in any case
		return
	}
	b.alarm = at
	if b.timer == nil {
		b.timer = time.AfterFunc(at-now, b.ring)
	} else {
		b.timer.Reset(at - now)
	}
}

// Silence cancels the scheduled call of Wake.
func (b *Backlog) Silence() {
	if b.alarm != 0 && b.timer.Stop() {
		b.alarm = 0
		b.Alive.Done()
	}
}

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
