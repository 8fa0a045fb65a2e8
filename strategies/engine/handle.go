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
	// called before a task that has ended its goroutine is settled; may be nil
	lost  func()
	yield func(*handle, strategies.Result) // returns the permit of a task that has run; may be nil

	// handles contains all submitted tasks if Drop is set, because their functions may wait in the
	// library's queue. The end of ctx settles those that wait.
	mu      sync.Mutex
	handles []weak.Pointer[handle] // weak, so tasks that the caller has dropped can be collected
}

// handle is the state of a task. It is created when the task is first submitted to an instance, so
// a prebuilt task does not allocate. A list of queued tasks would allocate or add a contended lock.
type handle struct {
	owner *adapter
	task  *strategies.Task
	run   func() // executes the task; passed to the library
	call  func() // makes the library call run, for a go statement
	// whether the task is with the library and neither started nor given up; the goroutine that
	// sets it to false settles the task
	pending atomic.Bool
	permit  any // permit from the gate
}

func (a *adapter) handle(t *strategies.Task) *handle {
	if e, is := t.Kept().Handle.(*handle); is && e.owner == a {
		return e
	}
	e := &handle{owner: a, task: t}
	e.run = func() { a.execute(e) }
	t.Kept().Handle = e
	if a.Drop != nil {
		a.remember(e)
	}
	return e
}

// remember adds e to the handles. It removes dead handles before the array grows, so each handle is
// checked twice on average.
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

// dropQueued settles all tasks in the library's queue. The library still calls their functions,
// which then do nothing.
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

// execute runs the task of e in a goroutine of the library. It recovers panics.
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
