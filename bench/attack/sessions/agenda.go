package sessions

import (
	"container/heap"
	"sync"
)

// An Agenda is the queue of later steps of sessions, ordered by due time. Add is safe for
// concurrent use; only one goroutine takes steps.
type Agenda[T any] struct {
	// Called has a buffer of one. It wakes the goroutine that takes steps when the agenda changes.
	Called chan struct{}
	call   func() // called in addition; nil: none
	mu     sync.Mutex
	items  items[T]
	added  uint64
	live   int
}

// NewAgenda returns an empty Agenda. call interrupts the wait of the taking goroutine.
func NewAgenda[T any](call func()) *Agenda[T] {
	return &Agenda[T]{Called: make(chan struct{}, 1), call: call}
}

// Begin counts a new session.
func (a *Agenda[T]) Begin() {
	a.mu.Lock()
	a.live++
	a.mu.Unlock()
}

// End counts the end of a session.
func (a *Agenda[T]) End() {
	a.mu.Lock()
	a.live--
	over := a.live == 0
	a.mu.Unlock()
	if over {
		a.notify()
	}
}

// Add adds a step, with due in ns.
func (a *Agenda[T]) Add(due int64, what T) {
	a.mu.Lock()
	a.added++
	heap.Push(&a.items, item[T]{due, a.added, what})
	first := a.items[0].added == a.added
	a.mu.Unlock()
	if first {
		a.notify()
	}
}

func (a *Agenda[T]) notify() {
	select {
	case a.Called <- struct{}{}:
	default:
	}
	if a.call != nil {
		a.call()
	}
}

// Look returns the earliest step, if any, and the number of running sessions. It calls answer to
// acknowledge earlier calls.
func (a *Agenda[T]) Look(answer func()) (what T, due int64, ok bool, live int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	select {
	case <-a.Called:
	default:
	}
	answer()
	if len(a.items) > 0 {
		what, due, ok = a.items[0].what, a.items[0].due, true
	}
	return what, due, ok, a.live
}

// Pop removes the earliest step. There must be one.
func (a *Agenda[T]) Pop() T {
	a.mu.Lock()
	defer a.mu.Unlock()
	return heap.Pop(&a.items).(item[T]).what
}

type item[T any] struct {
	due   int64
	added uint64 // breaks ties of due
	what  T
}

type items[T any] []item[T]

func (h items[T]) Len() int { return len(h) }
func (h items[T]) Less(i, j int) bool {
	return h[i].due < h[j].due || h[i].due == h[j].due && h[i].added < h[j].added
}
func (h items[T]) Swap(i, j int) { h[i], h[j] = h[j], h[i] }

func (h *items[T]) Push(x any) { *h = append(*h, x.(item[T])) }

func (h *items[T]) Pop() any {
	last := len(*h) - 1
	x := (*h)[last]
	(*h)[last] = item[T]{}
	*h = (*h)[:last]
	return x
}
