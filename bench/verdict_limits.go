package bench

import "math"

// A limit is an exact value of a whole run and how far a run may be from it by chance, theoryErrors
// standard errors and what a finite run is off by.
type limit struct {
	unit           string
	exact, allowed float64
}

// limit adds an exact value of the whole run to the result, to be judged.
func (o *observation) limit(r *Result, unit string, exact, allowed float64) {
	r.add("theory-"+unit, exact)
	o.limits = append(o.limits, limit{unit, exact, allowed})
}

// overloadNoise is how far the throughput of n tasks may be from the capacity that a load above 1
// finds: by chance, as the time that the tasks take varies; until all slots are busy for good,
// which takes some (1+C²)/(ρ−1)² tasks; and while the last tasks end.
func (o *observation) overloadNoise(r *Result, m measured, load, capacity float64) float64 {
	longest, _ := r.Metric("max-service-sec")
	n, spread := float64(m.n), 1+o.workload.C2()
	return capacity * (theoryErrors*math.Sqrt(spread/n) + spread/((load-1)*(load-1)*n) +
		longest/m.seconds())
}

// batchNoise is how far the makespan of n exponential tasks on k slots may be from its mean: while
// all slots are busy a task ends each 1/k of a mean, then the last j in 1/j. The last of them alone
// is beyond 12 means once in 160,000 times.
func batchNoise(n, k int, mean float64) float64 {
	variance := float64(max(n-k, 0)) / float64(k) / float64(k)
	for j := range min(k, n) {
		variance += 1 / float64(j+1) / float64(j+1)
	}
	return mean * (theoryErrors*math.Sqrt(variance) + 12)
}

// checkLimits holds the values of a whole run against the exact ones.
func (o *observation) checkLimits(r *Result) {
	for _, c := range o.limits {
		if measured, ok := r.Metric(c.unit); ok && math.Abs(measured-c.exact) > c.allowed {
			r.Doubt(Suspect, checkTheory, "%s is %.4g, the exact value %.4g: chance and the ends "+
				"of the run make no more than %.2g of difference", c.unit, measured,
				c.exact, c.allowed)
		}
	}
}
