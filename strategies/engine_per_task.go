package strategies

import "context"

// perTask runs each task in a goroutine of its own: the engine of unbounded, semaphore and their
// kin, and of libraries that take a func.
type perTask struct {
	lifecycle
	// holds one element for each slot of the limit that is taken; nil: no limit
	slots   chan struct{}
	release func(*Task) // gives back what else the task has taken; nil: nothing
	tells   bool        // errThunk's func returns the task's own error
}

// A thunk is a task as the funcs that `go` and libraries want. It is made at the task's first use
// on an instance and kept with the task, so that a prebuilt task costs no closure: `go
// s.execute(t)` would allocate one each time.
type thunk struct {
	of  *perTask // whose execute the funcs call; a task that goes to another instance gets new ones
	run func()
	try func() error
}

// thunk returns the func that executes t.
func (s *perTask) thunk(t *Task) func() {
	if t.thunk.of != s || t.thunk.run == nil {
		t.thunk = thunk{of: s, run: func() { s.execute(t) }}
	}
	return t.thunk.run
}

// errThunk returns the func that executes t, in the shape that errgroup takes. Its error is nil
// unless s.tells: a task's own error is the sink's business, and would be kept by the group as its
// first.
func (s *perTask) errThunk(t *Task) func() error {
	if t.thunk.of != s || t.thunk.try == nil {
		t.thunk = thunk{of: s, try: func() error {
			if err := s.execute(t); s.tells {
				return err
			}
			return nil
		}}
	}
	return t.thunk.try
}

// acquire counts a Submit in and waits for a slot.
func (s *perTask) acquire(ctx context.Context) error { return s.lifecycle.acquire(ctx, s.slots) }

// execute is the life of a goroutine that runs one task. Whatever the task does, its slot is given
// back and it is settled, in this order: a client that submits on Done finds room. What it returns
// is the error of a task that returned.
func (s *perTask) execute(t *Task) (err error) {
	r, returned := Result{}, false
	defer func() {
		if !returned {
			r = failure(recover())
		}
		if s.slots != nil {
			<-s.slots
		}
		if s.release != nil {
			s.release(t)
		}
		s.settle(t, r)
	}()
	r = s.run(t)
	returned = true
	return r.Err
}
