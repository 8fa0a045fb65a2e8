// Package workloads has what a task costs: waits, as for input and output, and counted computation.
//
// A task's cost is a pure function of the workload's seed and the task's sequence number, drawn
// from rand.NewPCG(seed, seq), or of the number alone where there is nothing to draw, as in a
// trace. So every strategy faces the same tasks, in whatever order and on however many goroutines
// it runs them, and a difference between two strategies is not a difference between two draws.
// Other streams of random numbers of a run (arrivals, think times) must not be seeded with the same
// pair, or they would follow the task times.
//
// Waits sleep, and so are exact under the virtual clock; under the real one a sleep overshoots, by
// half a millisecond in the median on some machines, so the realised time is what counts and Mean
// is what was asked for. A CPU workload counts its work instead of watching a clock: a task that
// spins until a time has passed shrinks under the very contention that it should show, and never
// ends under a virtual clock. What a count takes on the machine is calibrated once a process: a
// count has its Mean from there, and a mean its count.
//
// A workload belongs to one run, and so to one clock: its timers are its own and stay in the
// synctest bubble of the first task.
//
// To add one, write a file with one register line; All, the tests, `poolbench list` and the
// README's table find it there.
//
// # Size
//
// Each workload has a file of its own. An interface such as Classed or Partitioned is what a
// workload may tell of its tasks beyond doing them; each is small, and most workloads have none.
package workloads
