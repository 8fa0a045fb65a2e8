package workloads

import (
	"github.com/poolbench/poolbench/bench/dist"
	"github.com/poolbench/poolbench/bench/param"
)

var _ = register(Spec{
	Name:    "exponential",
	Summary: "waits an exponentially distributed time: C² = 1, the M of M/M/k",
	Source:  "Erlang, 1917",
	Kind:    Wait,
	Keys:    []param.Key{meanKey},
	New: func(seed uint64, v param.Values) (Workload, error) {
		mean, err := positiveMean(v)
		if err != nil {
			return nil, err
		}
		return newWaits(seed, dist.Exp(mean)), nil
	},
})
