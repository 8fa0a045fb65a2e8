package workloads

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"github.com/poolbench/poolbench/internal/param"
)

// A coin tells which of two kinds a task is, where a share p of them is of the rarer kind. It is a pure function of the seed and the
// sequence number, and independent of the waits, which are drawn from PCG(seed, seq): the coin's numbers are those of PCG(^seed, seq).
type coin struct {
	seed uint64
	p    float64
}

// newCoin takes its p from the parameter of that key, which may be anything from 0 to 1.
func newCoin(seed uint64, v param.Values, key string) (coin, error) {
	p := v.Float(key)
	if !(p >= 0 && p <= 1) {
		return coin{}, fmt.Errorf("%s: must be between 0 and 1, got %v", key, p)
	}
	return coin{seed, p}, nil
}

// rare does not allocate.
func (c coin) rare(seq uint64) bool {
	var pcg rand.PCG
	pcg.Seed(^c.seed, seq)
	return float64(pcg.Uint64()>>11) < c.p*(1<<53)
}

// moments returns the mean and C² of a time that is one of two. With d = rare − usual the mean is usual + p·d and the variance p(1−p)·d².
func (c coin) moments(usual, rare time.Duration) (mean time.Duration, c2 float64) {
	d := float64(rare - usual)
	m := float64(usual) + c.p*d
	return time.Duration(math.Round(m)), c.p * (1 - c.p) * (d / m) * (d / m)
}
