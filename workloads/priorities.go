package workloads

import (
	"fmt"

	"github.com/poolbench/poolbench/bench/param"
)

var _ = register(Spec{
	Name:    "priorities",
	Summary: "waits; tasks belong to classes that differ only in priority",
	Source:  "Cobham: Priority assignment in waiting line problems, 1954",
	Kind:    Wait,
	Keys: []param.Key{timeKey,
		{Name: "shares", Kind: param.Text, Default: "1:4", Doc: "shares of 2 to 4 classes, the " +
			"most urgent first; the last class has priority 0, the one before it priority 1, and " +
			"so on"},
	},
	New: func(seed uint64, v param.Values) (Workload, error) {
		weights, err := parseRatios(v.Text("shares"), 2, MaxLabels)
		if err != nil {
			return nil, fmt.Errorf("shares: %w", err)
		}
		return priorities{newLabels(seed, v.Dist("time"), weights)}, nil
	},
})

type priorities struct{ labels }

func (w priorities) Priority(seq uint64) int32 { return int32(len(w.upTo) - 1 - w.number(seq)) }

func (w priorities) PriorityShares() (all []float64) {
	before := 0.0
	for _, upTo := range w.upTo {
		all = append(all, upTo-before)
		before = upTo
	}
	return all
}
