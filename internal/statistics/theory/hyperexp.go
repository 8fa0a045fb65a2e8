package theory

import (
	"cmp"
	"fmt"
	"math"
)

// An H2 is a hyperexponential service time: exponential with mean Mean1 for a share P1 of the
// tasks, and with mean Mean2 for the others. Let branch 1 be the rare branch, because 1−P1 loses
// digits if P1 is close to 1.
type H2 struct {
	P1, Mean1, Mean2 float64
}

// BalancedH2 returns the H2 in which each branch has half of the work. Branch 1 is the long one. No
// H2 has a c2 below 1.
func BalancedH2(mean, c2 float64) (H2, error) {
	if err := positive("mean service time", mean); err != nil {
		return H2{}, err
	}
	if !(c2 >= 1) || math.IsInf(c2, 1) {
		return H2{}, fmt.Errorf("theory: a hyperexponential needs a finite C² of at least 1, got "+
			"%v", c2)
	}
	// The shares are (1 ± r)/2 with r² = (C²−1)/(C²+1). A quotient for the small one avoids
	// cancellation.
	long := 1 / (c2 + 1) / (1 + math.Sqrt((c2-1)/(c2+1)))
	return H2{P1: long, Mean1: mean / (2 * long), Mean2: mean / (2 * (1 - long))}, nil
}

// Spread selects M/D/k for c2 = 0, M/M/k for 1, and M/H2/k with balanced branches above 1. Values
// between 0 and 1 are an error.
func Spread(p Pool, c2 float64) (*Answer, error) {
	switch c2 {
	case 0:
		return MDk(p)
	case 1:
		return MMk(p)
	}
	h, err := BalancedH2(p.MeanService, c2)
	if err != nil {
		return nil, err
	}
	return MH2k(p.Rate, h, p.Limit)
}

func (h H2) Mean() float64 { return h.P1*h.Mean1 + (1-h.P1)*h.Mean2 }

func (h H2) validate() error {
	if !(h.P1 > 0 && h.P1 < 1) {
		return fmt.Errorf("theory: probability of a branch must be above 0 and below 1, got %v",
			h.P1)
	}
	return cmp.Or(positive("mean of branch 1", h.Mean1), positive("mean of branch 2", h.Mean2))
}
