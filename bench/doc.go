// Package bench measures strategies for bounding concurrency: it plans when tasks are due, drives a
// strategy with them, observes each task, and checks and stores the result.
//
//	r, err := bench.Run(ctx, bench.Scenario{
//		Strategy: strategies.Variant{Spec: spec}, // from strategies.Lookup, or your own
//		Limit:    4,
//		Load:     bench.Load{Relative: 0.8},
//		Clock:    bench.Virtual,
//	})
//
// Code, output and documents use the same terms:
//
//	task         the function handed to a strategy; arrival: the rule for when tasks are due
//	due          planned arrival of a task, whatever the system does
//	start, end   when its first attempt begins; when the strategy reports it done
//	response     end − due; service: time inside Run over all attempts; wait: response − service
//	lag          the generator's own lateness, without the time that a strategy blocks it
//	offered load tasks due per second; utilisation: service over limit × makespan
//	goodput      tasks completed within the deadline per second; makespan: first due to last end
//	shed         refused by the strategy; throttled: by the target; failed: any other error; abandoned: given up
//	run          one execution of a scenario; sample: repeated runs of one cell
//
// A run goes through these files and packages:
//
//  1. scenario.go, matrix.go and suite.go define the runs, bounds.go limits their size, name.go
//     formats their names, arrivals/ plans their tasks;
//  2. driver.go issues the tasks with the sleeps of clocks.go, job.go carries them, package record
//     stores three instants and an outcome per task, and tasks.go sets steps, class and size;
//  3. guard.go and breaches.go report a strategy that violates the contract, progress.go the
//     progress of a run;
//  4. observe.go computes the result: internal/observe the metrics (documented in metrics.go) and
//     the time series, internal/validity the theoretical values, the invariants and the verdict.
//     internal/soaks does the same for runs of any length;
//  5. internal/directory streams the result to a run directory, and resumes one; benchmark.go is
//     the entry from go test;
//  6. internal/objectives checks results against bounds such as p99-response<50ms, and
//     internal/capacity searches for the highest load that meets them.
//
// Response always counts from due, so a late generator hides no delay (no coordinated omission).
//
// # Strategies that misbehave
//
// A strategy is foreign code and may do anything. A run reports each violation in one sentence,
// with the clause of the contract (package strategies), and a benchmark fails:
//
//   - A strategy that hangs (in New, Submit, Drain or a worker), panics in New, Submit or Drain,
//     ends the goroutine of its caller (runtime.Goexit), returns nil from New, or calls Done with
//     nil, a copy, a running task or a foreign task: the error is a [StrategyError], with the
//     stacks of the goroutines concerned.
//   - A strategy that runs or reports a task twice, late or never, changes it, refuses it with an
//     error of its own, or leaves goroutines after Drain: the [Result] has broken laws and is
//     INVALID.
//   - A strategy that panics in a goroutine of its own: no other goroutine can recover it, and the
//     process ends with the runtime's trace. In a benchmark the goroutine's labels name it.
//
// A run hangs when it makes no progress for 30 s of its own time: a task is due and no task is
// submitted or done, although none needs that long (POOLBENCH_PATIENCE=5m waits longer). A busy or
// sleeping machine does not count as a hang.
//
// # Two clocks
//
// Under the real clock a run takes real time, with all overheads. Under the virtual clock the same
// strategy code runs in a testing/synctest bubble, where time advances only while every goroutine
// waits: hours of load take seconds, and the same seed gives the same nanoseconds. Strategies call
// package time directly. Computing takes no virtual time, so CPU workloads exist under the real
// clock only. Runs are reproducible byte for byte unless two events of the plan fall on one
// instant, whose order the scheduler chooses.
package bench
