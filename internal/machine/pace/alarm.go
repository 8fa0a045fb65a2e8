package pace

import (
	"container/heap"
	"context"
	"runtime"
	"sync"
	"time"
)

// An Alarm wakes sleeping goroutines at their times. It is safe for concurrent use. One goroutine,
// the keeper, waits for all, because one thread per sleeper would be hundreds of threads.
type Alarm struct {
	nap
	idle sync.Pool // of *sleeper
	more chan struct{}
	done chan struct{}

	mu      sync.Mutex
	waiting queue
	resting bool // whether the keeper waits without a time, because there is no sleeper
	closed  bool
}

type sleeper struct {
	at    int64
	place int           // index in the queue, or -1
	ring  chan struct{} // its buffer has room for one element
}

func NewAlarm() *Alarm {
	base := time.Now()
	return newAlarm(base, newTimer(base), leadLimit())
}

func newAlarm(base time.Time, t timer, limit int64) *Alarm {
	a := &Alarm{nap: newNap(base, t, limit), more: make(chan struct{}), done: make(chan struct{})}
	go a.loop()
	return a
}

func (a *Alarm) loop() {
	defer close(a.done)
	for {
		next, open := a.ring()
		switch {
		case !open:
			return
		case next == nobody:
			<-a.more
		default:
			a.setNext(next)
			// lets the woken goroutine run here at once, instead of on another thread
			runtime.Gosched()
			a.until(next)
		}
	}
}

const nobody = -1

func (a *Alarm) ring() (next int64, open bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.answer()
	for now := a.now(); len(a.waiting) > 0 && (a.waiting[0].at <= now || a.closed); {
		heap.Pop(&a.waiting).(*sleeper).ring <- struct{}{}
	}
	if a.resting = len(a.waiting) == 0 && !a.closed; a.resting || a.closed {
		return nobody, !a.closed
	}
	return a.waiting[0].at, true
}

// Sleep waits for d, or until ctx ends, and then returns the error of ctx. It never returns nil
// before d is over. It does not allocate. If the alarm is closed, timers of the runtime complete
// the wait.
func (a *Alarm) Sleep(ctx context.Context, d time.Duration) error {
	if err := ctx.Err(); err != nil || d <= 0 {
		return err
	}
	s, used := a.idle.Get().(*sleeper)
	if !used {
		s = &sleeper{ring: make(chan struct{}, 1)}
	}
	defer a.idle.Put(s)
	s.at = a.now() + int64(d)
	if a.enqueue(s) {
		select {
		case <-s.ring:
		case <-ctx.Done():
			a.leave(s)
			return ctx.Err()
		}
	}
	if left := s.at - a.now(); left > 0 {
		return Sleep(ctx, time.Duration(left))
	}
	return nil
}

func (a *Alarm) enqueue(s *sleeper) bool {
	a.mu.Lock()
	if a.closed {
		a.mu.Unlock()
		return false
	}
	heap.Push(&a.waiting, s)
	a.unlockAndWake(s.place == 0)
	return true
}

// It wakes the keeper if the keeper is idle, or if earlier is set and it waits for a later time.
func (a *Alarm) unlockAndWake(earlier bool) {
	resting := a.resting
	a.resting = false
	a.mu.Unlock()
	switch {
	case resting:
		a.more <- struct{}{}
	case earlier:
		a.call()
	}
}

func (a *Alarm) leave(s *sleeper) {
	a.mu.Lock()
	waits := s.place >= 0
	if waits {
		heap.Remove(&a.waiting, s.place)
	}
	a.mu.Unlock()
	if !waits {
		<-s.ring
	}
}

func (a *Alarm) Close() {
	a.mu.Lock()
	a.closed = true
	a.unlockAndWake(true)
	<-a.done
	a.timer.close()
}

// Sleep waits for d with a timer of the runtime, or until ctx ends, and then returns the error of
// ctx. It creates no timer if d is over, because a receiver from a timer that is due runs it. Under
// the virtual clock two such receivers at once crash the race detector (Go 1.26).
func Sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Each sleeper has its index, so it can be removed when its context ends.
type queue []*sleeper

func (q queue) Len() int           { return len(q) }
func (q queue) Less(i, j int) bool { return q[i].at < q[j].at }

func (q queue) Swap(i, j int) {
	q[i], q[j] = q[j], q[i]
	q[i].place, q[j].place = i, j
}

func (q *queue) Push(s any) {
	s.(*sleeper).place = len(*q)
	*q = append(*q, s.(*sleeper))
}

func (q *queue) Pop() any {
	last := len(*q) - 1
	s := (*q)[last]
	(*q)[last], s.place = nil, -1
	*q = (*q)[:last]
	return s
}
