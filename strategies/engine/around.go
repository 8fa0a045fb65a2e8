package engine

import (
	"context"
	"sync"

	"github.com/poolbench/poolbench/strategies"
)

// A Layer goes around a strategy. It submits inside not the caller's task but a Call of its own
// that stands for it, so that what it does around an attempt is its own affair, however many layers
// there are and whatever they make of a task: the caller's is never changed. T is what it keeps
// with one.
//
// It costs a task two func calls and a copy of its fields, and no allocation.
type Layer[T any] struct {
	Inside strategies.Strategy
	sink   strategies.Sink
	run    func(ctx context.Context, c *Call[T]) strategies.Result
	ended  func(c *Call[T], r strategies.Result) strategies.Result
	calls  sync.Pool
}

// A Call is a task on its way through what is inside.
type Call[T any] struct {
	Task strategies.Task  // that is submitted inside
	For  *strategies.Task // the caller's
	Own  T                // the layer's; zero at each Submit
	of   *Layer[T]
}

// Start makes what is inside. run is an attempt, or a step, at the caller's task: it calls the Run
// of c.For, or not. ended is told how the task ended, before the sink is, and says with which
// result it is done; a task that never started has ended too.
func (s *Layer[T]) Start(
	ctx context.Context, inner strategies.Spec, in strategies.Params, sink strategies.Sink,
	run func(ctx context.Context, c *Call[T]) strategies.Result,
	ended func(c *Call[T], r strategies.Result) strategies.Result,
) {
	s.sink, s.run, s.ended = sink, run, ended
	attempt := func(ctx context.Context, t *strategies.Task) strategies.Result {
		c := t.Arg.(*Call[T])
		if t != &c.Task { // a hedge inside makes a second attempt: the layer has let it through
			var second strategies.Task
			Copy(&second, c.For)
			return second.Run(ctx, &second)
		}
		return c.of.run(ctx, c)
	}
	s.calls.New = func() any {
		c := &Call[T]{of: s}
		c.Task.Run, c.Task.Arg = attempt, c
		return c
	}
	s.Inside = inner.New(ctx, in, s)
}

// Submit implements strategies.Strategy.
func (s *Layer[T]) Submit(ctx context.Context, t *strategies.Task) error {
	c := s.calls.Get().(*Call[T])
	c.For = t
	Resemble(&c.Task, t)
	err := s.Inside.Submit(ctx, &c.Task)
	if err != nil {
		s.putBack(c)
	}
	return err
}

// Copy makes t what the caller said of another, Run and Arg included, to be an attempt of its own.
// Where a part outside retries in place, Run is that part's, which finds what it needs in the task.
func Copy(t, of *strategies.Task) {
	t.Run, t.Arg = of.Run, of.Arg
	tries := &of.Kept().Tries
	t.Kept().Tries = strategies.Tries{Ordinal: tries.Ordinal, Of: tries.Of, Run: tries.Run}
	Resemble(t, of)
}

// Resemble has a task say of itself what another does: all but its Run and its Arg.
func Resemble(t, like *strategies.Task) {
	t.Weight, t.Class, t.Size, t.ID = like.Weight, like.Class, like.Size, like.ID
	t.Priority, t.Tenant, t.Deadline = like.Priority, like.Tenant, like.Deadline
}

func (s *Layer[T]) putBack(c *Call[T]) {
	var none T
	c.For, c.Own = nil, none
	s.calls.Put(c)
}

// Done implements strategies.Sink for what is inside.
func (s *Layer[T]) Done(t *strategies.Task, r strategies.Result) {
	c := t.Arg.(*Call[T])
	r = s.ended(c, r)
	of := c.For
	s.putBack(c)
	s.sink.Done(of, r)
}

// Drain implements strategies.Strategy.
func (s *Layer[T]) Drain(ctx context.Context) error { return s.Inside.Drain(ctx) }

// KeepAll has what is inside shed nothing that it has accepted.
func (s *Layer[T]) KeepAll() {
	if s, sheds := s.Inside.(interface{ KeepAll() }); sheds {
		s.KeepAll()
	}
}
