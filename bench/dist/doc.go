// Package dist contains distributions of task, think and inter-arrival times: sampling, their exact
// first two moments, and their text form.
//
//	d, err := dist.Parse("hyperexp(10ms,16)")
//	t := d.Sample(rand.New(rand.NewPCG(1, 7)))
//
// The forms, which String returns in a canonical way:
//
//	10ms, const(10ms)                     constant
//	exp(10ms)                             exponential with that mean; C² = 1
//	lognormal(10ms,4)                     log-normal with that mean and C²
//	bimodal(0.05,1ms,50ms)                1ms, but 50ms for a share of 0.05
//	hyperexp(10ms,16)                     balanced two-branch hyperexponential with that mean and C² ≥ 1
//	pareto(1.1,1ms,1s)                    Pareto with that exponent between those bounds: a heavy tail
//	mixture(0.98,exp(7ms),0.02,exp(150ms))  one of the branches, each with its probability
//
// Moments are float64 nanoseconds and not rounded, because the comparison with theory needs more
// digits than whole nanoseconds give for the short branch of a mixture. Only Sample and Mean round.
// C² is the squared coefficient of variation, variance over squared mean: the number that
// determines the cost of task-time variance.
//
// A Dist is immutable, safe for concurrent use, and draws without allocating. A draw depends only
// on the given random numbers, so the caller's seed determines it.
package dist
