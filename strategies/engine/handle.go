package engine

import (
	"slices"
	"sync"
	"sync/atomic"
	"weak"

	"github.com/poolbench/poolbench/strategies"
)

// adapter is the common engine of Executor and Gate.
type adapter struct {
	Lifecycle
	// one element per used slot of a pool. Nil for gates and pools with a queue
	slots chan struct{}
	// called before settling a task that has ended its goroutine. May be nil
	lost  func()
	yield func(*handle, strategies.Result) // gives the permit of a task that ran back; may be nil

	// Used if Drop is set, when tasks may lie in the library's queue: handles of all submitted tasks,
	// to settle the waiting ones when ctx ends.
	mu      sync.Mutex
	handles []weak.Pointer[handle] // weak: a task that the caller has dropped may go
}

// A handle is the adapter's state of a task. It is made at the first use on an instance, so a
// prebuilt task does not allocate. A list of queued tasks would allocate or add a contended lock.
type handle struct {
	of   *adapter
	task *strategies.Task
	run  func() // executes the task: what the library is given
	call func() // has the library call run, for `go`
	// passed to the library and neither started nor given up. Whoever sets it to false settles the
	// task
	waits  atomic.Bool
	permit any // what a gate gave
}

func (a *adapter) handle(t *strategies.Task) *handle {
	if e, is := t.Kept().Handle.(*handle); is && e.of == a {
		return e
	}
	e := &handle{of: a, task: t}
	e.run = func() { a.execute(e) }
	t.Kept().Handle = e
	if a.Drop != nil {
		a.remember(e)
	}
	return e
}

// remember adds e to the handles and removes dead ones before the array grows. Each handle is
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

// dropQueued settles all tasks in the library's queue, whose funcs become empty.
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
	if e.waits.CompareAndSwap(true, false) {
		a.Settle(e.task, strategies.Result{Err: a.GiveUp()})
	}
}

// execute runs the task of e in a goroutine of the library, protected from everything but Goexit.
func (a *adapter) execute(e *handle) {
	if !e.waits.CompareAndSwap(true, false) {
		return // given up meanwhile; the task may be anywhere
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
