// Package theory computes exact results of queueing theory for a pool of bounded concurrency, to
// compare measurements with. A model turns a [Pool] into an [Answer], or into an error if the queue
// would grow without bound.
//
//	service times              model         beyond means, P(wait), P(shed) cost, cost of a quantile
//	exponential                MMk           wait and response quantiles    0.4 µs, 1 µs
//	constant                   MDk           wait and response quantiles    0.2 ms, 30 µs
//	H2, at limit 4             MH2k          wait and response quantiles    0.1 ms (O(k⁴)), 0.1 ms
//	any, limit 1               MG1           –                              O(1)
//	any, shed when busy        MGkk          wait quantiles (all 0)         O(k)
//	exponential, bounded queue MMkK          wait and response quantiles    O(k + queue), 0.1 ms
//	exponential, giving up     MMkM          –                              O(tasks that wait)
//	any, unbounded             MGInf         –                              O(1)
//	exponential, N clients     MMkN          wait and response quantiles    O(N), 0.1 ms
//	exponential, a batch       BatchMakespan the mean makespan only         O(k)
//
// H2 is two-branch hyperexponential. Costs are for one evaluation at utilisation 0.9 on one core.
// Results have ten digits or more, unless a model's comment differs. Tests compare them with other
// methods, other code and 50-digit arithmetic.
//
// Every time is in one unit of the caller's choice, and every rate is per that unit. Internally
// time is in units of E[S].
//
// Notation in comments: λ is the rate of arrivals, S a service time, W a wait, T = W + S a
// response, a = λE[S] the offered load, ρ = a/k the utilisation, C² the squared coefficient of
// variation of S.
package theory
