package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/cli/exit"
	"github.com/poolbench/poolbench/internal/cli/flags"
	"github.com/poolbench/poolbench/internal/fleet"
	"github.com/poolbench/poolbench/internal/machine/pace"
	"github.com/poolbench/poolbench/strategies"
)

// stopGrace is the default of host.grace.
const stopGrace = 5 * time.Second

// A runner runs a scenario where it belongs, virtual clock in a child process, real clock in this
// one, and gives it up when it makes no progress.
type runner struct {
	host     *host
	limit    time.Duration // 0 is the default
	children children
	crew     *crew // that makes the runs instead; nil: none does
	soFar    func(*bench.Result)
}

// tell has the runner tell of what soaks have so far, from goroutines of its own.
func (r *runner) tell(soFar func(*bench.Result)) { r.soFar = soFar }

func (h *host) runner(limit time.Duration) *runner {
	return &runner{host: h, limit: limit, children: children{limit: limit}}
}

// begin is called before the first run. The context that it returns ends when no run can be made
// any more.
func (r *runner) begin(ctx context.Context, say func(string)) (context.Context, error) {
	if r.crew == nil {
		return ctx, nil
	}
	return r.crew.Open(ctx, r.limit, say, r.soFar)
}

// parallel is how many virtual-clock runs are to be asked for at once; 0 is the default.
func (r *runner) parallel() int {
	if r.crew == nil {
		return 0
	}
	return fleet.Outstanding
}

func (r *runner) run(ctx context.Context, s bench.Scenario) (*bench.Result, error) {
	return r.telling(ctx, s, r.soFar)
}

// telling is run with somebody of its own who hears what soaks have so far.
func (r *runner) telling(
	ctx context.Context, s bench.Scenario, soFar func(*bench.Result),
) (*bench.Result, error) {
	if r.crew != nil {
		return r.crew.run(ctx, s)
	}
	if s.Clock == bench.Virtual {
		return r.children.run(ctx, s, soFar)
	}
	r.children.end() // they may still give memory back
	progress := bench.Progress{Limit: r.limit}
	if soFar != nil {
		asked := newAsking(&progress)
		end := every(bench.PulseInterval, func() {
			if result := asked.hear(); result != nil {
				soFar(result)
			}
		})
		defer end()
	}
	return r.host.inProcess(ctx, s, &progress)
}

// close ends what waits for further scenarios. It may be called again.
func (r *runner) close() {
	r.children.end()
	if r.crew != nil {
		r.crew.close()
		r.crew = nil
	}
}

// A stuckError is a real-clock run that cannot be ended. What would be measured beside it is worth
// nothing, so it ends the suite.
type stuckError struct {
	name  string
	cause error
}

func (e *stuckError) Error() string {
	return fmt.Sprintf("%s: %v; it does not stop either, so no run can follow it", e.name, e.cause)
}

// inProcess runs the scenario here, and stops waiting for it when ctx has ended and the grace is
// over, or when it hangs.
func (h *host) inProcess(
	ctx context.Context, s bench.Scenario, progress *bench.Progress,
) (*bench.Result, error) {
	type outcome struct {
		result *bench.Result
		err    error
	}
	done := make(chan outcome, 1)
	go func() {
		r, err := h.drive(bench.WithProgress(ctx, progress), s)
		if wrong, ok := errors.AsType[*bench.StrategyError](err); ok && wrong.Goes {
			err = &stuckError{s.Name(), wrong}
		}
		done <- outcome{r, err}
	}()
	select {
	case o := <-done:
		return o.result, o.err
	case <-ctx.Done():
	}
	select {
	case o := <-done:
		return o.result, o.err
	case <-time.After(h.grace):
		return nil, &stuckError{s.Name(), context.Cause(ctx)}
	}
}

// A message is what the child says of a scenario: pulses while it runs, and last a result or an
// error.
type message struct {
	Pulse  *bench.Pulse  `json:",omitempty"`
	SoFar  *bench.Result `json:",omitempty"` // of a soak, beside a pulse
	Result *bench.Result `json:",omitempty"`
	Error  string        `json:",omitempty"`
}

// simulateCommand is the child's side. Virtual-clock runs take place in processes of their own,
// because a strategy that panics or spins takes the process along; so it costs one run.
//
// It reads scenarios in words from stdin, the next one when it has answered the last, and writes
// messages to stdout. The parent leaves stdin open: its end means that the parent has died, on
// every system and however it died, and the child follows.
func (a *app) simulateCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "simulate [flags]",
		Short:  "run scenarios in words (JSON on stdin; for poolbench itself)",
		Hidden: true,
		Args:   flags.Operands(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			scenarios, answers := json.NewDecoder(a.stdin), json.NewEncoder(a.Stdout)
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
						os.Exit(int(exit.Unusable))
					}
					next <- w
				}()
				if err := answers.Encode(a.answer(cmd.Context(), w)); err != nil {
					return fmt.Errorf("simulate: %w", err)
				}
				w = <-next
			}
		},
	}
}

// answer runs the scenario, and says all the while how far it is.
func (a *app) answer(ctx context.Context, w bench.Written) (said message) {
	s, err := w.Scenario()
	if err == nil {
		onOneProcessor(&s.Strategy.Spec)
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
		var progress bench.Progress
		asked := newAsking(&progress)
		tick := pace.NewTicker(bench.PulseInterval)
		end := each(tick.C, tick.Stop, func() {
			now := progress.Pulse()
			// a parent that is gone is noticed by stdin
			_ = json.NewEncoder(a.Stdout).Encode(message{Pulse: &now, SoFar: asked.hear()})
		})
		said.Result, err = a.drive(bench.WithProgress(ctx, &progress), s)
		end()
	}
	if err != nil {
		said.Error = err.Error()
	}
	return said
}

// onOneProcessor has the run go on at GOMAXPROCS 1 once the strategy is made: its goroutines take
// turns under the virtual clock anyhow, and hand over a fifth faster on one processor, which leaves
// the others to other runs. Strategies that are sized to the cores have counted them by then.
func onOneProcessor(s *strategies.Spec) {
	start := s.New
	s.New = func(ctx context.Context, p strategies.Params,
		sink strategies.Sink) strategies.Strategy {
		defer runtime.GOMAXPROCS(1)
		return start(ctx, p, sink)
	}
}

// every calls f now and each time that the interval is over from now on, until end, which waits for
// it.
func every(interval time.Duration, f func()) (end func()) {
	tick := time.NewTicker(interval)
	return each(tick.C, tick.Stop, f)
}

// each calls f now and at each tick, until end, which waits for it.
func each[Tick any](ticks <-chan Tick, stop, f func()) (end func()) {
	var calling sync.WaitGroup
	ended := make(chan struct{})
	calling.Go(func() {
		defer stop()
		for {
			f()
			select {
			case <-ticks:
			case <-ended:
				return
			}
		}
	})
	return func() { close(ended); calling.Wait() }
}

// A listener hears what a child says of a scenario.
type listener struct {
	said   message // the last
	err    error   // why there is no last
	pulses atomic.Uint64
	done   chan struct{} // closed when said or err is there
	end    func()
}

// listen begins to hear the messages about one scenario. giveUp is called with the reason when
// patience is at its end, soFar with what a soak has so far.
func listen(
	messages *json.Decoder, patience *bench.Patience, giveUp context.CancelCauseFunc,
	soFar func(*bench.Result),
) *listener {
	l := &listener{done: make(chan struct{})}
	go func() {
		defer close(l.done)
		for {
			l.said = message{}
			if l.err = messages.Decode(&l.said); l.err != nil || l.said.Pulse == nil {
				return
			}
			l.pulses.Add(1)
			if l.said.SoFar != nil && soFar != nil {
				soFar(l.said.SoFar)
			}
			if err := patience.Hear(*l.said.Pulse); err != nil {
				giveUp(err)
			}
		}
	}()
	// Silence is counted in ticks: a process that has stood still itself is not to blame the child.
	var silence time.Duration
	var heard uint64
	l.end = every(bench.PulseInterval, func() {
		silence += bench.PulseInterval
		if n := l.pulses.Load(); n != heard {
			silence, heard = 0, n
		}
		if silence > patience.Silence() {
			giveUp(fmt.Errorf("no sign of life in %v", patience.Silence()))
		}
	})
	return l
}
