package builtin

import (
	"context"
	"slices"
	"time"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/engine"
)

// pipeline passes a task through stages, each with its own goroutines, over bounded channels:
//
//	Submit ─Queue─► generate ─buffer─► work ─buffer─► filter ─buffer─► collect
//	                    1              Limit         filters              1
//
// Generate forwards submitted tasks in order. Filter settles failed tasks, and collect the others
// one by one. The parameter stages adds stages before or after the work, each with its own workers,
// time and buffer. A failed task takes no time in later stages, and no task does once the context
// has ended.
//
// A full pipeline has accepted Limit + Queue + buffer tasks and the one held by generate. With
// stages, it has accepted as many tasks as all its workers and buffers have room for.
//
// No stage ends before the last task is done, so only the stages before the work check the context,
// and tasks there are settled when it ends.
type pipeline struct {
	engine.Workers // the stage of work, with jobs before it and results behind

	submitted chan *strategies.Task // before generate
	passed    chan engine.Outcome
	stages    []*stage      // nil: work is the only one
	rooms     chan struct{} // an element per accepted task; nil: the channels bound their number
}

var _ = strategies.RegisterBuiltin(strategies.Spec{
	Name: "pipeline",
	Summary: "generate, fan out to workers, filter, collect: stages with their own limits and " +
		"buffers",
	UseIf:   "the work has steps with different limits",
	Source:  "limited concurrency in Go: pipeline",
	Twin:    strategies.Twin{Of: workerPoolSpec.Name},
	OnPanic: "contained; the worker is replaced, and the panic is filtered out as a failure",
	Keys: []param.Key{
		{Name: "stages", Kind: param.Text, Default: strategies.WorkStage,
			Doc: "stages in order, joined by +: work is the stage that runs the workload with " +
				"limit workers; 3(10ms) has 3 workers and lasts 10 ms; 1(exp(40ms)) has a random " +
				"duration; classic is generate, square, filter of the Go blog: " + classicStages},
		{Name: "buffer", Kind: param.Int, Default: "8",
			Doc: "number of results or tasks that may wait between two stages"},
		{Name: "filters", Kind: param.Int, Default: "1", Doc: "goroutines of the filter"},
	},

	Bound:          func(p strategies.Params) int { return p.Limit },
	Capacity:       pipelineCapacity,
	FIFO:           true,
	WorkConserving: true,
	UsesQueue:      true,
	Given:          staged,
	Check:          checkPipeline,

	New: startPipeline,
})

func pipelineCapacity(p strategies.Params) int {
	buffer := p.Values.Int("buffer")
	n := p.Limit + p.Queue + buffer + 1
	for _, s := range stagesOf(p) {
		if !s.Work() {
			n += s.Workers + buffer
		}
	}
	return n
}

func startPipeline(
	ctx context.Context, p strategies.Params, sink strategies.Sink,
) strategies.Strategy {
	buffer := p.Values.Int("buffer")
	s := &pipeline{passed: make(chan engine.Outcome, buffer)}
	var prepare, finish []*stage // the stages before the work, and those after it
	if declared := stagesOf(p); declared == nil {
		s.submitted = make(chan *strategies.Task, p.Queue)
	} else {
		prepare, finish = s.addStages(declared, p.Seed)
		s.rooms = make(chan struct{}, pipelineCapacity(p))
		s.submitted = make(chan *strategies.Task, cap(s.rooms))
		sink = roomSink{s.rooms, sink}
	}
	before := []chan *strategies.Task{s.submitted}
	for range prepare {
		before = append(before, make(chan *strategies.Task, buffer))
	}
	after := []chan engine.Outcome{make(chan engine.Outcome, buffer)}
	for range finish {
		after = append(after, make(chan engine.Outcome, buffer))
	}
	s.Results = after[0]
	s.AtEnd = func() { // nothing is inside: all that was sent has been received
		for _, c := range before {
			close(c)
		}
		for _, c := range append(after, s.passed) {
			close(c)
		}
	}
	s.Start(ctx, sink, p.Limit, buffer)

	path := append(slices.Clone(before), s.Jobs)
	s.Alive.Go(func() { s.forward(nil, path[0], path[1]) })
	for i, g := range prepare {
		for range g.workers {
			s.Alive.Go(func() { s.forward(g.hand(), path[i+1], path[i+2]) })
		}
	}
	for i, g := range finish {
		for range g.workers {
			s.Alive.Go(func() { s.complete(g.hand(), after[i], after[i+1]) })
		}
	}
	for range p.Values.Int("filters") {
		s.Alive.Go(func() { s.filter(after[len(finish)]) })
	}
	s.Alive.Go(func() { s.Collect(s.passed) })
	return s
}

// addStages returns the stages before and after the work.
func (s *pipeline) addStages(
	declared []strategies.Stage, seed uint64,
) (prepare, finish []*stage) {
	for i, d := range declared {
		if d.Work() {
			s.stages, prepare = append(s.stages, nil), slices.Clone(s.stages)
			continue
		}
		s.stages = append(s.stages,
			&stage{time: d.Time, workers: d.Workers, seed: seed + stageStream + uint64(i)})
	}
	return prepare, s.stages[len(prepare)+1:]
}

// With stages, Submit also blocks while there is no room for another task.
func (s *pipeline) Submit(ctx context.Context, t *strategies.Task) error {
	if s.rooms == nil {
		return s.Send(ctx, s.submitted, t)
	}
	if err := s.Acquire(ctx, s.rooms); err != nil {
		return err
	}
	s.submitted <- t // has room for all accepted tasks
	return nil
}

func (s *pipeline) Busy() []time.Duration {
	busy := make([]time.Duration, len(s.stages))
	for i, g := range s.stages {
		if g != nil {
			busy[i] = time.Duration(g.busy.Load())
		}
	}
	return busy
}

// forward is a worker of a stage before the work or, with a nil worker, generate.
func (s *pipeline) forward(
	h *stageWorker, from <-chan *strategies.Task, to chan<- *strategies.Task,
) {
	for t := range from {
		if h != nil {
			h.spend(s.Ctx.Done())
		}
		select {
		case to <- t:
		case <-s.Ctx.Done():
			s.Settle(t, strategies.Result{Err: s.GiveUp()})
		}
		if s.Ctx.Err() != nil {
			s.Sweep()
		}
	}
}

func (s *pipeline) complete(h *stageWorker, from <-chan engine.Outcome, to chan<- engine.Outcome) {
	for o := range from {
		if o.Result.Err == nil && s.Ctx.Err() == nil {
			h.spend(s.Ctx.Done())
		}
		to <- o
	}
}

func (s *pipeline) filter(from <-chan engine.Outcome) {
	for o := range from {
		if o.Result.Err != nil {
			s.Settle(o.Task, o.Result)
			continue
		}
		s.passed <- o
	}
}

// A roomSink returns the room of a task before it is done.
type roomSink struct {
	rooms <-chan struct{}
	sink  strategies.Sink
}

func (s roomSink) Done(t *strategies.Task, r strategies.Result) {
	<-s.rooms
	s.sink.Done(t, r)
}
