package arrivals

import (
	"github.com/poolbench/poolbench/bench/param"
)

// onoff is the interrupted Poisson process. With exponential phases its gaps are independent and
// hyperexponential. Their C² and the index of dispersion of long windows are both 1 +
// 2λ·on·off²/(on+off)², where λ is the rate of the bursts.
var _ = register(Spec{
	Name: "onoff",
	Summary: "bursts of Poisson arrivals with off periods between them, at the scenario's mean " +
		"rate",
	Source: "Kuczura, The Interrupted Poisson Process as an Overflow Process, 1973",
	Keys: []param.Key{
		{Name: "on", Kind: param.Duration, Default: "200ms", Doc: "mean length of a burst"},
		{Name: "off", Kind: param.Duration, Default: "800ms", Doc: "mean length of an off period"},
		{Name: "phases", Kind: param.Choice, Default: "exp",
			Choices: []string{"exp", "fixed"},
			Doc:     "exponential lengths, or all as long as the mean"},
	},
	Bursts: func(rate float64, v param.Values) Bursts {
		fixed := v.Choice("phases") == "fixed"
		return burstsOf(rate, v, "on", "off", [2]float64{1, 0}, fixed)
	},
	Open: func(rate float64, seed uint64, v param.Values) (Next, error) {
		fixed := v.Choice("phases") == "fixed"
		return openModulated(rate, seed, v, "on", "off", [2]float64{1, 0}, fixed)
	},
})
