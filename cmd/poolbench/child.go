package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/peers"
)

// An answer is what the child says: a result or an error.
type answer struct {
	Result *bench.Result
	Error  string
}

// simulateCommand is the child's side. A virtual-clock run takes place in a process of its own, because a strategy that panics
// or spins takes the process along; so it costs one run.
//
// It reads a scenario from stdin and writes the answer to stdout. The parent leaves stdin open: its end means that the
// parent has died, on every system and however it died, and the child follows.
func (a *app) simulateCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "simulate",
		Short:  "run one scenario in words (JSON on stdin; for poolbench itself)",
		Hidden: true,
		Args:   operands(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			var w bench.Written
			if err := json.NewDecoder(a.stdin).Decode(&w); err != nil {
				return fmt.Errorf("simulate: %w", err)
			}
			go func() {
				_, _ = io.Copy(io.Discard, a.stdin)
				os.Exit(unusable)
			}()
			os.Stdout = os.Stderr // what a strategy prints must not get into the answer
			var said answer
			s, err := w.Scenario(peers.ParseVariant)
			if err == nil {
				onOneProcessor(&s.Strategy.Spec)
				said.Result, err = bench.Run(cmd.Context(), s)
			}
			if err != nil {
				said.Error = err.Error()
			}
			return json.NewEncoder(a.stdout).Encode(said)
		},
	}
}

// onOneProcessor has the run go on at GOMAXPROCS 1 once the strategy is made: its goroutines take turns under the virtual clock anyhow,
// and hand over a fifth faster on one processor, which leaves the others to other runs. Strategies that are sized to the cores have
// counted them by then.
func onOneProcessor(s *strategies.Spec) {
	start := s.New
	s.New = func(ctx context.Context, p strategies.Params, sink strategies.Sink) strategies.Strategy {
		defer runtime.GOMAXPROCS(1)
		return start(ctx, p, sink)
	}
}

// inChild runs the scenario in a copy of this program and kills it when ctx ends.
func inChild(ctx context.Context, s bench.Scenario) (*bench.Result, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	child := exec.CommandContext(ctx, self, "simulate")
	child.WaitDelay = time.Second // a pipe that something of the child's still holds
	ownGroup(child)
	var stdout bytes.Buffer
	stderr := beginning{most: 64 << 10}
	child.Stdout, child.Stderr = &stdout, &stderr
	stdin, err := child.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := child.Start(); err != nil {
		return nil, err
	}
	// A child that is gone before it has read says more by its end than this write by its error.
	writing := json.NewEncoder(stdin).Encode(s.Written())
	waiting := child.Wait()
	var said answer
	switch {
	case ctx.Err() != nil:
		return nil, fmt.Errorf("%s: %w", s.Name(), context.Cause(ctx))
	case waiting != nil:
		return nil, fmt.Errorf("%s: the run took its process along (%v)%s", s.Name(), waiting, stderr.lines())
	case writing != nil:
		return nil, fmt.Errorf("%s: %w", s.Name(), writing)
	}
	if err := json.Unmarshal(stdout.Bytes(), &said); err != nil {
		return nil, fmt.Errorf("%s: the child process gave no answer: %w%s", s.Name(), err, stderr.lines())
	}
	if said.Error != "" {
		return nil, errors.New(said.Error)
	}
	return said.Result, nil
}

// A beginning keeps the first bytes that are written to it: a stack trace tells in its first lines, and may be endless.
type beginning struct {
	bytes.Buffer
	most int
}

func (b *beginning) Write(p []byte) (int, error) {
	b.Buffer.Write(p[:min(len(p), b.most-b.Len())])
	return len(p), nil
}

// lines returns the first ones for a message, each on a line of its own.
func (b *beginning) lines() string {
	const most, width = 8, 160
	var text strings.Builder
	n := 0
	for line := range strings.Lines(b.String()) {
		if line = strings.TrimRight(line, " \r\n"); line == "" {
			continue
		}
		if n++; n > most {
			text.WriteString("\n    …")
			break
		}
		if r := []rune(line); len(r) > width {
			line = string(r[:width]) + "…"
		}
		text.WriteString("\n    " + strings.ReplaceAll(line, "\t", "  "))
	}
	return text.String()
}
