package theory

import (
	"errors"
	"fmt"
)

// MGInf is the system M/G/∞: no limit, every task starts at once. The Limit of p is not looked at. The number in flight is
// Poisson with mean a whatever the distribution of the service time; InFlightQuantile says how far it spreads.
func MGInf(p Pool) (*Answer, error) {
	p.Limit = 1
	if err := p.validate(); err != nil {
		return nil, err
	}
	return &Answer{
		Model:        "M/G/∞",
		Throughput:   p.Rate,
		MeanInFlight: p.Offered(),
		MeanResponse: p.MeanService,
		wait:         zeroLaw(),
	}, nil
}

// InFlightQuantile returns the least n such that an M/G/∞ system with the given offered load has at most n tasks in flight
// for a share q of the time. It panics unless 0 ≤ q < 1.
func InFlightQuantile(offered, q float64) (int, error) {
	if err := positive("offered load", offered); err != nil {
		return 0, err
	}
	if offered > 1e9 {
		return 0, errors.New("theory: offered load above 1e9")
	}
	if !(0 <= q && q < 1) {
		panic(fmt.Sprintf("theory: quantile %v is outside [0, 1)", q))
	}
	first, pmf := poisson(offered)
	// From the far end, so that a q close to 1 meets the small terms before the large ones.
	above, i := 0.0, len(pmf)-1
	for ; i > 0 && above+pmf[i] <= 1-q; i-- {
		above += pmf[i]
	}
	return first + i, nil
}
