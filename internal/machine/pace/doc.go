// Package pace waits punctually under the real clock: a Pacer for the one goroutine that issues
// tasks when they are due, an Alarm for the many goroutines of tasks and clients that wait.
//
//	p := pace.NewPacer(base)
//	issued := p.Until(due) // both since the base; issued ≥ due
//
//	a := pace.NewAlarm()
//	defer a.Close()
//	err := a.Sleep(ctx, d)
//
// The runtime's timers end up to a millisecond late, half of one in the median, where the system
// waits for network and timers in milliseconds (go.dev/issue/53824). What is better here:
//
//   - On Linux a timerfd ends a sleep, by the kernel's high-resolution timer. The goroutine waits
//     for it as for a connection: it holds no thread and no processor of the Go scheduler, so that
//     tasks, and answers from a network, run meanwhile. A thread that slept in a system call would
//     keep its processor until the scheduler takes it back, which on an idle machine it looks for
//     every 10 ms: with two processors, and the hiccup meter asleep on the other, tasks were issued
//     8 ms late at the p99, and 0.03 ms so. Where a timerfd is refused, and on other systems, a
//     timer of the runtime does it. Method says which.
//   - A sleep that ends on time is still late by the switch to the thread: 2 µs on some machines,
//     20 µs on a virtual one. So it is set to end early, by a lead of at most 60 µs that is learned
//     from the sleeps so far, and the rest is spent looking at the clock.
//   - Who is woken, or has just been submitted (Next), runs on the processor that becomes free,
//     instead of when another thread has been woken to fetch it, which takes longer than all the
//     rest.
//
// SCHED_FIFO is left alone. It makes a thread run as soon as the sleep is over also on a machine
// whose processors others use, but that is for nothing unless the goroutine keeps the thread until
// the task is submitted, and then it pays two switches of threads whenever it waits for a channel;
// and a processor of the Go scheduler, which may be held by a thread that the others keep from
// running, it does not give. Processors taken by the tasks themselves are the same trouble: there
// the lag is up to the 10 ms after which the scheduler takes one back, and the lag says so.
//
// The price of a wait is the lead in CPU time, at most a third of the time between two waits. Where
// the waits are shorter than the lead, above some 20,000 a second, a sleep would end too late, and
// a Pacer looks at the clock all the time: a whole processor. Neither looks for long where there is
// one processor.
//
// BenchmarkPacer measures lateness and CPU time, BenchmarkBare those of a thread that only sleeps
// in the kernel, without a lead: what no way to sleep can undercut. On a virtual machine with two
// processors, where each sleep costs its exits to the host: 10,000 waits a second took 30 to 31 %
// of one and ended 1 to 3 µs late in the median, 35 to 46 at the p99; bare sleeps took 25 %, 32 µs,
// and more than 70. 1,000 waits took 4 %, and bare ones 3. A lead of a quarter took 26 to 32 %, 5
// to 13 and 53 to 60 µs, one of a half 32 to 39 %, 0 and 6 to 55. To hand each task to a goroutine
// took 10 % more, whichever way to wait, since the scheduler wakes a thread for it that finds
// nothing to do.
//
// Not for a synctest bubble, where a goroutine in a system call is a busy one, and time stands
// still: there a plain sleep is exact.
package pace
