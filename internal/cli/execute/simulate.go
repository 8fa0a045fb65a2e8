package execute

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/cli/terminal"
	"github.com/poolbench/poolbench/internal/machine/pace"
	"github.com/poolbench/poolbench/strategies"
)

// A message is from a child about a scenario: pulses while it runs, and finally a result or an
// error.
type message struct {
	Pulse  *bench.Pulse  `json:",omitempty"`
	SoFar  *bench.Result `json:",omitempty"` // of a soak, beside a pulse
	Result *bench.Result `json:",omitempty"`
	Error  string        `json:",omitempty"`
}

// Simulate is the child's side. It reads scenarios in words from stdin, each after it has answered
// the one before, and writes messages to stdout. The parent leaves stdin open: its end means that
// the parent has died, on every system and however it died, and the child ends, too.
func (h *Host) Simulate(ctx context.Context, stdin io.Reader) error {
	scenarios, answers := json.NewDecoder(stdin), json.NewEncoder(h.Stdout)
	var w bench.Written
	if err := scenarios.Decode(&w); err != nil {
		return fmt.Errorf("simulate: %w", err)
	}
	os.Stdout = os.Stderr // what a strategy prints must not get among them
	for {
		next := make(chan bench.Written, 1)
		go func() {
			var w bench.Written
			if scenarios.Decode(&w) != nil {
				os.Exit(int(terminal.Unusable))
			}
			next <- w
		}()
		if err := answers.Encode(h.answer(ctx, w)); err != nil {
			return fmt.Errorf("simulate: %w", err)
		}
		w = <-next
	}
}

// answer runs the scenario, and reports its progress meanwhile.
func (h *Host) answer(ctx context.Context, w bench.Written) (said message) {
	s, err := w.Scenario()
	if err == nil {
		onOneProcessor(&s.Strategy.Spec)
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
		var progress bench.Progress
		asked := newAsking(&progress, h.FirstPause)
		tick := pace.NewTicker(bench.PulseInterval)
		end := pace.Each(tick.C, tick.Stop, func() {
			now := progress.Pulse()
			// stdin shows if the parent has died
			_ = json.NewEncoder(h.Stdout).Encode(message{Pulse: &now, SoFar: asked.hear()})
		})
		said.Result, err = h.Drive(bench.WithProgress(ctx, &progress), s)
		end()
	}
	if err != nil {
		said.Error = err.Error()
	}
	return said
}

// onOneProcessor sets GOMAXPROCS to 1 once the strategy is made: goroutines run one at a time under
// the virtual clock anyhow, and switch a fifth faster on one processor, which leaves the others to
// other runs. Strategies that are sized to the cores have counted them by then.
func onOneProcessor(s *strategies.Spec) {
	start := s.New
	s.New = func(ctx context.Context, p strategies.Params,
		sink strategies.Sink) strategies.Strategy {
		defer runtime.GOMAXPROCS(1)
		return start(ctx, p, sink)
	}
}
