package registry

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"github.com/poolbench/poolbench/bench/param"
)

// A Coin chooses one of two kinds for each task, the rare one with probability P, from the seed and
// the sequence number. Waits are drawn from PCG(seed, seq), and the choice from PCG(^seed, seq), so
// they are independent.
type Coin struct {
	Seed uint64
	P    float64
}

// NewCoin reads P, from 0 to 1, from the parameter named key.
func NewCoin(seed uint64, v param.Values, key string) (Coin, error) {
	p := v.Float(key)
	if !(p >= 0 && p <= 1) {
		return Coin{}, fmt.Errorf("%s: must be between 0 and 1, got %v", key, p)
	}
	return Coin{seed, p}, nil
}

// Rare does not allocate.
func (c Coin) Rare(seq uint64) bool {
	var pcg rand.PCG
	pcg.Seed(^c.Seed, seq)
	return float64(pcg.Uint64()>>11) < c.P*(1<<53)
}

func (c Coin) Kind(seq uint64) int {
	if c.Rare(seq) {
		return 1
	}
	return 0
}

// With d = rare − usual, the mean is usual + p·d and the variance p(1−p)·d².
func (c Coin) Moments(usual, rare time.Duration) (mean time.Duration, c2 float64) {
	d := float64(rare - usual)
	m := float64(usual) + c.P*d
	return time.Duration(math.Round(m)), c.P * (1 - c.P) * (d / m) * (d / m)
}
