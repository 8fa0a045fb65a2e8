package execute

import (
	"context"
	"errors"
	"fmt"

	"github.com/poolbench/poolbench/bench/attack"
	"github.com/poolbench/poolbench/internal/cli/options"
	"github.com/poolbench/poolbench/internal/fleet"
)

type Agents struct {
	link
	flag options.AgentsFlag
	ctx  context.Context // ends when no agent can be started
	end  context.CancelCauseFunc
	say  func(string)
}

// OpenAgents connects to the agents, or starts them.
func OpenAgents(
	ctx context.Context, flag options.AgentsFlag, n int, say func(string),
) (*Agents, error) {
	g := &Agents{link: link{name: "--agents"}, flag: flag, say: say}
	g.ctx, g.end = context.WithCancelCause(ctx)
	if err := g.open(flag.NATS); err != nil {
		g.Close()
		return nil, fmt.Errorf("--agents: %w", err)
	}
	if g.local != nil {
		g.local.work(g.ctx, n, g.end)
	}
	return g, nil
}

func (g *Agents) Run(ctx context.Context, k attack.Attack) (*attack.Report, error) {
	ctx, giveUp := context.WithCancelCause(ctx)
	defer giveUp(nil)
	defer context.AfterFunc(g.ctx, func() { giveUp(context.Cause(g.ctx)) })()
	watch := k.Watch
	k.Watch = nil
	return fleet.Load{Conn: g.conn, Self: g.self, Attack: k, AllowLost: g.flag.AllowLost,
		Say: g.say, Watch: watch, Timing: fleet.Timing{Wait: g.flag.Wait}}.Run(ctx)
}

func (g *Agents) Close() {
	g.end(errors.New("the attack has ended"))
	g.close(g.say)
}
