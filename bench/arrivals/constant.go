package arrivals

import (
	"time"

	"github.com/poolbench/poolbench/bench/param"
)

// Task i is due at (i+1)/rate, rounded once, so rounding errors do not accumulate.
var _ = register(Spec{
	Name:    "constant",
	Summary: "equal gaps: task i is due at (i+1)/rate",
	Source:  "vegeta's ConstantPacer, without its truncated interval",
	Bursts:  func(float64, param.Values) Bursts { return Bursts{Memory: 1} },
	Open: func(rate float64, _ uint64, _ param.Values) (Next, error) {
		var i float64
		return func() time.Duration {
			i++
			return time.Duration(i / rate * float64(time.Second))
		}, nil
	},
})
