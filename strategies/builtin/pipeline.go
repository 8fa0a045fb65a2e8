package builtin

import (
	"context"
	"errors"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/engine"
)

// pipeline passes a task through four stages, each with its own goroutines, over bounded channels:
//
//	Submit ─Queue─► generate ─buffer─► work ─buffer─► filter ─buffer─► collect
//	                    1              Limit         filters              1
//
// Generate forwards submitted tasks in order. Work runs them. Filter forwards successful tasks and
// settles failed ones. Collect settles the rest one by one.
//
// Use it when steps of the work have different limits. For a single step it only adds cost: up to
// four hand-overs instead of one. A full pipeline has accepted Limit + Queue + buffer tasks and the
// one held by generate. A slow stage fills the buffers before it and blocks all stages back to
// Submit.
//
// Usual pipelines close front to back, and each sender checks the context in case its receiver has
// ended. Here no stage ends before the last task is done, so only generate checks, and tasks before
// the work stage are settled there when the context ends.
type pipeline struct {
	engine.Workers // the stage of work, with jobs before it and results behind

	submitted chan *strategies.Task // before generate
	passed    chan engine.Outcome
}

var _ = strategies.RegisterBuiltin(strategies.Spec{
	Name: "pipeline",
	Summary: "generate, fan out to workers, filter, collect: stages with limits and buffers of " +
		"their own",
	UseIf:   "the work has steps whose limits differ",
	Source:  "limited concurrency in Go: pipeline",
	Twin:    strategies.Twin{Of: workerPoolSpec.Name},
	OnPanic: "contained; the worker is replaced, and the panic is filtered out as a failure",
	Keys: []param.Key{
		{Name: "buffer", Kind: param.Int, Default: "8",
			Doc: "results or tasks that may wait between two stages"},
		{Name: "filters", Kind: param.Int, Default: "1", Doc: "goroutines of the filter"},
	},

	Bound: func(p strategies.Params) int { return p.Limit },
	Capacity: func(p strategies.Params) int {
		return p.Limit + p.Queue + p.Values.Int("buffer") + 1
	},
	FIFO:           true,
	WorkConserving: true,
	UsesQueue:      true,

	Check: func(p strategies.Params) error {
		switch buffer, filters := p.Values.Int("buffer"), p.Values.Int("filters"); {
		case buffer < 0 || buffer > strategies.MaxSlots:
			return errors.New("buffer must be from 0 to 16777216")
		case filters < 1 || filters > strategies.MaxLimit:
			return errors.New("filters must be from 1 to 1048576")
		}
		return nil
	},

	New: func(ctx context.Context, p strategies.Params, sink strategies.Sink) strategies.Strategy {
		buffer := p.Values.Int("buffer")
		s := &pipeline{
			submitted: make(chan *strategies.Task, p.Queue),
			passed:    make(chan engine.Outcome, buffer),
		}
		s.Results = make(chan engine.Outcome, buffer)
		s.AtEnd = func() { // nothing is inside: all that was sent has been received
			close(s.submitted)
			close(s.Results)
			close(s.passed)
		}
		s.Start(ctx, sink, p.Limit, buffer)
		s.Alive.Go(s.generate)
		for range p.Values.Int("filters") {
			s.Alive.Go(s.filter)
		}
		s.Alive.Go(func() { s.Collect(s.passed) })
		return s
	},
})

// Submit blocks until generate or its queue takes the task.
func (s *pipeline) Submit(ctx context.Context, t *strategies.Task) error {
	return s.Send(ctx, s.submitted, t)
}

func (s *pipeline) generate() {
	for t := range s.submitted {
		select {
		case s.Jobs <- t:
		case <-s.Ctx.Done():
			s.Settle(t, strategies.Result{Err: s.GiveUp()})
		}
		if s.Ctx.Err() != nil {
			s.Sweep()
		}
	}
}

// filter is the stage after work.
func (s *pipeline) filter() {
	for o := range s.Results {
		if o.Result.Err != nil {
			s.Settle(o.Task, o.Result)
			continue
		}
		s.passed <- o
	}
}
