package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/poolbench/poolbench/bench/attack"
	"github.com/poolbench/poolbench/internal/cli/question"
	"github.com/poolbench/poolbench/internal/fleet"
	"github.com/poolbench/poolbench/internal/fleet/hub"
)

// agents are those of a command, and the way to them.
type agents struct {
	flag  question.AgentsFlag
	self  fleet.Member
	conn  *hub.Conn
	local *localFleet     // nil: they are others'
	ctx   context.Context // ends when none can be started
	end   context.CancelCauseFunc
	say   func(string)
}

// openAgents finds the agents, or starts so many.
func openAgents(
	ctx context.Context, flag question.AgentsFlag, n int, say func(string),
) (_ *agents, err error) {
	g := &agents{flag: flag, say: say}
	g.ctx, g.end = context.WithCancelCause(ctx)
	defer func() {
		if err != nil {
			g.close()
			err = fmt.Errorf("--agents: %w", err)
		}
	}()
	if g.self, err = self(); err != nil {
		return nil, err
	}
	address := flag.NATS
	if address == "" {
		server, err := hub.StartLocal()
		if err != nil {
			return nil, err
		}
		g.local, address = &localFleet{Local: server}, server.Address
	}
	if g.conn, err = hub.Connect(address); err != nil {
		return nil, err
	}
	if g.local != nil {
		g.local.work(g.ctx, n, g.end)
	}
	return g, nil
}

// run has the agents attack.
func (g *agents) run(ctx context.Context, k attack.Attack) (*attack.Report, error) {
	ctx, giveUp := context.WithCancelCause(ctx)
	defer giveUp(nil)
	defer context.AfterFunc(g.ctx, func() { giveUp(context.Cause(g.ctx)) })()
	watch := k.Watch
	k.Watch = nil
	return fleet.Load{Conn: g.conn, Self: g.self, Attack: k, AllowLost: g.flag.AllowLost,
		Say: g.say, Watch: watch, Timing: fleet.Timing{Wait: g.flag.Wait}}.Run(ctx)
}

func (g *agents) close() {
	g.end(errors.New("the attack has ended"))
	if g.conn != nil {
		g.conn.Close()
	}
	if g.local != nil {
		if err := g.local.close(); err != nil {
			g.say(fmt.Sprintf("--agents: %v", err))
		}
	}
}
