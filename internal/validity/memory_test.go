package validity

import "testing"

// The variances, times tasks and divided by the relaxation time, were simulated independently: 200
// seeds of 200,000 tasks.
func TestP99Variance(t *testing.T) {
	for _, c := range []struct{ slots, load, c2, share, variance float64 }{
		{1, 0.5, 0, 0.770, 4.81}, {1, 0.5, 1, 0.850, 5.87}, {1, 0.8, 0, 0.912, 7.36},
		{1, 0.9, 0, 0.956, 6.67}, {1, 0.9, 1, 0.977, 9.18}, {1, 0.95, 1, 0.988, 5.68},
		{4, 0.5, 0, 0.416, 1.34}, {4, 0.8, 0, 0.710, 4.87}, {4, 0.8, 1, 0.742, 3.89},
		{4, 0.9, 0, 0.841, 5.42}, {4, 0.9, 1, 0.895, 7.30}, {4, 0.95, 0, 0.915, 8.00},
		{16, 0.8, 0, 0.352, 1.43}, {16, 0.8, 1, 0.226, 0.12}, {16, 0.9, 0, 0.556, 2.57},
		{16, 0.9, 1, 0.486, 0.58}, {16, 0.95, 0, 0.725, 5.28}, {16, 0.95, 1, 0.744, 2.12},
		{64, 0.8, 0, 0.083, 0.35}, {64, 0.8, 1, 0.030, 0.09}, {64, 0.9, 0, 0.218, 0.47},
		{64, 0.9, 1, 0.116, 0.03}, {64, 0.95, 0, 0.386, 1.68},
	} {
		relax := (1 + c.c2) / ((1 - c.load) * (1 - c.load))
		ratio := Memory{c2: c.c2}.P99Variance(relax, c.share) / (relax * c.variance)
		if ratio < 0.55 || ratio > 2.2 {
			t.Errorf("%v slots, load %v, C² %v: %.2f times what seeds scatter by", c.slots, c.load,
				c.c2, ratio)
		}
	}
}

// The variances come from 40 and 50 virtual-clock runs of 180,000 tasks.
func TestP99VarianceOfLongTasks(t *testing.T) {
	const logNormal, hyperexp4, hyperexp16 = 625, 42, 186 // values of E[S⁴]/E[S²]²
	for _, c := range []struct{ load, c2, tail, share, variance float64 }{
		{0.9, 4, logNormal, 0.949, 15.3}, {0.8, 4, hyperexp4, 0.808, 5.39},
		{0.9, 4, hyperexp4, 0.938, 4.48}, {0.8, 16, hyperexp16, 0.930, 13.4},
	} {
		relax := (1 + c.c2) / ((1 - c.load) * (1 - c.load))
		ratio := Memory{c2: c.c2, tail: c.tail}.P99Variance(relax, c.share) / (relax * c.variance)
		if ratio < 0.55 || ratio > 2.2 {
			t.Errorf("load %v, C² %v: %.2f times what seeds scatter by", c.load, c.c2, ratio)
		}
	}
}
