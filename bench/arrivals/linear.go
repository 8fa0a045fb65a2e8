package arrivals

import (
	"errors"
	"math"
	"time"

	"github.com/poolbench/poolbench/bench/param"
)

// At time t the rate is b+at, so task n is due when bt + at²/2 = n+1. This form of the positive
// root is accurate for small a.
var _ = register(Spec{
	Name:     "linear",
	Summary:  "a rate that grows linearly, from the rate of the scenario",
	Source:   "vegeta's LinearPacer, solved exactly",
	Unsteady: true,
	Keys: []param.Key{
		{Name: "slope", Kind: param.Float, Default: "0",
			Doc: "growth of the rate (per second) in a second"},
	},
	Open: func(rate float64, _ uint64, v param.Values) (Next, error) {
		a := v.Float("slope")
		if a < 0 || a > 1e9 {
			return nil, errors.New("slope: want 0 to 1e9 tasks per second in each second")
		}
		var n float64
		return func() time.Duration {
			n++
			return time.Duration(2 * n / (rate + math.Sqrt(rate*rate+2*a*n)) * float64(time.Second))
		}, nil
	},
})
