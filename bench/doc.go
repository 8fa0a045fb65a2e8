// Package bench measures strategies for bounding concurrency. [Run] plans when tasks are due,
// submits them to a strategy, observes each task, and checks the result.
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
//	response     end − due, so a late generator hides no delay
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
// # Strategies that misbehave
//
// A run reports each violation of the contract (package strategies):
//
//   - The error is a [StrategyError] if the strategy hangs in New, Submit, Drain or a worker, panics
//     in New, Submit or Drain, ends its caller's goroutine (runtime.Goexit), returns nil from New,
//     or calls Done with nil, a copy, a running task or a foreign task.
//   - The [Result] has broken laws and is INVALID if the strategy runs or reports a task twice,
//     late or never, changes it, refuses it with an undeclared error, or leaves goroutines after
//     Drain.
//   - The process ends with the runtime's trace if the strategy panics in its own goroutine.
//
// A run hangs if no task is submitted or done for 30 s although a task is due and no task takes
// that long. POOLBENCH_PATIENCE=5m changes the time, in which a busy or sleeping machine does not
// count.
//
// # Two clocks
//
// Under the real clock a run takes real time, with all overheads. Under the virtual clock the same
// code runs in a testing/synctest bubble, where time advances only while every goroutine waits.
// Hours of load then take seconds, and a run is reproducible for a given seed, except for the order
// of simultaneous events. Computing takes no virtual time, so CPU workloads require the real clock.
package bench
