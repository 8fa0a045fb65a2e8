package cli

import (
	"context"
	"errors"

	"github.com/poolbench/poolbench/bench/attack"
	"github.com/poolbench/poolbench/internal/cli/question"
)

// loader returns what makes a load of an attack, one that the agents share where there are some.
// The caller calls end when all is sent.
func loader(
	ctx context.Context, h *host, o question.AttackOptions,
) (of func(attack.Attack) load, end func(), err error) {
	if o.Agents == 0 || o.DryRun {
		return newLoad, func() {}, nil
	}
	say := func(line string) { h.Complain(errors.New(line)) }
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
