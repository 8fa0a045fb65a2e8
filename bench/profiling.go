package bench

import (
	"context"

	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/internal/machine"
	"github.com/poolbench/poolbench/strategies"
)

func (s Scenario) labels(of machine.Mark) *machine.ProfileLabels {
	if s.Profile == "" {
		return nil
	}
	var classes []string
	for c := strategies.AnyClass; c <= strategies.IO; c++ {
		classes = append(classes, c.String())
	}
	return machine.NewProfileLabels(of.Labelled(context.Background()), s.Strategy.String(), classes...)
}

func beginProfile(set string) (end func() ([]result.Profile, error), err error) {
	if set == "" {
		return func() ([]result.Profile, error) { return nil, nil }, nil
	}
	session, err := machine.StartProfiles(set)
	if err != nil {
		return nil, err
	}
	return func() (all []result.Profile, err error) {
		taken, err := session.End()
		for _, p := range taken {
			all = append(all, result.Profile{Kind: string(p.Kind), Data: p.Data})
		}
		return all, err
	}, nil
}
