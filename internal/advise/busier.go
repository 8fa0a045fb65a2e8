package advise

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

const (
	fewestStretches = 100 // that a plan is cut into
	fewestInStretch = 25  // tasks, on average
	busiestOf       = 10  // one in so many stretches counts as busy
	enoughBusy      = 160 // stretches, for the error of their excess to be a fraction of it
	// mean excess of a normal value over its upper tenth, in standard deviations: φ(z)/0.1 - z
	normalExcess = 0.473
	// 97.5 % of the differences of two maxima with an exponential tail are below ln(0.975/0.025) of
	// its scale: the difference of two Gumbel values is logistic
	logistic = 3.664
)

// busier is how many times as much work as the busiest stretch of a recorded plan the busiest one
// of another such plan may bring; 1 where chance alone makes some stretches busier than others,
// and where there are too few tasks to tell.
//
// The work of the busiest tenth of the stretches, by how far it is above the others (mean excess,
// on a logarithmic scale), has a tail of that scale. What single tasks and arrivals add to it by
// chance is what two halves of a stretch, dealt at random, differ by. The least of all lengths of
// stretches counts: bursts that come and go have a limit that short stretches show, and a rate
// that wanders has none at any length.
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

// excessOf is the mean excess of the work of n stretches of one length, without that of chance.
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
	if above == 0 { // most of the time nothing comes
		return 0
	}
	excess, chance := 0.0, 0.0
	for _, one := range all[n-busy:] {
		excess += math.Log(work(one)/above) / float64(busy)
	}
	for _, one := range all[n/2:] { // in which there is work, if in any
		if w := work(one); w > 0 {
			d := (one.halves[0] - one.halves[1]) / w
			chance += d * d / float64(n-n/2)
		}
	}
	beyond := excess*excess - normalExcess*normalExcess*chance
	// less than twice its own error is nothing, where there are enough stretches to tell
	if busy >= enoughBusy && beyond < 4*excess*excess/math.Sqrt(float64(busy)) {
		return 0
	}
	return math.Sqrt(max(0, beyond))
}
