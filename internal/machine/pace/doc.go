// Package pace waits punctually under the real clock. It has a Pacer for the one goroutine that
// issues tasks when they are due, and an Alarm for the many goroutines of tasks and clients.
//
// Timers of the runtime end up to a millisecond late on systems that wait for network and timers in
// milliseconds (go.dev/issue/53824). Therefore
//
//   - on Linux a timerfd ends a sleep. A thread that sleeps in a system call would keep its
//     processor of the Go scheduler for up to 10 ms on an idle machine: with two processors, tasks
//     were issued 8 ms late at the p99 instead of 0.03 ms.
//   - a sleep ends early, by a lead of at most 60 µs that is learned from earlier sleeps, and the
//     goroutine polls the clock for the rest. A switch to the thread takes 2 to 20 µs.
//   - a goroutine that is woken, or has just been submitted (Next), runs on the processor that
//     becomes free, instead of waiting for another thread to be woken.
//
// SCHED_FIFO would need a locked thread, which costs two thread switches for each wait on a
// channel. If the tasks themselves use all processors, the lag is up to 10 ms, after which the
// scheduler takes a processor back.
//
// Above about 20,000 waits per second a Pacer always polls the clock and uses a whole processor.
// 10,000 waits per second use 30 % of a processor and end 46 µs late at the p99. Sleeps of a thread
// in the kernel use 25 % and are more than 70 µs late (BenchmarkPacer, BenchmarkBare).
//
// Do not use the package in a synctest bubble. A goroutine in a system call counts as busy there,
// so the virtual clock would stand still.
package pace
