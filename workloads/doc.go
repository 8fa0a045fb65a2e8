// Package workloads has the work of tasks: waits, as for I/O, and counted computation.
//
// A task's cost is a pure function of the workload's seed and the task's sequence number, drawn
// from rand.NewPCG(seed, seq), or of the number alone, as in a trace. So every strategy gets the
// same tasks in any order. Other random streams of a run (arrivals, think times) must not use the
// same pair, or they would correlate with task times.
//
// Waits sleep, exactly under the virtual clock. Under the real clock sleeps overshoot, on some
// machines by a median of half a millisecond, so results use the realised time, while Mean is the
// requested one. A CPU workload counts its work: a task that spins for a time would shrink under
// contention and never end under a virtual clock. The time per unit of work is calibrated once per
// process and converts between count and Mean.
//
// A workload instance belongs to one run and one clock: its timers stay in the first task's
// synctest bubble.
//
// To add a workload, write a file with one register line. It is then in All, the tests, `poolbench
// list` and docs.
package workloads
