package workloads

import (
	"fmt"
	"math"
	"strings"

	"github.com/poolbench/poolbench/bench/dist"
	"github.com/poolbench/poolbench/bench/param"
)

var _ = register(Spec{
	Name:    "tenants",
	Summary: "waits; tasks belong to tenants (or keys), and some tenants send more than others",
	Kind:    Wait,
	Keys: []param.Key{timeKey,
		{Name: "n", Kind: param.Int, Default: "8", Doc: "tenants or keys, numbered from 0"},
		{Name: "skew", Kind: param.Text, Default: "zipf(1.1)", Doc: "share of each tenant in the " +
			"tasks: zipf(s) is proportional to (number+1)^-s; noisy(p) is p for tenant 0, and " +
			"equal shares for all others"},
	},
	New: func(seed uint64, v param.Values) (Workload, error) {
		weights, err := tenantWeights(v.Int("n"), v.Text("skew"))
		if err != nil {
			return nil, err
		}
		return tenants{newLabels(seed, v.Dist("time"), weights)}, nil
	},
})

type tenants struct{ labels }

func (w tenants) Tenant(seq uint64) int32 { return int32(w.number(seq)) }

// The shares take up to 80 kB.
const maxTenants = 10_000

func tenantWeights(n int, skew string) ([]float64, error) {
	if n < 2 || n > maxTenants {
		return nil, fmt.Errorf("n: want 2 to %d tenants, got %d", maxTenants, n)
	}
	name, rest, _ := strings.Cut(skew, "(")
	number, closed := strings.CutSuffix(rest, ")")
	x, err := dist.ParseFloat(number)
	weights := make([]float64, n)
	switch {
	case closed && err == nil && name == "zipf" && x >= 0 && x <= 20:
		for i := range weights {
			weights[i] = math.Pow(float64(i+1), -x)
		}
	case closed && err == nil && name == "noisy" && x > 0 && x < 1:
		for i := range weights {
			weights[i] = (1 - x) / float64(n-1)
		}
		weights[0] = x
	default:
		return nil, fmt.Errorf("skew: want zipf(s) with s from 0 to 20, or noisy(p) with p between "+
			"0 and 1, got %q", skew)
	}
	return weights, nil
}
