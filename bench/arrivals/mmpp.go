package arrivals

import (
	"errors"

	"github.com/poolbench/poolbench/bench/param"
)

// Unlike in onoff, the gaps are correlated, so long windows are burstier than the gaps alone
// suggest.
var _ = register(Spec{
	Name: "mmpp",
	Summary: "Poisson arrivals whose rate jumps between two levels; the mean is the rate of the " +
		"scenario",
	Source: "Fischer, Meier-Hellstern, The Markov-Modulated Poisson Process Cookbook, 1993",
	Keys: []param.Key{
		{Name: "ratio", Kind: param.Float, Default: "5",
			Doc: "ratio of the high rate to the low rate: 1 to 1e6"},
		{Name: "high", Kind: param.Duration, Default: "500ms",
			Doc: "mean time at the high rate, exponential"},
		{Name: "low", Kind: param.Duration, Default: "2s",
			Doc: "mean time at the low rate, exponential"},
	},
	Bursts: func(rate float64, v param.Values) Bursts {
		return burstsOf(rate, v, "high", "low", [2]float64{v.Float("ratio"), 1}, false)
	},
	Open: func(rate float64, seed uint64, v param.Values) (Next, error) {
		ratio := v.Float("ratio")
		if !(ratio >= 1 && ratio <= 1e6) {
			return nil, errors.New("ratio: want 1 to 1e6")
		}
		return openModulated(rate, seed, v, "high", "low", [2]float64{ratio, 1}, false)
	},
})
