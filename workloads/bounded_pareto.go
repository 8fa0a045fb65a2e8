package workloads

import (
	"github.com/poolbench/poolbench/bench/dist"
	"github.com/poolbench/poolbench/bench/param"
)

// With the defaults the mean is 5.49 ms and C² = 19.3. Half of the work is in the longest 4 % of
// the tasks, those above 17.6 ms.
var _ = register(Spec{
	Name: "bounded_pareto",
	Summary: "waits a time from a bounded heavy-tailed distribution: few long tasks are half of " +
		"the work",
	Source: "Harchol-Balter, Downey: Exploiting process lifetime distributions for dynamic load " +
		"balancing, 1997",
	Kind: Wait,
	Keys: []param.Key{
		{Name: "alpha", Kind: param.Float, Default: "1.1",
			Doc: "exponent of the tail: P(longer than x) falls as x^-alpha; a smaller exponent " +
				"means a heavier tail"},
		{Name: "low", Kind: param.Duration, Default: "1ms", Doc: "shortest time of a task"},
		{Name: "high", Kind: param.Duration, Default: "1s", Doc: "longest time of a task"},
	},
	New: drawn(func(v param.Values) (dist.Dist, error) {
		return dist.NewPareto(v.Float("alpha"), v.Duration("low"), v.Duration("high"))
	}),
})
