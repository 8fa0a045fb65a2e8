package engine

import (
	"context"
	"sync"

	"github.com/poolbench/poolbench/strategies"
)

// A Layer wraps a strategy. It submits a Call in place of the caller's task, which it does not
// change, so layers can be nested. T is the layer's state per task.
type Layer[T any] struct {
	Inside strategies.Strategy
	sink   strategies.Sink
	run    func(ctx context.Context, c *Call[T]) strategies.Result
	ended  func(c *Call[T], r strategies.Result) strategies.Result
	calls  sync.Pool
}

// A Call is the task that a Layer submits to the inner strategy.
type Call[T any] struct {
	Task  strategies.Task  // submitted to the inner strategy
	For   *strategies.Task // the caller's task
	Own   T                // the layer's state; zero at each Submit
	layer *Layer[T]
}

// Start creates the inner strategy. run makes one attempt or step and may call the Run of c.For.
// ended returns the final result, also for tasks that never started.
func (s *Layer[T]) Start(
	ctx context.Context, inner strategies.Spec, in strategies.Params, sink strategies.Sink,
	run func(ctx context.Context, c *Call[T]) strategies.Result,
	ended func(c *Call[T], r strategies.Result) strategies.Result,
) {
	s.sink, s.run, s.ended = sink, run, ended
	attempt := func(ctx context.Context, t *strategies.Task) strategies.Result {
		c := t.Arg.(*Call[T])
		// t is the second attempt of an inner hedge, which the layer has already admitted
		if t != &c.Task {
			var second strategies.Task
			Copy(&second, c.For)
			return second.Run(ctx, &second)
		}
		return c.layer.run(ctx, c)
	}
	s.calls.New = func() any {
		c := &Call[T]{layer: s}
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

// Copy copies all fields of task of to t, including Run and Arg. The Run may be that of an outer
// part.
func Copy(t, of *strategies.Task) {
	t.Run, t.Arg = of.Run, of.Arg
	tries := &of.Scratch().Tries
	t.Scratch().Tries = strategies.AttemptState{Ordinal: tries.Ordinal, Of: tries.Of, Run: tries.Run}
	Resemble(t, of)
}

// Resemble copies all fields of like to t except Run and Arg.
func Resemble(t, like *strategies.Task) {
	t.Weight, t.Class, t.Size, t.ID = like.Weight, like.Class, like.Size, like.ID
	t.Priority, t.Tenant, t.Deadline = like.Priority, like.Tenant, like.Deadline
}

func (s *Layer[T]) putBack(c *Call[T]) {
	var none T
	c.For, c.Own = nil, none
	s.calls.Put(c)
}

// Done implements strategies.Sink for the inner strategy.
func (s *Layer[T]) Done(t *strategies.Task, r strategies.Result) {
	c := t.Arg.(*Call[T])
	r = s.ended(c, r)
	of := c.For
	s.putBack(c)
	s.sink.Done(of, r)
}

// Drain implements strategies.Strategy.
func (s *Layer[T]) Drain(ctx context.Context) error { return s.Inside.Drain(ctx) }

// Inner returns the inner instance.
func (s *Layer[T]) Inner() []strategies.Strategy { return []strategies.Strategy{s.Inside} }

// KeepAll stops the inner strategy from shedding accepted tasks.
func (s *Layer[T]) KeepAll() {
	if s, sheds := s.Inside.(interface{ KeepAll() }); sheds {
		s.KeepAll()
	}
}
