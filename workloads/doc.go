// Package workloads contains the work of tasks: waits, as for I/O, and counted computation.
//
// A task's work depends only on the workload's seed and the task's sequence number, drawn from
// rand.NewPCG(seed, seq), so every strategy gets the same tasks. Other random streams of a run must
// not use the same pair.
//
// Sleeps overshoot under the real clock, on some machines by a median of 0.5 ms, so results use the
// measured time. CPU workloads count their work, because a task that spins for a time would do less
// work under contention and never end under a virtual clock.
//
// A workload instance belongs to one run, because its timers stay in the synctest bubble of the
// first task.
package workloads
