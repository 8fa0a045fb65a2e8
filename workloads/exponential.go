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
	New:     ofMean(dist.Exp),
})
