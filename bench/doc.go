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
// Run returns a [StrategyError] if the strategy makes the run impossible to finish: it hangs,
// panics in New, Submit or Drain, or calls Done with an invalid task. Other violations of
// the contract (package strategies) are broken laws of the [Result]. A panic in the strategy's own
// goroutine ends the process. A run hangs if no task is submitted or done for 30 s
// (POOLBENCH_PATIENCE) although a task is due and no task takes that long.
//
// Under the real clock a run takes real time, with all overheads. Under the virtual clock the same
// code runs in a testing/synctest bubble, where time advances only while every goroutine waits.
// Hours of load then take seconds, and a run is reproducible for a given seed, except for the order
// of simultaneous events. CPU workloads require the real clock.
package bench
