package engine

import (
	"slices"
	"sync"
	"sync/atomic"
	"weak"

	"github.com/poolbench/poolbench/strategies"
)

type adapter struct {
	Lifecycle
	// one element per used slot; nil for gates and pools with a queue
	slots chan struct{}
	// called in a goroutine that a task has ended; may be nil
	lost  func()
	yield func(*handle, strategies.Result) // returns the permit of a task that has run; may be nil

	// all submitted tasks if Drop is set, because they may wait in the library's queue
	mu      sync.Mutex
	handles []weak.Pointer[handle] // weak, so tasks that the caller has dropped can be collected
}

// A handle is created when the task is first submitted to an instance. A list of queued tasks would
// allocate or add a contended lock.
type handle struct {
	owner *adapter
	task  *strategies.Task
	run   func() // executes the task; passed to the library
	call  func() // makes the library call run, for a go statement
	// whether the task has neither started nor been given up; the goroutine that sets it to false
	// settles the task
	pending atomic.Bool
	permit  any // permit from the gate
}

func (a *adapter) handle(t *strategies.Task) *handle {
	if e, is := t.Scratch().Handle.(*handle); is && e.owner == a {
		return e
	}
	e := &handle{owner: a, task: t}
	e.run = func() { a.execute(e) }
	t.Scratch().Handle = e
	if a.Drop != nil {
		a.remember(e)
	}
	return e
}

// Dead handles are removed before the array grows, so each handle is checked twice on average.
func (a *adapter) remember(e *handle) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if n := len(a.handles); n == cap(a.handles) {
		a.handles = slices.DeleteFunc(a.handles, func(p weak.Pointer[handle]) bool {
			return p.Value() == nil
		})
		if len(a.handles) > n/2 {
			a.handles = slices.Grow(a.handles, n+1)
		}
	}
	a.handles = append(a.handles, weak.Make(e))
}

// The library later calls the functions of these tasks, which then do nothing.
func (a *adapter) dropQueued() {
	a.mu.Lock()
	handles := slices.Clone(a.handles)
	a.mu.Unlock()
	for _, p := range handles {
		if e := p.Value(); e != nil {
			a.dropOne(e)
		}
	}
}

func (a *adapter) dropOne(e *handle) {
	if e.pending.CompareAndSwap(true, false) {
		a.Settle(e.task, strategies.Result{Err: a.GiveUp()})
	}
}

func (a *adapter) execute(e *handle) {
	if !e.pending.CompareAndSwap(true, false) {
		return // The task was given up, and the caller may already reuse it.
	}
	r, returned := strategies.Result{}, false
	defer func() {
		if !returned {
			r = Failure(recover())
			if r.Err == strategies.ErrGoexit && a.lost != nil {
				a.lost()
			}
		}
		if a.slots != nil {
			<-a.slots
		}
		if a.yield != nil {
			a.yield(e, r)
		}
		a.Settle(e.task, r)
	}()
	r = a.Run(e.task)
	returned = true
}
