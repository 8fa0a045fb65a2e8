package advise

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

const (
	fewestStretches = 100 // stretches per plan
	fewestInStretch = 25  // tasks, on average
	busiestOf       = 10  // share of stretches that count as busy: one in ten
	enoughBusy      = 160 // stretches, to make the error of their excess small
	// mean excess of a normal value over its upper tenth, in standard deviations: φ(z)/0.1 - z
	normalExcess = 0.473
	// The difference of two Gumbel values is logistic: 97.5 % of the differences of two maxima with
	// an exponential tail are below ln(0.975/0.025) of its scale.
	logistic = 3.664
)

// busier returns the factor by which the busiest stretch of another such record may have more work,
// or 1. The scale of the tail is the mean excess of the work of the busiest tenth of the stretches,
// on a logarithmic scale. The smallest scale over all lengths of stretches counts, because bursts
// are bounded, which short stretches show, but a wandering rate is unbounded at any length.
func (s sample) busier() float64 {
	scale := math.Inf(1)
	for n := fewestStretches; n*fewestInStretch <= len(s.due); n *= 2 {
		scale = min(scale, s.excessOf(n))
	}
	if math.IsInf(scale, 1) {
		return 1
	}
	return math.Exp(logistic * scale)
}

// excessOf subtracts the contribution of chance, which is the difference between two random halves
// of a stretch.
func (s sample) excessOf(n int) float64 {
	type stretch struct{ halves [2]float64 }
	all := make([]stretch, n)
	deal := rand.New(rand.NewPCG(1, uint64(n)))
	first, last := s.due[0], s.due[len(s.due)-1]
	for i, due := range s.due {
		at := int(float64(due-first) / float64(last-first+1) * float64(n))
		all[at].halves[deal.Uint64()&1] += float64(s.service[i])
	}
	work := func(s stretch) float64 { return s.halves[0] + s.halves[1] }
	slices.SortFunc(all, func(a, b stretch) int {
		return cmp.Compare(work(a), work(b))
	})
	busy := n / busiestOf
	above := work(all[n-busy-1])
	if above == 0 { // no tasks in most stretches
		return 0
	}
	excess, chance := 0.0, 0.0
	for _, one := range all[n-busy:] {
		excess += math.Log(work(one)/above) / float64(busy)
	}
	for _, one := range all[n/2:] { // the half that contains any work
		if w := work(one); w > 0 {
			d := (one.halves[0] - one.halves[1]) / w
			chance += d * d / float64(n-n/2)
		}
	}
	beyond := excess*excess - normalExcess*normalExcess*chance
	// an excess below twice its standard error counts as 0, given enough stretches
	if busy >= enoughBusy && beyond < 4*excess*excess/math.Sqrt(float64(busy)) {
		return 0
	}
	return math.Sqrt(max(0, beyond))
}
