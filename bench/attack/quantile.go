package attack

import (
	"math"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// quantiles are those that bench reports, by the rules that it has for them.
var quantiles = []struct {
	name string
	p    float64
}{{"p50", 0.5}, {"p90", 0.9}, {"p99", 0.99}, {"p99.9", 0.999}}

// resolvable reports whether n values can tell the quantile p: pⁿ ≤ 0.025.
func resolvable(p float64, n int64) bool { return n > 0 && float64(n)*math.Log(p) <= math.Log(0.025) }

// nearestRank returns the ⌈pn⌉-th smallest value, up to the 0.1 % by which a histogram knows it.
func nearestRank(h *hdrhistogram.Histogram, p float64) int64 {
	exact := p * float64(h.TotalCount())
	rank := math.Round(exact)
	if math.Abs(exact-rank) > 1e-9*exact {
		rank = math.Ceil(exact)
	}
	var below int64
	for _, bar := range h.Distribution() {
		if below += bar.Count; float64(below) >= max(rank, 1) {
			return min(bar.To, h.Max())
		}
	}
	return h.Max()
}
