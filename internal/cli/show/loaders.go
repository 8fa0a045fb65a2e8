package show

import (
	"context"
	"errors"

	"github.com/poolbench/poolbench/bench/attack"
	"github.com/poolbench/poolbench/internal/cli/execute"
	"github.com/poolbench/poolbench/internal/cli/options"
)

// LoadsOf shares each load among the agents if there are any. The caller calls end when all loads
// have been sent.
func LoadsOf(
	ctx context.Context, h *execute.Host, o options.AttackOptions,
) (of func(attack.Attack) Load, end func(), err error) {
	if o.Agents == 0 || o.DryRun {
		return NewLoad, func() {}, nil
	}
	say := func(line string) { h.Complain(errors.New(line)) }
	g, err := execute.OpenAgents(ctx, o.Fleet, o.Agents, say)
	if err != nil {
		return nil, nil, err
	}
	return func(k attack.Attack) Load {
		l := NewLoad(k)
		l.Run = func(ctx context.Context, t LoadTurn) (*attack.Report, error) {
			k.Seed, k.Watch = t.Seed, t.Watch
			return g.Run(ctx, k)
		}
		return l
	}, g.Close, nil
}
