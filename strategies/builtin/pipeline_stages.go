package builtin

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/poolbench/poolbench/bench/dist"
	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/strategies"
)

// classicStages is the example "squaring numbers" of the Go blog (Pipelines and cancellation, 2014)
const classicStages, classic = "1(1ms)+work+1(2ms)", "classic"

func parseStages(text string, limit int) (all []strategies.Stage, err error) {
	given := text
	if text == classic {
		text = classicStages
	}
	works := 0
	for _, one := range splitStages(text) {
		s, err := parseStage(one, limit)
		if err != nil {
			return nil, err
		}
		if s.Work() {
			works++
		}
		all = append(all, s)
	}
	switch {
	case works == 0:
		return nil, fmt.Errorf("no stage of %s runs the tasks: add work, the stage of limit "+
			"workers that takes the time of the workload, as in work+%s", given, text)
	case works > 1:
		return nil, fmt.Errorf("%s has work %d times, but a task runs once", given, works)
	case len(all) > strategies.MaxStages:
		return nil, fmt.Errorf("%d stages: want at most %d", len(all), strategies.MaxStages)
	}
	return all, nil
}

func parseStage(text string, limit int) (strategies.Stage, error) {
	if text == strategies.WorkStage {
		return strategies.Stage{Workers: limit}, nil
	}
	workers, law, timed := strings.Cut(text, "(")
	n, err := strconv.Atoi(workers)
	law, closed := strings.CutSuffix(law, ")")
	if err != nil || timed != closed {
		return strategies.Stage{}, fmt.Errorf("want workers(time) such as 3(10ms) or "+
			"1(exp(40ms)), or work, got %q", text)
	}
	if !timed {
		return strategies.Stage{}, fmt.Errorf("stage %s has no time: write %s(10ms), or work for "+
			"the stage of limit workers that runs the tasks", text, text)
	}
	if n < 1 || n > strategies.MaxLimit {
		return strategies.Stage{}, fmt.Errorf("stage %s: want 1 to %d workers", text,
			strategies.MaxLimit)
	}
	d, err := dist.Parse(law)
	if err != nil {
		return strategies.Stage{}, fmt.Errorf("stage %s: %w", text, err)
	}
	return strategies.Stage{Workers: n, Time: d}, nil
}

// splitStages splits at each + outside parentheses.
func splitStages(text string) (parts []string) {
	depth, start := 0, 0
	for i, c := range text {
		switch {
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == '+' && depth == 0:
			parts, start = append(parts, text[start:i]), i+1
		}
	}
	return append(parts, text[start:])
}

// stagesOf returns nil if work is the only stage or the stages are invalid.
func stagesOf(p strategies.Params) []strategies.Stage {
	all, err := parseStages(p.Values.Text("stages"), p.Limit)
	if err != nil || len(all) == 1 {
		return nil
	}
	return all
}

// staged changes the facts of a pipeline with several stages: the order of the stages before the
// work and the room behind it decide when a task runs.
func staged(s strategies.Spec, v param.Values) strategies.Spec {
	if stagesOf(strategies.Params{Limit: 1, Values: v}) == nil {
		return s
	}
	s.FIFO, s.WorkConserving, s.Twin = false, false, strategies.Twin{}
	s.Stages = stagesOf
	return s
}

func checkPipeline(p strategies.Params) error {
	buffer, filters := p.Values.Int("buffer"), p.Values.Int("filters")
	stages, err := parseStages(p.Values.Text("stages"), p.Limit)
	switch {
	case buffer < 0 || buffer > strategies.MaxSlots:
		return errors.New("buffer must be from 0 to 16777216")
	case filters < 1 || filters > strategies.MaxLimit:
		return errors.New("filters must be from 1 to 1048576")
	case err != nil:
		return fmt.Errorf("stages: %w", err)
	}
	workers := 0
	for _, s := range stages {
		workers += s.Workers
	}
	if workers > strategies.MaxLimit+p.Limit {
		return fmt.Errorf("stages: %d workers are above %d", workers, strategies.MaxLimit)
	}
	if slots := buffer * len(stages); slots > strategies.MaxSlots {
		return fmt.Errorf("buffer %d before each of %d stages is above %d slots", buffer,
			len(stages), strategies.MaxSlots)
	}
	return nil
}

type stage struct {
	time    dist.Dist
	workers int
	seed    uint64
	count   atomic.Uint64 // tasks that have reached a worker
	busy    atomic.Int64  // nanoseconds
}

// A stageWorker is one worker of a stage.
type stageWorker struct {
	*stage
	pcg   rand.PCG
	rand  *rand.Rand
	timer *time.Timer
}

func (s *stage) hand() *stageWorker {
	h := &stageWorker{stage: s, timer: time.NewTimer(0)}
	h.timer.Stop()
	h.rand = rand.New(&h.pcg)
	return h
}

// spend takes the time of the stage for the next task, unless done is closed before. The times are
// a function of the seed and the order in which tasks reach the stage.
func (h *stageWorker) spend(done <-chan struct{}) {
	h.pcg.Seed(h.seed, h.count.Add(1))
	d := h.time.Sample(h.rand)
	if d == 0 {
		return
	}
	start := time.Now()
	defer func() { h.busy.Add(int64(time.Since(start))) }()
	h.timer.Reset(d)
	select {
	case <-h.timer.C:
	case <-done:
		h.timer.Stop()
	}
}

// stageStream separates the random numbers of a stage from those of the workload.
const stageStream = 0x73746167_65000000
