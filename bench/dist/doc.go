// Package dist contains distributions of task, think and inter-arrival times. Parse accepts:
//
//	10ms, const(10ms)                     constant
//	exp(10ms)                             exponential with that mean; C² = 1
//	lognormal(10ms,4)                     log-normal with that mean and C²
//	bimodal(0.05,1ms,50ms)                50ms with probability 0.05, otherwise 1ms
//	hyperexp(10ms,16)                     balanced two-branch hyperexponential with that mean and C² ≥ 1
//	pareto(1.1,1ms,1s)                    Pareto with that exponent between those bounds: a heavy tail
//	mixture(0.98,exp(7ms),0.02,exp(150ms))  one of the branches, each with its probability
//
// C² is the squared coefficient of variation, the variance over the squared mean. Moments are
// unrounded float64 nanoseconds, as a comparison with theory requires. A Dist is immutable, safe
// for concurrent use, and draws without allocating. A draw depends only on the given random
// numbers.
package dist
