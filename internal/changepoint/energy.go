package changepoint

import (
	"math"

	"github.com/poolbench/poolbench/internal/statistics"
)

type split struct {
	at int     // index of the first value of the second part; 0 if there is no split
	q  float64 // scaled energy distance, at least 0
}

// best compares the part before each split with the part after it up to every possible end, so it
// also finds a change that is undone later. It takes O(n²).
func (s *search) best(stretch []float64) split {
	n, least := len(stretch), s.Shortest
	if n < 2*least {
		return split{}
	}
	width := n + 1
	s.prepare(stretch)
	sum := s.sums
	// within returns the sum of distances over ordered pairs of different values in [from, to).
	within := func(from, to int) float64 {
		return sum[to*width+to] - 2*sum[from*width+to] + sum[from*width+from]
	}
	var found split
	for at := least; at <= n-least; at++ {
		m := float64(at)
		first := within(0, at) / (m * (m - 1))
		for end := at + least; end <= n; end++ {
			k := float64(end - at)
			between := 2 * (sum[at*width+end] - sum[at*width+at]) / (m * k)
			q := m * k / (m + k) * (between - first - within(at, end)/(k*(k-1)))
			if q > found.q*(1+rounding) && q > 0 {
				found = split{at, q}
			}
		}
	}
	return found
}

const rounding = 1e-9

func (s *search) prepare(stretch []float64) {
	width := len(stretch) + 1
	if len(s.sums) < width*width {
		s.sums = make([]float64, width*width)
	}
	for j := range width {
		s.sums[j] = 0
	}
	for i, a := range stretch {
		row, above := s.sums[(i+1)*width:(i+2)*width], s.sums[i*width:(i+1)*width]
		row[0] = 0
		line := 0.0
		for j, b := range stretch {
			line += math.Abs(a - b)
			row[j+1] = above[j+1] + line
		}
	}
}

func ranks(values []float64) []float64 {
	out := make([]float64, len(values))
	for i, doubled := range statistics.Midranks(values, 0) {
		out[i] = float64(doubled) / 2
	}
	return out
}
