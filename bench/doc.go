// Package bench measures strategies for bounding concurrency. It plans when tasks are due, submits
// them to a strategy, observes each task, and checks the result.
//
//	r, err := bench.Run(ctx, bench.Scenario{
//		Strategy: strategies.Variant{Spec: spec}, // from strategies.Lookup, or your own
//		Limit:    4,
//		Load:     bench.Load{Relative: 0.8},
//		Clock:    bench.Virtual,
//	})
//
// Code, output and documents use these terms:
//
//	task         the function passed to a strategy
//	arrival      the rule by which tasks are due
//	due          the planned arrival time of a task
//	start, end   the start of its first attempt; the strategy's report that it is done
//	response     end − due
//	service      time inside Run over all attempts
//	wait         response − service
//	lag          lateness of the generator, without the time blocked in Submit
//	offered load tasks due per second
//	goodput      tasks completed within the deadline per second
//	makespan     first due to last end
//	utilisation  total service / (limit × makespan)
//	shed         refused by the strategy
//	throttled    refused by the target
//	failed       ended with any other error
//	abandoned    given up by the caller
//	run          one execution of a scenario
//	sample       repeated runs of one cell
//
// Response time always starts at due, so a late generator hides no delay (no coordinated omission).
//
// The code, in the order of a run:
//
//	scenario.go, matrix.go, suite.go  runs; bounds.go limits their size, name.go formats their names
//	arrivals                          due times of tasks
//	driver.go, clocks.go              submission of tasks
//	job.go, tasks.go                  execution of tasks; package record stores their times
//	guard.go, breaches.go             detection of violations of the strategy's contract
//	progress.go                       detection of runs that hang
//	observe.go                        results
//	internal/observe                  metrics (documented in metrics.go) and time series
//	internal/validity                 theoretical values, invariants, verdict
//	internal/soaks                    results of runs of unlimited length
//	internal/directory                run directories
//	benchmark.go                      runs in go test
//	internal/objectives               bounds such as p99-response<50ms
//	internal/capacity                 search for the highest load that meets the bounds
//
// # Strategies that misbehave
//
// A run reports each violation of the contract (package strategies) in one sentence that names the
// clause. A benchmark then fails:
//
//   - The error is a [StrategyError], with goroutine stacks, if the strategy hangs in New, Submit,
//     Drain or a worker, panics in New, Submit or Drain, ends its caller's goroutine
//     (runtime.Goexit), returns nil from New, or calls Done with nil, a copy, a running task or a
//     foreign task.
//   - The [Result] has broken laws and is INVALID if the strategy runs or reports a task twice,
//     late or never, changes it, refuses it with an undeclared error, or leaves goroutines after
//     Drain.
//   - The process ends with the runtime's trace if the strategy panics in its own goroutine,
//     because no other goroutine can recover the panic. In a benchmark the goroutine's labels name
//     the benchmark.
//
// A run hangs if it makes no progress for 30 s although a task is due and no task takes that long.
// Progress is a task that is submitted or done. Time in which the machine is busy or asleep does
// not count. POOLBENCH_PATIENCE=5m changes the time.
//
// # Two clocks
//
// Under the real clock a run takes real time, with all overheads. Under the virtual clock the same
// code runs in a testing/synctest bubble, where time advances only while every goroutine waits.
// Hours of load then take seconds, and a run is reproducible for a given seed, except for the order
// of simultaneous events, which the scheduler chooses. Computing takes no virtual time, so CPU
// workloads require the real clock. Strategies use package time under both clocks.
package bench
