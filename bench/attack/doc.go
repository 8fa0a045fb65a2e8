// Package attack puts load on HTTP servers, and measures response from the instant a request was due.
//
//	report, err := attack.Run(ctx, attack.Attack{
//		Requests: []attack.Request{{Method: "GET", URL: "http://127.0.0.1:8080/"}},
//		Rate:     200,
//		Duration: 10 * time.Second,
//	})
//
// There are three ways to send, a file each:
//
//   - open.go, the open loop: requests are sent when they are due, by vegeta's Attacker;
//   - closed.go, the closed loop: so many clients, each of which sends its next request when it has the answer to the last one,
//     as wrk does, over a connection of its own (wire.go);
//   - through.go, an open loop with one of our strategies before the client, so that any server can be called through any strategy.
//
// plan.go says when requests are due, wait.go waits until then, call.go and conns.go make the calls, tally.go, timeline.go and quantile.go
// sum up what came of them in memory that does not grow with time, and result.go makes of it what a run directory takes.
//
// # What vegeta does, and what it does not
//
// The Attacker paces, calls and hands over each result. It counts from the instant at which a worker takes a request up. Whatever
// made the worker late, its pacing, a full set of workers, a slow reader of its results, is in none of its numbers. So
//
//   - the plan is ours: a pure function of the seed, from the same processes that `poolbench run` has. Our Pacer waits until a request is due and asks the
//     Attacker for no wait of its own;
//   - a result has a sequence number and no due time. Sequence numbers are given out in the order of the dues, so whoever reads the
//     results replays the plan beside them, and holds no more of it than there are requests in flight;
//   - response is end − due, service what vegeta calls latency, and the difference is lag: in an open loop without a strategy nobody else made the request wait;
//   - the number of workers is fixed: on loopback, workers that are added when none is ready at the moment soon add up to thousands of connections.
//     A request that finds them all busy waits for one, and its response says so; a peak-inflight of that number is the sign;
//   - bodies are counted and thrown away, and results become counts and HdrHistograms as they come: a t-digest is off by a factor of 15 at the p99 of bimodal
//     times, and 1 % of error is bought here with less.
package attack
