package crash

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"github.com/poolbench/poolbench/strategies"
)

// starting is added to removing for the start of the process that removes the queue.
const (
	removing = 2 * time.Second
	starting = 3 * time.Second
)

// A strategy may end its process or never return, so another process removes the queue.
func (r *run) remove() error {
	o := r.WorkerConfig
	o.End = true
	text, err := json.Marshal(o)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), removing+starting)
	defer cancel()
	c := exec.CommandContext(ctx, r.Command[0], r.Command[1:]...)
	c.Stdin, c.WaitDelay = bytes.NewReader(text), time.Second
	said, err := c.Output()
	if ctx.Err() != nil {
		return fmt.Errorf("the queue is not removed after %v", removing+starting)
	}
	for line := range strings.Lines(string(said)) {
		err = cmp.Or(new(ledger).record(strings.TrimSpace(line), time.Time{}), err)
	}
	return err
}

func (o WorkerConfig) end() error {
	v, err := strategies.Parse(o.Strategy)
	if err != nil {
		return nil // such a strategy never started
	}
	ctx, cancel := context.WithTimeout(context.Background(), removing)
	defer cancel()
	p := o.params(v, func(uint64) *strategies.Task {
		return &strategies.Task{Run: func(context.Context, *strategies.Task) strategies.Result {
			return strategies.Result{}
		}}
	})
	if p.Resume == nil {
		return nil
	}
	nobody := strategies.SinkFunc(func(*strategies.Task, strategies.Result) {})
	s, err := v.Spec.Start(ctx, p, nobody)
	if err != nil {
		return err
	}
	cancel()
	return s.Drain(context.Background())
}
