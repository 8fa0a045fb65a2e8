package capacity

import (
	"math"
	"time"
)

// Remaining is an estimate of the probes that a search needs. A quiet server needs about as many as
// Least, and noise or a server that completes less under overload needs up to about Most.
type Remaining struct {
	Least, Most int
	rest        time.Duration
}

// Within returns the time that the probes and the rests between them take.
func (r Remaining) Within(probe time.Duration) (least, most time.Duration) {
	// The confirmation takes twice as long. A rest after a missed probe does, too.
	least = time.Duration(r.Least)*probe + time.Duration(r.Least-1)*r.rest + probe
	most = time.Duration(r.Most)*probe + time.Duration(r.Most-1)*2*r.rest + 2*probe
	return least, most
}

// Numbers of probes that follow the halvings, or repeat them.
const (
	minBracketed  = 5 // met, missed, two probes near the completed rate, and the confirmation
	maxRepeated   = 4 // a repeated miss, and a confirmation that misses, with what follows
	maxConfirming = 6 // the confirmation, and what follows if it misses
)

// Expected returns the probes of the whole search.
func (s Server) Expected() Remaining {
	return s.remaining(&ServerAnswer{Met: math.NaN(), Missed: math.NaN()}, s.First, 1)
}

// remaining returns the probes from one at this rate on.
func (s Server) remaining(a *ServerAnswer, rate, longer float64) Remaining {
	r := Remaining{rest: s.Rest}
	met, missed := !math.IsNaN(a.Met), !math.IsNaN(a.Missed)
	switch {
	case met && (rate == a.Met || a.Met == s.Most) && longer == 2:
		r.Least, r.Most = 1, maxConfirming
	case !missed:
		doublings := int(math.Ceil(math.Log2(s.Most/rate))) + 1
		r.Least = min(doublings+1, minBracketed)
		r.Most = doublings + 2*s.halvings(2) + maxRepeated
	case !met:
		r.Least = 3
		r.Most = maxHalvings/2 + 2*s.halvings(2) + maxRepeated
	default:
		// Half of the halvings miss, and each miss may be repeated.
		gap := s.halvings(a.Missed / a.Met)
		r.Least, r.Most = min(gap, 1)+1, 2*gap+maxRepeated
	}
	return r
}

// halvings returns the number of halvings of a gap until its ends differ by the resolution.
func (s Server) halvings(ratio float64) int {
	return max(0, int(math.Ceil(math.Log2(math.Log(ratio)/math.Log1p(s.resolution())))))
}
