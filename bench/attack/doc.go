// Package attack sends load to HTTP servers, and measures response time from the moment a request
// is due.
//
//	report, err := attack.Run(ctx, attack.Attack{
//		Requests: []attack.Request{{Method: "GET", URL: "http://127.0.0.1:8080/"}},
//		Rate:     200,
//		Duration: 10 * time.Second,
//	})
//
// attack.go has the options, validate.go checks them, and written.go encodes them for other
// processes and for the name of the result. plan.go computes when requests are due. run.go runs an
// attack, watch.go reports its progress, share.go and merge.go distribute it over several agents.
//
// Requests are sent in one of two ways:
//
//   - Open loop (open.go): requests are due by the plan, whatever the server does. Each is
//     submitted to a strategy, or runs in its own goroutine.
//   - Closed loop (closed.go): a fixed number of clients, each of which sends its next request
//     after the last answer. On Linux one goroutine serves many of them (ring_linux.go) if they
//     call one host over plain HTTP without a bound on connections.
//
// session.go sends sessions of several steps (package sessions). In the open loop the plan
// schedules the first step. Later ones wait in an agenda, so thinking sessions hold no resources.
//
// A message (message.go) is one encoded request, possibly filled in from a template (package
// requests). A way (protocol.go) sends it: over our own connections in HTTP/1.1 (wire.go, pool.go,
// conns.go, head.go), by net/http (call.go), over HTTP/2 (http2.go), or by a package that registers
// a protocol, such as bench/attack/rpc and bench/attack/http3. net/http reads unusual answers
// (answer.go) and computes the next request of a redirect (follow.go). Package checks tests
// answers.
//
// Each request has a record of package bench/record. result.go makes a result of the records, which
// package bench computes and checks like that of a run. tally.go counts everything else. traces.go
// adds trace headers and keeps the ids of the slowest requests.
//
// # Compared with vegeta
//
// vegeta's library reads and writes files here (requests.go, tally.go). Its Attacker is not used:
// it measures from the moment a worker starts a request, so earlier delay is not measured. Here
//
//   - the plan is a pure function of the seed, with the arrival processes of `poolbench run`;
//   - response is end − due, service is end − start, and in an open loop without a strategy their
//     difference is lag;
//   - all due requests are in flight, up to Attack.MaxInFlight, or to the limit of file descriptors
//     and memory (slots.go). The wait for a slot is part of the response, but not of the lag;
//   - a request is sent once unless retries are allowed: net/http by itself sends it again when a
//     reused connection breaks;
//   - bodies are counted and discarded, and quantiles are exact: a t-digest is off by a factor of
//     15 at the p99 of bimodal times.
//
// `make attack` compares the command with wrk and vegeta (BenchmarkBeside). BenchmarkPaced compares
// lag, service and CPU time with vegeta's library. On a quiet machine with the server in another
// process, at 10,000 requests a second: p99 lag 0.16 to 0.35 ms (vegeta 1.1), p99 service 0.35 to
// 1.0 ms (vegeta 1.7 to 2.0), 63 to 71 % of a processor (vegeta 41 to 48, because it sends ten at a
// time, each millisecond).
package attack
