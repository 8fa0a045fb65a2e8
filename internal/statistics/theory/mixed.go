package theory

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

type Part struct {
	Share float64 // share of the tasks; the shares of all parts add up to 1
	*Answer
}

// Mixed returns the answer for all tasks of separate queues. It panics if there are no parts or the
// shares do not add up to 1.
func Mixed(parts ...Part) *Answer {
	if len(parts) == 0 {
		panic("theory: a mixture of nothing")
	}
	var models []string
	a := &Answer{}
	total := 0.0
	for _, p := range parts {
		models = append(models, p.Model)
		a.Throughput += p.Throughput
		a.MeanInFlight += p.MeanInFlight
		a.WaitProb += p.Share * p.WaitProb
		a.MeanWait += p.Share * p.MeanWait
		a.MeanResponse += p.Share * p.MeanResponse
		a.ShedProb += p.Share * p.ShedProb
		total += p.Share
	}
	if math.Abs(total-1) > 1e-9 {
		panic(fmt.Sprintf("theory: the shares of a mixture sum to %v", total))
	}
	a.Model = strings.Join(models, " beside ")
	mix := func(mean float64, of func(Part) *law) *law {
		if slices.ContainsFunc(parts, func(p Part) bool { return of(p) == nil }) {
			return nil
		}
		return &law{unit: 1, mean: mean, tail: func(y float64) (sum float64) {
			for _, p := range parts {
				above, _ := of(p).above(y)
				sum += p.Share * above
			}
			return sum
		}}
	}
	a.wait = mix(a.MeanWait, func(p Part) *law { return p.wait })
	a.response = mix(a.MeanResponse, func(p Part) *law { return p.response })
	return a
}
