// Package dist has the distributions of task, think and inter-arrival times: how to draw from them,
// their exact first two moments, and their spelling.
//
//	d, err := dist.Parse("hyperexp(10ms,16)")
//	t := d.Sample(rand.New(rand.NewPCG(1, 7)))
//
// The spellings, each the text that String gives back in one canonical form:
//
//	10ms, const(10ms)                     always the same
//	exp(10ms)                             exponential with that mean; C² = 1
//	lognormal(10ms,4)                     log-normal with that mean and C²
//	bimodal(0.05,1ms,50ms)                1ms, but 50ms for a share of 0.05
//	hyperexp(10ms,16)                     balanced two-branch hyperexponential with that mean and C² ≥ 1
//	pareto(1.1,1ms,1s)                    Pareto with that exponent between those bounds: a heavy tail
//	mixture(0.98,exp(7ms),0.02,exp(150ms))  one of the branches, each with its probability
//
// Moments are kept as float64 nanoseconds and never rounded on the way, because theory compares
// with them to more digits than a whole nanosecond leaves for the short branch of a mixture; only
// Sample and Mean round. C² is the squared coefficient of variation, variance over squared mean:
// the one number that decides how much task-time variance costs.
//
// A Dist is immutable, safe for concurrent use, and draws without allocating. A draw depends on
// nothing but the random numbers it is given, so the caller's seed decides it.
package dist
