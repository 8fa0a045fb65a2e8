package workloads

import (
	"fmt"
	"strconv"

	"github.com/poolbench/poolbench/bench/dist"
	"github.com/poolbench/poolbench/bench/param"
)

// The defaults model a remote cache with exponential hits of 0.714 ms and misses, one in fifty, of
// 15 ms. The mean is 0.99972 ms and C² = 9.0048.
var _ = register(Spec{
	Name:    "mixture",
	Summary: "waits a time from one of up to eight distributions, each with its weight",
	Kind:    Wait,
	Keys:    branchKeys([]string{"0.98", "0.02"}, []string{"exp(0.714ms)", "exp(15ms)"}),
	New:     drawn(mixtureOf),
})

// maxBranches bounds the time of a draw, which is linear.
const maxBranches = 8

func branchKeys(weights, dists []string) (keys []param.Key) {
	for i := range maxBranches {
		weight, d := "0", "const(0s)"
		if i < len(weights) {
			weight, d = weights[i], dists[i]
		}
		n := strconv.Itoa(i + 1)
		keys = append(keys,
			param.Key{Name: "w" + n, Kind: param.Float, Default: weight, Doc: "weight of branch " +
				n + "; the weights add up to 1, and 0 omits the branch"},
			param.Key{Name: "d" + n, Kind: param.Distribution, Default: d,
				Doc: "distribution of branch " + n + ", not itself a mixture"})
	}
	return keys
}

// mixtureOf checks the branches itself, because dist.NewMixture would renumber them in its errors.
func mixtureOf(v param.Values) (dist.Dist, error) {
	var branches []dist.Branch
	for i := range maxBranches {
		n := strconv.Itoa(i + 1)
		weight := v.Float("w" + n)
		switch {
		case weight < 0 || weight > 1:
			return nil, fmt.Errorf("w%s: must be between 0 and 1, got %s", n,
				dist.FormatFloat(weight))
		case weight == 0 && v.Given("d"+n):
			return nil, fmt.Errorf("d%s: needs a weight, w%s", n, n)
		case weight == 0:
			continue
		}
		d := v.Dist("d" + n)
		if m, nested := d.(dist.Mixture); nested {
			return nil, fmt.Errorf("d%s: a branch cannot be a mixture itself, got %v", n, m)
		}
		branches = append(branches, dist.Branch{P: weight, Dist: d})
	}
	m, err := dist.NewMixture(branches...)
	switch {
	case err != nil:
		return nil, err
	case m.MeanNS() < 1:
		return nil, fmt.Errorf("the mean of a mixture must be at least 1ns, got %vns", m.MeanNS())
	case len(branches) == 1: // theory covers a single distribution
		return branches[0].Dist, nil
	}
	return m, nil
}
