// Package pace waits punctually under the real clock. It has a Pacer for the one goroutine that
// issues tasks when they are due, and an Alarm for the many goroutines of tasks and clients that
// wait.
//
//	p := pace.NewPacer(base)
//	issued := p.Until(due) // both since the base; issued ≥ due
//
//	a := pace.NewAlarm()
//	defer a.Close()
//	err := a.Sleep(ctx, d)
//
// Timers of the runtime end up to a millisecond late, with a median of half a millisecond, on
// systems that wait for network and timers in milliseconds (go.dev/issue/53824). This package is
// better in three ways:
//
//   - On Linux a timerfd ends a sleep, by the kernel's high-resolution timer. The goroutine waits
//     for it as for a connection, without a thread or a processor of the Go scheduler. A thread
//     that sleeps in a system call would keep its processor until the scheduler takes it back,
//     which an idle machine checks every 10 ms. With two processors, tasks were then issued 8 ms
//     late at the p99 instead of 0.03 ms. On other systems, and if a timerfd is refused, a timer of
//     the runtime is used. Method returns the one in use.
//   - A sleep that ends on time is still late by the switch to the thread: 2 µs on some machines,
//     20 µs on a virtual one. A sleep therefore ends early, by a lead of at most 60 µs that is
//     learned from earlier sleeps, and the goroutine polls the clock for the rest.
//   - A goroutine that is woken, or has just been submitted (Next), runs on the processor that
//     becomes free, instead of waiting for another thread to be woken.
//
// SCHED_FIFO is not used. It would need a locked thread until the task is submitted, which costs
// two thread switches for each wait on a channel, and the goroutine would still need a processor of
// the Go scheduler. If the tasks themselves use all processors, the lag is up to 10 ms, after which
// the scheduler takes a processor back. The results show this lag.
//
// A wait costs its lead in CPU time, at most a third of the time between two waits. Above about
// 20,000 waits per second a Pacer always polls the clock and uses a whole processor. With one
// processor, neither type polls the clock for long.
//
// BenchmarkPacer measures lateness and CPU time. BenchmarkBare measures them for a thread that only
// sleeps in the kernel. On a virtual machine with two processors, 10,000 waits per second used 30
// to 31 % of one processor. They ended 1 to 3 µs late in the median and 35 to 46 µs at the p99.
// Bare sleeps used 25 %, and were 32 µs late in the median and more than 70 µs at the p99. 1,000
// waits per second used 4 %, bare ones 3 %.
//
// Do not use the package in a synctest bubble, where a plain sleep is exact. A goroutine in a
// system call counts as busy there, so the virtual clock would stand still.
package pace
