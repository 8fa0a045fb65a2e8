package arrivals

import (
	"time"

	"github.com/poolbench/poolbench/bench/param"
)

var _ = register(Spec{
	Name:      "batch",
	Summary:   "all tasks are due at the start: a batch job",
	Source:    "pattern: process a slice with bounded concurrency",
	AllAtOnce: true,
	Open: func(float64, uint64, param.Values) (Next, error) {
		return func() time.Duration { return 0 }, nil
	},
})
