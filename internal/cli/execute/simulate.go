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
	"github.com/poolbench/poolbench/internal/progress"
	"github.com/poolbench/poolbench/strategies"
)

// A child sends pulses while a scenario runs, and finally a result or an error.
type message struct {
	Pulse  *progress.Pulse `json:",omitempty"`
	SoFar  *bench.Result   `json:",omitempty"` // interim result of a soak, with a pulse
	Result *bench.Result   `json:",omitempty"`
	Error  string          `json:",omitempty"`
}

// Simulate runs in the child process. It reads a scenario after it has answered the previous one.
// The parent leaves stdin open. The end of stdin means that the parent has ended, on every system
// and for any reason, and the child then ends too.
func (h *Host) Simulate(ctx context.Context, stdin io.Reader) error {
	scenarios, answers := json.NewDecoder(stdin), json.NewEncoder(h.Stdout)
	var w bench.Encoded
	if err := scenarios.Decode(&w); err != nil {
		return fmt.Errorf("simulate: %w", err)
	}
	os.Stdout = os.Stderr // output of a strategy must not mix with the messages
	for {
		next := make(chan bench.Encoded, 1)
		go func() {
			var w bench.Encoded
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

func (h *Host) answer(ctx context.Context, w bench.Encoded) (said message) {
	s, err := w.Scenario()
	if err == nil {
		onOneProcessor(&s.Strategy.Spec)
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
		var tracker progress.Tracker
		asked := newAsking(&tracker, h.FirstPause)
		tick := pace.NewTicker(progress.Interval)
		end := pace.Each(tick.C, tick.Stop, func() {
			now := tracker.Pulse()
			// the end of stdin shows that the parent has ended
			_ = json.NewEncoder(h.Stdout).Encode(message{Pulse: &now, SoFar: asked.poll()})
		})
		said.Result, err = h.Drive(progress.NewContext(ctx, &tracker), s)
		end()
	}
	if err != nil {
		said.Error = err.Error()
	}
	return said
}

// Under the virtual clock goroutines run one at a time anyway. They switch a fifth faster on one
// processor, and other processors are free for other runs. Strategies whose size depends on the
// number of processors have read it by then.
func onOneProcessor(s *strategies.Spec) {
	start := s.New
	s.New = func(ctx context.Context, p strategies.Params,
		sink strategies.Sink) strategies.Strategy {
		defer runtime.GOMAXPROCS(1)
		return start(ctx, p, sink)
	}
}
