package sessions

import (
	"container/heap"
	"sync"
)

// An Agenda has the steps of sessions that are due later, the earliest first. Many goroutines add
// to it, one takes from it.
type Agenda[T any] struct {
	// Called, of room for one, has something when the agenda has changed for the one that takes
	Called chan struct{}
	call   func() // beside; nil: nothing
	mu     sync.Mutex
	items  items[T]
	added  uint64
	live   int
}

// NewAgenda is empty. call ends a wait of the one that takes; nil: it waits for Called alone.
func NewAgenda[T any](call func()) *Agenda[T] {
	return &Agenda[T]{Called: make(chan struct{}, 1), call: call}
}

// Begin counts a session that is under way, and End one that is over.
func (a *Agenda[T]) Begin() {
	a.mu.Lock()
	a.live++
	a.mu.Unlock()
}

// End is that of a session.
func (a *Agenda[T]) End() {
	a.mu.Lock()
	a.live--
	over := a.live == 0
	a.mu.Unlock()
	if over {
		a.tell()
	}
}

// Add adds a step that is due then, in ns.
func (a *Agenda[T]) Add(due int64, what T) {
	a.mu.Lock()
	a.added++
	heap.Push(&a.items, item[T]{due, a.added, what})
	first := a.items[0].added == a.added
	a.mu.Unlock()
	if first {
		a.tell()
	}
}

func (a *Agenda[T]) tell() {
	select {
	case a.Called <- struct{}{}:
	default:
	}
	if a.call != nil {
		a.call()
	}
}

// Look returns the earliest step, if there is one, and how many sessions are under way. Whatever
// comes after it is called for: answer takes notice of the calls before.
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

// Take takes the earliest step out, of which there has to be one.
func (a *Agenda[T]) Take() T {
	a.mu.Lock()
	defer a.mu.Unlock()
	return heap.Pop(&a.items).(item[T]).what
}

type item[T any] struct {
	due   int64
	added uint64 // for those that are due together
	what  T
}

type items[T any] []item[T]

func (h items[T]) Len() int { return len(h) }
func (h items[T]) Less(i, j int) bool {
	return h[i].due < h[j].due || h[i].due == h[j].due && h[i].added < h[j].added
}
func (h items[T]) Swap(i, j int) { h[i], h[j] = h[j], h[i] }

// Push and Pop are for package heap, at the end.
func (h *items[T]) Push(x any) { *h = append(*h, x.(item[T])) }

// Pop takes the last one out.
func (h *items[T]) Pop() any {
	last := len(*h) - 1
	x := (*h)[last]
	(*h)[last] = item[T]{}
	*h = (*h)[:last]
	return x
}
