package engine

import (
	"slices"
	"sync"
	"sync/atomic"
	"weak"

	"github.com/poolbench/poolbench/strategies"
)

// adapter is what strategies on somebody else's pool or gate have in common: the engine of Executor
// and Gate.
type adapter struct {
	Lifecycle
	// holds one element for each slot of a pool that is taken; nil: it has a queue, or is a gate
	slots chan struct{}
	// called where a task has ended its goroutine, before it is settled; nil: nothing to do
	lost  func()
	yield func(*handle, strategies.Result) // gives the permit of a task that ran back; may be nil

	// Drop is set where a task may lie in a queue of the library, out of our reach. Then the
	// handles of all tasks that were ever submitted are known, to settle those that wait when ctx
	// ends.
	mu      sync.Mutex
	handles []weak.Pointer[handle] // weak: a task that the caller has dropped may go
}

// A handle is what an adapter keeps with a task. It is made at the task's first use on an instance,
// so that a prebuilt task costs no allocation: a list of what is queued would either allocate or be
// one more lock that all tasks go through.
type handle struct {
	of   *adapter
	task *strategies.Task
	run  func() // executes the task: what the library is given
	call func() // has the library call run, for `go`
	// in the library's hands, and neither started nor given up; changed to false by the one who may
	// settle it
	waits  atomic.Bool
	permit any // what a gate gave
}

// handle returns that of t.
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

// remember adds e to the handles. Before they outgrow their array, those whose tasks are gone are
// taken out; since the array is doubled unless that halves it, a handle is looked at twice in its
// life, on average.
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

// dropQueued settles all that waits in the library's queue. The library will find nothing to do in
// them.
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

// dropOne settles the task of e unless it has been started.
func (a *adapter) dropOne(e *handle) {
	if e.waits.CompareAndSwap(true, false) {
		a.Settle(e.task, strategies.Result{Err: a.GiveUp()})
	}
}

// execute runs the task of e in a goroutine of the library. Nothing of what a task may do reaches
// that goroutine, except Goexit, which nobody can hold up.
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
