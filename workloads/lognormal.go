package workloads

import (
	"github.com/poolbench/poolbench/bench/dist"
	"github.com/poolbench/poolbench/bench/param"
)

// With the default C² of 4 the median is 0.45 of the mean, and p99 is 8.6 times the mean, as in a
// healthy remote service.
var _ = register(Spec{
	Name:    "lognormal",
	Summary: "waits a log-normally distributed time, with a long tail, as in remote calls",
	Kind:    Wait,
	Keys: []param.Key{
		meanKey,
		{Name: "c2", Kind: param.Float, Default: "4",
			Doc: "squared coefficient of variation, above 0"},
	},
	New: drawn(func(v param.Values) (dist.Dist, error) {
		return dist.NewLogNormal(v.Duration("mean"), v.Float("c2"))
	}),
})
