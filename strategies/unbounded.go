package strategies

import "context"

// unbounded starts a goroutine for each task at once and counts them: what a `go` statement in a
// loop with a WaitGroup does.
//
// Use it when the tasks are few, or bound themselves. It costs a goroutine per task, running or not
// (about 2.6 kB), and hands the whole burst to whatever the tasks call: the first of the common
// mistakes that the other strategies exist to avoid.
type unbounded struct{ perTask }

var _ = register(Spec{
	Name:    "unbounded",
	Summary: "a goroutine for each task, at once",
	UseIf:   "the tasks are few, or something else bounds them",
	Source:  "the go statement with a sync.WaitGroup",
	OnPanic: "contained; the task's goroutine ends",

	WorkConserving: true,

	New: func(ctx context.Context, _ Params, sink Sink) Strategy {
		s := new(unbounded)
		s.open(ctx, sink, nil)
		return s
	},
})

// Submit never blocks.
func (s *unbounded) Submit(ctx context.Context, t *Task) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	go s.thunk(t)()
	return nil
}
