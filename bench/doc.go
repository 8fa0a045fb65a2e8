// Package bench measures strategies of bounding concurrency: it plans when tasks are due, drives a
// strategy with them, observes each task, checks the result against what must hold, and writes it
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
//  1. scenario.go, matrix.go, suite.go say what is run, bounds.go how much of it may be, name.go
//     spells it, arrivals/ plans it;
//  2. driver.go issues the tasks, by the sleeps of clocks.go, and job.go carries them; package
//     records has three instants and an outcome of each; tasks.go makes them come in steps or
//     pieces and gives them class and size, for strategies that look at it;
//  3. guard.go and vigil.go name what a strategy does that none may do; progress.go tells how far
//     a run is;
//  4. observe.go has all that was observed computed: package observed has the metrics (metrics.go
//     documents them) and the course of the run, exact adds what is known exactly, intervals how
//     sure the numbers are; verdicts checks the laws, replays the run and says whether it may be
//     believed; soaks does the same of runs that may go on for any time, merge of several;
//  5. directory/ streams the result to a run directory, and goes on with one; benchmark.go is the
//     way in from go test;
//  6. objectives/ holds results to bounds such as p99-response<50ms, and capacity/ looks for the
//     highest load that meets them.
//
// Response counts from due, always: a generator that was held up hides nothing (no coordinated
// omission), and there is no switch.
//
// # Strategies that misbehave
//
// A strategy is foreign code, and may do anything. A run says what, in one sentence with the clause
// of the contract (package strategies) that says otherwise, and a benchmark that runs it fails:
//
//   - that hangs (in New, Submit, Drain or a worker: a deadlock, a mutex locked twice, a loop),
//     panics in New, Submit or Drain, ends the goroutine that called it (runtime.Goexit), makes nil
//     of an instance, or calls Done with nil, with a copy, with a task that still runs or with what
//     is no task of the run: the error is a [StrategyError], with the stacks of the goroutines
//     concerned;
//   - that does or runs a task twice, late or never, changes it, refuses it with an error of its
//     own, or leaves goroutines after Drain: broken laws of the [Result], which is INVALID;
//   - that panics in a goroutine of its own: nobody else can catch it, and the process ends with
//     the trace of the runtime. In a benchmark its labels say which one it was.
//
// A run hangs when for 30 s of its own time no task is submitted or done, though one is due and
// none takes as long (POOLBENCH_PATIENCE=5m waits longer). A busy machine, or one that sleeps,
// makes no run hang.
//
// # Two clocks
//
// Under the real clock a run takes its time and pays its overheads. Under the virtual clock the
// same strategy code runs in a testing/synctest bubble, in which time passes only when every
// goroutine waits: hours of load take seconds, and the same seed gives the same nanoseconds.
// Strategies call package time; there is no Clock interface. Computing takes no virtual time, so
// CPU workloads exist under the real clock only. Repetition to the byte is promised for plans
// without ties in time: what happens first at one instant is the scheduler's choice.
//
// # Size
//
// The exported names are a scenario, its parts and a result. What computes a result is below, in
// bench/internal; what drives a strategy is here, since all of it looks at the private parts of a
// Scenario, of its Progress and of the tasks on their way.
package bench
