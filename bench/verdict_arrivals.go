package bench

import (
	"math"
	"slices"
)

// planRisk is the chance that a plan which is in order is called wrong: plans are made of seeds, so
// it strikes the same seeds always.
const planRisk = 1e-6

// mostGaps is how many gaps are tested, evenly spread over the run: enough to see a deviation of 2
// %, and sorted in 2 ms.
const mostGaps = 20_000

// finestGap is the mean gap below which rounding due times to nanoseconds shows in the
// distribution.
const finestGap = 1000

// checkPlan tests that the gaps of a Poisson plan are exponential with the plan's rate. What the
// generator made of the plan is reported beside it and not judged: with thousands of arrivals the
// test sees the microseconds that any timer is late by, and rejects every generator in real time.
// The lag says what they amount to.
func (o *observation) checkPlan(r *Result) {
	mean := float64(second) / max(o.scenario.rate(o.mean), 1e-12)
	if !o.poisson() || o.trace.n < 30 || mean < finestGap {
		return
	}
	a2, n := o.andersonDarling(mean, func(rec *record) int64 { return rec.due })
	r.add("arrivals-ad", a2)
	if o.scenario.Clock == Real {
		issued, _ := o.andersonDarling(mean, func(rec *record) int64 { return rec.issue })
		r.add("issued-ad", issued)
	}
	if p := andersonDarlingTail(a2); p < planRisk {
		r.Doubt(Invalid, checkPlan, "the gaps between due times are not exponential with mean "+
			"%s: Anderson–Darling A² = %.3g over %d gaps, P = %.1g", spell(mean), a2, n, p)
	}
}

// andersonDarling returns A² of the gaps between instants against the exponential distribution with
// that mean, and the number of gaps (Anderson and Darling, A test of goodness of fit, JASA 1954;
// nothing is estimated, case 0 of Stephens, EDF statistics for goodness of fit, JASA 1974).
func (o *observation) andersonDarling(mean float64, at func(*record) int64) (a2 float64, n int) {
	stride := max(o.trace.n/mostGaps, 1)
	gaps := make([]float64, 0, min(o.trace.n, 2*mostGaps))
	for i := stride; i < o.trace.n; i += stride {
		gap := float64(at(o.trace.at(i)) - at(o.trace.at(i-1)))
		gaps = append(gaps, max(gap, 0.5)/mean) // a gap of 0 ns is one of less than one
	}
	slices.Sort(gaps)
	n = len(gaps)
	for i, g := range gaps {
		// ln F(xᵢ) + ln(1 − F(x₍ₙ₋₁₋ᵢ₎)), where ln(1 − F(x)) = −x.
		a2 -= float64(2*i+1) * (math.Log(-math.Expm1(-g)) - gaps[n-1-i])
	}
	return a2/float64(n) - float64(n), n
}

// andersonDarlingTail is P(A² > a2) for large a2. In the limit A² is Σ Zⱼ²/(j(j+1)), so that its
// tail is that of its first term, ½Z₁², times Π_{j≥2}(1 − 2/(j(j+1)))^{−½} = √3 (Zolotarev,
// Concerning a certain probability problem, 1961). It is 5 % low at a level of 1 %, and better
// beyond.
func andersonDarlingTail(a2 float64) float64 {
	return min(math.Sqrt(3)*math.Erfc(math.Sqrt(max(a2, 0))), 1)
}

// pastaErrors is how many standard errors the two shares may be apart: a false alarm in 1.7 million
// runs.
const pastaErrors = 5

// checkPASTA holds what arrivals saw against what was there: Poisson arrivals see time averages
// (Wolff, Operations Research 1982). With U(t) = 1 where all places are taken, and A arrivals, the
// difference of the shares is ∫(U−p)(dN−λdt)/A, a martingale, since U is settled by the past. So
// its standard error is √(p(1−p)/A) however long a queue remembers, and the test is sharp. Where
// too few arrivals saw the rarer state it is not normal, and not judged.
func (o *observation) checkPASTA(r *Result, f flow) {
	if !o.poisson() || f.window == 0 || o.bound() == 0 {
		return
	}
	n := float64(o.trace.n)
	seen, there := float64(f.seenFull)/n, float64(f.fullTime)/float64(f.window)
	r.add("seen-full/op", seen)
	r.add("full-share", there)
	if n*there*(1-there) < 50 {
		return
	}
	if off := (seen - there) / math.Sqrt(there*(1-there)/n); math.Abs(off) > pastaErrors {
		r.Doubt(Invalid, checkPASTA, "%.2f %% of the arrivals found every slot taken, which was "+
			"so %.2f %% of the time: %.1f standard errors apart", 100*seen,
			100*there, math.Abs(off))
	}
}
