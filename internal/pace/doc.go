// Package pace waits punctually under the real clock: a Pacer for the one goroutine that issues tasks when they are due, an Alarm for the many
// goroutines of tasks and clients that wait.
//
//	p := pace.NewPacer(base)
//	issued := p.Until(due) // both since the base; issued ≥ due
//
//	a := pace.NewAlarm()
//	defer a.Close()
//	err := a.Sleep(ctx, d)
//
// The runtime's timers end up to a millisecond late, half of one in the median, where the system waits for network and timers in milliseconds
// (go.dev/issue/53824). What is better here:
//
//   - On Linux the kernel ends the sleep itself: a futex wait until an instant of the monotonic clock, by the same high-resolution timer as
//     clock_nanosleep, which another thread can end at once, with the timer slack of the thread at 1 ns for as long as it lasts. Where that is
//     refused, and on other systems, a timer of the runtime does it. Method says which it is.
//   - A sleep that ends on time is still late by the switch to the thread: 2 µs on some machines, 20 µs on a virtual one. So it is set to end
//     early, by a lead of at most 60 µs that is learned from the sleeps so far, and the rest is spent looking at the clock.
//   - Before it sleeps the goroutine lets others run. A task just submitted, or a sleeper just woken, then runs on the processor that becomes free,
//     instead of when another thread has been woken to fetch it, which costs more than all the rest.
//
// The goroutine keeps its thread only while it sleeps. One locked to its thread for good pays two switches of threads whenever it waits for a
// channel, so that strategies which block their producer would look worse than they are.
//
// SCHED_FIFO is left alone. It makes the thread run as soon as the sleep is over also on a machine whose processors others use, but that is for
// nothing unless the thread keeps it until the task is submitted, which needs the lock above; and a processor of the Go scheduler, which may be held
// by a thread that the others keep from running, it does not give. Processors taken by the tasks themselves are the same trouble: there the lag is
// up to the 10 ms after which the scheduler takes one back, and the lag says so.
//
// The price of a wait is the lead in CPU time. An Alarm spends a quarter of a processor at most on it and is late by the rest; a Pacer may spend a
// whole one, when the tasks are due in shorter intervals than a sleep takes to end. Neither looks at the clock for long where there is one processor.
//
// Not for a synctest bubble, where a goroutine in a system call is a busy one, and time stands still: there a plain sleep is exact.
package pace
