package cli

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/poolbench/poolbench/bench/attack"
	"github.com/poolbench/poolbench/internal/cli/question"
	"github.com/poolbench/poolbench/internal/fleet"
	"github.com/poolbench/poolbench/internal/fleet/hub"
	"github.com/poolbench/poolbench/internal/text/tables"
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

// loader returns what makes a load of an attack, one that the agents share where there are some.
// The caller calls end when all is sent.
func (a *app) loader(
	ctx context.Context, o question.AttackOptions,
) (of func(attack.Attack) load, end func(), err error) {
	if o.Agents == 0 || o.DryRun {
		return newLoad, func() {}, nil
	}
	say := func(line string) { a.Complain(errors.New(line)) }
	g, err := openAgents(ctx, o.Fleet, o.Agents, say)
	if err != nil {
		return nil, nil, err
	}
	return func(k attack.Attack) load {
		l := newLoad(k)
		l.run = func(ctx context.Context, t turn) (*attack.Report, error) {
			k.Seed, k.Watch = t.seed, t.watch
			return g.run(ctx, k)
		}
		return l
	}, g.close, nil
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

// An agentLine is what a document says of an agent of an attack.
type agentLine struct {
	Name        string   `json:"name"`
	Requests    int      `json:"requests"`   // that it has settled
	Offset      float64  `json:"offset_sec"` // of its clock
	OffsetError float64  `json:"offset_error_sec"`
	Verdict     string   `json:"verdict"`
	Reasons     []string `json:"reasons,omitempty"`
	Lost        string   `json:"lost,omitempty"` // why it is
}

func agentLines(all []attack.Agent) (lines []agentLine) {
	for _, g := range all {
		line := agentLine{Name: g.Name, Offset: g.Offset.Seconds(),
			OffsetError: g.OffsetError.Seconds(), Verdict: g.Verdict().String(), Lost: g.Lost}
		reasons := g.Doubts
		if g.Share != nil {
			line.Requests = g.Share.Requests
			reasons = append(reasons, g.Share.Reasons...)
		}
		for _, r := range reasons {
			line.Reasons = append(line.Reasons, r.String())
		}
		lines = append(lines, line)
	}
	return lines
}

// writeAgents says who has sent how much.
func writeAgents(to io.Writer, all []attack.Agent) {
	for _, g := range all {
		fmt.Fprintln(to, tables.Wrapped("  ", "agent on "+g.String(), loadWidth))
	}
}
