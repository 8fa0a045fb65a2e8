// Package workloads has the work of tasks: waits, as for input and output, and counted computation.
//
// A task's cost is a pure function of the workload's seed and the task's sequence number, drawn
// from rand.NewPCG(seed, seq), or of the number alone where there is nothing to draw, as in a
// trace. So every strategy gets the same tasks, in whatever order and on however many goroutines it
// runs them. Other streams of random numbers of a run (arrivals, think times) must not use the same
// pair, or they would be correlated with the task times.
//
// Waits sleep, and so are exact under the virtual clock. Under the real clock a sleep overshoots,
// by half a millisecond in the median on some machines, so results count the realised time, while
// Mean is the requested one. A CPU workload counts its work instead of watching a clock: a task
// that spins until a time has passed shrinks under contention, and never ends under a virtual
// clock. The time per unit of work is calibrated once a process; it gives a count its Mean, and a
// mean its count.
//
// A workload instance belongs to one run, and so to one clock: its timers stay in the synctest
// bubble of the first task.
//
// To add a workload, write a file with one register line: it is then in All, the tests, `poolbench
// list` and docs.
package workloads
