package theory

import (
	"fmt"
	"math"
)

// MG1 returns the means for the queue M/G/1 with service times of squared coefficient of variation
// c2. The distribution of the wait depends on more moments. With several slots, even the mean does
// (eightfold at equal mean and C²), so a limit other than 1 is an error.
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
