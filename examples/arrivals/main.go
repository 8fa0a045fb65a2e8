// Command arrivals is poolbench with a custom arrival process: a sale, during which the rate is
// several times as high.
package main

import (
	"errors"
	"math/rand/v2"
	"time"

	"github.com/poolbench/poolbench"
	"github.com/poolbench/poolbench/bench/arrivals"
	"github.com/poolbench/poolbench/bench/param"
)

func main() {
	arrivals.Register(sale)
	poolbench.Main()
}

var sale = arrivals.Spec{
	Name:    "sale",
	Summary: "Poisson arrivals whose rate is several times as high for a while",
	Keys: []param.Key{
		{Name: "times", Kind: param.Float, Default: "3", Doc: "the rate of the sale, in rates"},
		{Name: "at", Kind: param.Duration, Default: "5s", Doc: "when the sale begins"},
		{Name: "lasts", Kind: param.Duration, Default: "2s", Doc: "how long it lasts"},
	},
	Open: func(rate float64, seed uint64, v param.Values) (arrivals.Next, error) {
		times, at, lasts := v.Float("times"), v.Duration("at"), v.Duration("lasts")
		if times < 1 {
			return nil, errors.New("times: want 1 or more")
		}
		random := rand.New(rand.NewPCG(seed, 0)) // the same seed, the same plan
		var now time.Duration
		return func() time.Duration {
			for { // thinning: of arrivals at the highest rate, keep those that the rate has
				now += time.Duration(random.ExpFloat64() / (rate * times) * float64(time.Second))
				if selling := at <= now && now < at+lasts; selling || random.Float64()*times < 1 {
					return now
				}
			}
		}, nil
	},
}
