package workloads

import (
	"github.com/poolbench/poolbench/bench/dist"
	"github.com/poolbench/poolbench/bench/param"
)

var _ = register(Spec{
	Name:    "constant",
	Summary: "waits the same time in every task",
	Kind:    Wait,
	Keys:    []param.Key{meanKey},
	New: func(seed uint64, v param.Values) (Workload, error) {
		mean, err := positiveMean(v)
		if err != nil {
			return nil, err
		}
		return newWaits(seed, dist.Constant{Value: mean}), nil
	},
})
