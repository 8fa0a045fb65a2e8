package execute

import (
	"context"
	"fmt"
	"github.com/poolbench/poolbench/internal/cli/program"
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/cli/options"
	"github.com/poolbench/poolbench/internal/fleet"
	"github.com/poolbench/poolbench/internal/fleet/hub"
)

func Self() (fleet.Member, error) { return fleet.Self(program.ReadVersion().String()) }

type crew struct {
	link
	flag  options.WorkersFlag
	sweep *fleet.Sweep
	say   func(string)
	stop  func() // ends concurrent activities
}

// Muster connects to the workers of the flag. It returns errors of an address before anything is
// written.
func (r *Runner) Muster(flag options.WorkersFlag) error {
	if flag == (options.WorkersFlag{}) {
		return nil
	}
	c := &crew{link: link{name: "--workers"}, flag: flag, say: func(string) {}, stop: func() {}}
	if err := c.open(flag.Address); err != nil {
		c.close()
		return fmt.Errorf("--workers: %w", err)
	}
	r.crew = c
	return nil
}

// The returned context ends when no worker is available.
func (c *crew) Open(
	ctx context.Context, patience time.Duration, say func(string), soFar func(*bench.Result),
) (_ context.Context, err error) {
	if c.sweep, err = fleet.OpenSweep(ctx, c.conn, c.self, patience, say); err != nil {
		return ctx, fmt.Errorf("--workers: %w", err)
	}
	c.say, c.sweep.SoFar = say, soFar
	ctx = c.sweep.Context()
	c.stop = func() { c.sweep.GiveUp(nil) }
	if c.local != nil {
		c.local.work(ctx, c.flag.Local, c.sweep.GiveUp)
		return ctx, nil
	}
	alone := time.AfterFunc(noWorkersHint, func() {
		if c.sweep.Workers() == 0 {
			say("no worker has joined yet: start one with poolbench worker --nats " +
				hub.Shown(c.address))
		}
	})
	c.stop = func() { alone.Stop(); c.sweep.GiveUp(nil) }
	return ctx, nil
}

// A sweep without workers prints a hint after noWorkersHint.
const noWorkersHint = 3 * time.Second

func (c *crew) close() {
	c.stop()
	if c.sweep != nil {
		if shares := c.sweep.Shares(); shares != "" && c.local == nil {
			c.say(shares)
		}
		if err := c.sweep.Close(); err != nil {
			c.say(fmt.Sprintf("--workers: tasks of an earlier run are still in the queue: %v", err))
		}
	}
	c.link.close(c.say)
}
