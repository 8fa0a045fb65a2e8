// Package bench measures strategies of bounding concurrency: it plans when tasks are due, drives a
// strategy with them, observes each task, checks the result against its invariants, and writes it
// down.
//
//	r, err := bench.Run(ctx, bench.Scenario{
//		Strategy: strategies.Variant{Spec: spec}, // from strategies.Lookup, or your own
//		Limit:    4,
//		Load:     bench.Load{Relative: 0.8},
//		Clock:    bench.Virtual,
//	})
//
// The words, used alike in code, output and documents:
//
//	task         the function handed to a strategy; arrival: the rule that says when tasks are due
//	due          when the plan says that a task arrives, whatever the system does
//	start, end   when its first attempt begins; when the strategy says that it is done
//	response     end − due; service: time inside Run over all attempts; wait: response − service
//	lag          the generator's own lateness, apart from what a blocking strategy makes it wait
//	offered load tasks due per second; utilisation: service over limit × makespan
//	goodput      tasks completed within the deadline per second; makespan: first due to last end
//	shed         refused by the strategy; throttled: by the target; failed: any other error; abandoned: given up
//	run          one execution of a scenario; sample: repeated runs of one cell
//
// A run goes through these files and packages:
//
//  1. scenario.go, matrix.go and suite.go define the runs, bounds.go limits their size, name.go
//     spells their names, arrivals/ plans their tasks;
//  2. driver.go issues the tasks, with the sleeps of clocks.go, and job.go carries them; package
//     record keeps three instants and an outcome of each; tasks.go cuts them into steps or pieces
//     and gives them class and size, for strategies that use these;
//  3. guard.go and breaches.go report a strategy that breaks the contract; progress.go reports how
//     far a run is;
//  4. observe.go computes the result: internal/observe the metrics (metrics.go documents them) and
//     the course of the run; internal/validity the exact values of theory and the intervals, the
//     invariants and a replay, and from them whether the run is VALID; internal/soaks does the
//     same for runs of any length;
//  5. internal/directory streams the result to a run directory, and resumes one; benchmark.go is
//     the entry from go test;
//  6. internal/objectives checks results against bounds such as p99-response<50ms, and
//     internal/capacity searches the highest load that meets them.
//
// Response always counts from due: a late generator hides no delay (no coordinated omission). There
// is no switch.
//
// # Strategies that misbehave
//
// A strategy is foreign code, and may do anything. A run reports a breach in one sentence, with the
// clause of the contract (package strategies), and a benchmark fails:
//
//   - that hangs (in New, Submit, Drain or a worker: a deadlock, a mutex locked twice, a loop),
//     panics in New, Submit or Drain, ends the goroutine of its caller (runtime.Goexit), returns
//     nil from New, or calls Done with nil, a copy, a running task or a foreign one: the error is a
//     [StrategyError], with the stacks of the goroutines concerned;
//   - that runs or reports a task twice, late or never, changes it, refuses it with an error of its
//     own, or leaves goroutines after Drain: the [Result] has broken laws and is INVALID;
//   - that panics in a goroutine of its own: no other goroutine can recover it, and the process
//     ends with the runtime's trace. In a benchmark the goroutine's labels name the benchmark.
//
// A run hangs when it makes no progress for 30 s of its own time: no task is submitted or done,
// though one is due and none takes as long (POOLBENCH_PATIENCE=5m waits longer). A busy or sleeping
// machine does not count as a hang.
//
// # Two clocks
//
// Under the real clock a run takes real time, with all overheads. Under the virtual clock the same
// strategy code runs in a testing/synctest bubble, in which time passes only when every goroutine
// waits: hours of load take seconds, and the same seed gives the same nanoseconds. Strategies call
// package time; there is no Clock interface. Computing takes no virtual time, so CPU workloads
// exist under the real clock only. Runs repeat to the byte if no two events of the plan fall on one
// instant: their order is the scheduler's choice.
package bench
