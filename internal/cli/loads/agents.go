package loads

import (
	"context"
	"errors"

	"github.com/poolbench/poolbench/bench/attack"
	"github.com/poolbench/poolbench/internal/cli/question"
	"github.com/poolbench/poolbench/internal/cli/runner"
)

// Loader returns what makes a load of an attack, one that the agents share where there are some.
// The caller calls end when all is sent.
func Loader(
	ctx context.Context, h *runner.Host, o question.AttackOptions,
) (of func(attack.Attack) Load, end func(), err error) {
	if o.Agents == 0 || o.DryRun {
		return New, func() {}, nil
	}
	say := func(line string) { h.Complain(errors.New(line)) }
	g, err := runner.OpenAgents(ctx, o.Fleet, o.Agents, say)
	if err != nil {
		return nil, nil, err
	}
	return func(k attack.Attack) Load {
		l := New(k)
		l.Run = func(ctx context.Context, t Turn) (*attack.Report, error) {
			k.Seed, k.Watch = t.Seed, t.Watch
			return g.Run(ctx, k)
		}
		return l
	}, g.Close, nil
}
