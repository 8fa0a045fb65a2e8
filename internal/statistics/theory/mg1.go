package theory

import (
	"fmt"
	"math"
)

// MG1 is the queue M/G/1 for service times of any distribution with squared coefficient of
// variation c2. It has means only, since the distribution of the wait needs more than two moments
// of the service time. MDk and MH2k with limit 1 have the distribution.
//
// It is an error if the limit is not 1, because with more slots two moments do not determine the
// mean (two service times of equal mean and C² can differ eightfold in it), or if c2 is not finite,
// because the mean wait is then infinite.
//
// Source: Pollaczek (1930) and Khinchine (1932): E[W] = E[S]·ρ(1+C²)/(2(1−ρ)).
func MG1(p Pool, c2 float64) (*Answer, error) {
	if err := p.stable(); err != nil {
		return nil, err
	}
	if p.Limit != 1 {
		return nil, fmt.Errorf("theory: M/G/1 needs limit 1, got %d: no exact value is known "+
			"for general service times above it", p.Limit)
	}
	if !(c2 >= 0) || math.IsInf(c2, 1) {
		return nil, fmt.Errorf("theory: M/G/1 needs a finite C² of at least 0, got %v", c2)
	}
	rho := p.Utilisation()
	wait := p.MeanService * rho * (1 + c2) / (2 * (1 - rho))
	a := p.answer("M/G/1", rho, 0, nil, nil)
	a.MeanWait, a.MeanResponse = wait, p.MeanService+wait
	return a, nil
}
