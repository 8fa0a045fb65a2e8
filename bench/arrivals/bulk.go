package arrivals

import (
	"errors"
	"time"

	"github.com/poolbench/poolbench/bench/param"
)

// The first bulk is due after one period. The default period is n/rate.
var _ = register(Spec{
	Name:    "bulk",
	Summary: "n tasks at once in every period, like a cron job",
	Source:  "pattern: a cron job feeding a worker pool",
	Keys: []param.Key{
		{Name: "n", Kind: param.Int, Default: "100", Doc: "tasks in each bulk"},
		{Name: "period", Kind: param.Duration, Default: "0s",
			Doc: "time from one bulk to the next; 0s: computed from the load or the rate"},
	},
	FixedRate: func(v param.Values) bool { return v.Duration("period") > 0 },
	Bursts: func(_ float64, v param.Values) Bursts {
		return Bursts{Memory: float64(v.Int("n"))}
	},
	Open: func(rate float64, _ uint64, v param.Values) (Next, error) {
		n := v.Int("n")
		if n < 1 {
			return nil, errors.New("n: want at least 1 task in a bulk")
		}
		period := float64(v.Duration("period"))
		if period == 0 {
			period = float64(n) / rate * float64(time.Second)
		}
		i := 0
		return func() time.Duration {
			at := time.Duration(float64(i/n+1) * period)
			i++
			return at
		}, nil
	},
})
