// Package attack puts load on HTTP servers, and measures response from the instant a request was
// due.
//
//	report, err := attack.Run(ctx, attack.Attack{
//		Requests: []attack.Request{{Method: "GET", URL: "http://127.0.0.1:8080/"}},
//		Rate:     200,
//		Duration: 10 * time.Second,
//	})
//
// attack.go has the question, validate.go what is wrong with it, written.go how it is told to
// other processes and in the name of its result. run.go begins and ends it, and watch.go has those
// who look on meanwhile. There are two ways to send, a file each:
//
//   - open.go, the open loop: requests are submitted when they are due to one of our strategies, so
//     that any server can be called through any strategy; without one, each has a goroutine;
//   - closed.go, the closed loop: so many clients, each of which sends its next request when it has
//     the answer to the last one, as wrk does. On Linux one goroutine has many of them
//     (ring_linux.go) as long as all is ordinary: http to one host, no bound on connections, and
//     answers with a length.
//
// message.go says what is sent: a request as it stands, encoded once, or one that package
// templates fills in before it is due. What an answer is to be, package checks says; where nobody
// asks, nothing of it is kept.
//
// session.go is for sessions of steps, which package sessions describes: in the open loop the first
// step of each is due by the plan, and the others wait in an agenda, so that a session that thinks
// holds nothing; in the closed loop a client has one session after another.
//
// plan.go says when requests are due, and waits until then by package pace. How they go is one
// interface (protocol.go), of which each way is a file: over connections of our own, in HTTP/1.1
// (wire.go, pool.go); by net/http where a proxy is named (call.go); over HTTP/2 (http2.go); and by
// packages that register, as those of gRPC (rpc) and of HTTP/3 (http3) do. What is unusual of an
// answer, net/http reads (answer.go, package heads), and of a redirect it says what comes next
// (follow.go); the outcome is the same as by its client (differ_test.go). Package conns has the
// open connections, package traces the requests that carry a trace. Each request has a record of
// package bench, which computes, checks and judges the result as that of a run (result.go);
// tally.go counts what that has no field for.
//
// # Beside vegeta
//
// vegeta reads and writes the files (requests.go, tally.go). Its Attacker, which sent the requests
// of an open loop once, counts from the instant at which a worker takes a request up: whatever made
// the worker late is in none of its numbers. Here
//
//   - the plan is a pure function of the seed, from the same processes that `poolbench run` has;
//   - response is end − due, service end − start, and the difference is lag: in an open loop
//     without a strategy nobody else made the request wait;
//   - as many requests are in flight as are due, up to Attack.Workers, or to what file descriptors
//     and memory allow (slots.go). A request that waits for a slot has the wait in its response, and
//     not in its lag;
//   - net/http sends a request again, unasked, when a connection that was used before breaks; here
//     it is sent once unless somebody allows more;
//   - bodies are counted and thrown away, and quantiles are exact: a t-digest is off by a factor of
//     15 at the p99 of bimodal times.
//
// `make attack` has the command as it is typed beside wrk and vegeta (BenchmarkBeside).
//
// BenchmarkPaced, of a server in another process, quiet, beside vegeta's library in the same run:
// at 10,000 requests a second p99 lag 0.16 to 0.35 ms for its 1.1, p99 service 0.35 to 1.0 ms for
// its 1.7 to 2.0, 63 to 71 % of a processor for its 41 to 48, since it sends ten at a time, each
// millisecond; by vegeta's Attacker with our pacing it was 1.3 to 1.7 ms, 2.5 to 2.9 ms and 83 to
// 92 %.
//
// # Conns
//
// Has the open connections of an attack, each of which can be given up, asked whether
// it still stands (turn_unix.go), and expects its answer by a deadline that costs nothing where
// nothing is late (conn.go).
//
// # Heads
//
// Reads the header of an answer in HTTP/1.1 as far as an attack asks for it.
//
// # Traces
//
// Says which requests of an attack carry a trace, by a header, and keeps those of
// them that were slowest.
//
// # Draw
//
// Has numbers that come out as if drawn, and are functions of what they are of.
package attack
