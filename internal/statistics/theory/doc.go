// Package theory computes exact results of queueing theory for a pool of bounded concurrency, to
// compare measurements with. A model turns a [Pool] into an [Answer], or into an error if the queue
// would grow without bound.
//
//	service times               model            quantiles    cost of the means, of a quantile
//	exponential                 MMk              yes          0.4 µs, 1 µs
//	constant                    MDk              yes          0.2 ms, 30 µs
//	H2, at limit 4              MH2k             yes          0.1 ms (O(k⁴)), 0.1 ms
//	any, limit 1                MG1              no           O(1)
//	any, shed when busy         MGkk             of the wait  O(k)
//	exponential, bounded queue  MMkK             yes          O(k + queue), 0.1 ms
//	exponential, giving up      MMkM             no           O(tasks that wait)
//	any, unbounded              MGInf            no           O(1)
//	exponential, N clients      MMkN             yes          O(N), 0.1 ms
//	exponential, a batch        BatchMakespan    no           O(k)
//
// Costs are at utilisation 0.9 on one core. Results have ten digits, unless a model's comment
// differs. Tests compare them with other methods, other code and 50-digit arithmetic.
//
// Times may have any unit, and rates are per that unit. Internally the unit is E[S].
//
// Notation in comments: λ is the rate of arrivals, S a service time, W a wait, T = W + S a
// response, a = λE[S] the offered load, ρ = a/k the utilisation, C² the squared coefficient of
// variation of S.
package theory
