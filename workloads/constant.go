package workloads

import (
	"time"

	"github.com/poolbench/poolbench/bench/dist"
	"github.com/poolbench/poolbench/bench/param"
)

var _ = register(Spec{
	Name:    "constant",
	Summary: "waits the same time in every task",
	Kind:    Wait,
	Keys:    []param.Key{meanKey},
	New:     ofMean(func(mean time.Duration) dist.Constant { return dist.Constant{Value: mean} }),
})
