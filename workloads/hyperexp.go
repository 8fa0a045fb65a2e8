package workloads

import (
	"github.com/poolbench/poolbench/bench/dist"
	"github.com/poolbench/poolbench/bench/param"
)

var _ = register(Spec{
	Name: "hyperexp",
	Summary: "waits a hyperexponentially distributed time, two balanced branches: any C² ≥ 1, " +
		"with exact theory",
	Source: "balanced means: Whitt, Approximating a point process by a renewal process, 1982",
	Kind:   Wait,
	Keys: []param.Key{
		meanKey,
		{Name: "c2", Kind: param.Float, Default: "16",
			Doc: "squared coefficient of variation, at least 1"},
	},
	New: drawn(func(v param.Values) (dist.Dist, error) {
		return dist.HyperExp(v.Duration("mean"), v.Float("c2"))
	}),
})
