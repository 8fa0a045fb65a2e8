package show

import (
	"context"
	"errors"

	"github.com/poolbench/poolbench/bench/attack"
	"github.com/poolbench/poolbench/internal/cli/execute"
	"github.com/poolbench/poolbench/internal/cli/options"
)

// LoadsOf returns what makes a load of an attack, one that the agents share where there are some.
// The caller calls end when all is sent.
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
