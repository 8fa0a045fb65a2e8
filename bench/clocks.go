package bench

import (
	"context"
	"time"

	"github.com/poolbench/poolbench/internal/machine/pace"
)

// A sleep returns the time when it is at least due, or earlier when the run is interrupted. now is
// the time, or a little earlier.
type sleep func(due, now int64) int64

// generatorSleep is for the one goroutine that issues the tasks of open arrivals; wakeUp ends it.
func (d *driver) generatorSleep(ctx context.Context) (s sleep, wakeUp func()) {
	if d.alarm == nil {
		return virtualSleep, func() {}
	}
	p := pace.NewPacer(d.base)
	forget := context.AfterFunc(ctx, p.Interrupt)
	return func(due, _ int64) int64 {
		d.progress.await(d.base.Add(time.Duration(due)))
		return int64(p.Next(time.Duration(due)))
	}, func() { forget(); p.Close() }
}

// clientSleep is for the goroutine of a client, of which there may be thousands.
func (d *driver) clientSleep(ctx context.Context) sleep {
	if d.alarm == nil {
		return virtualSleep
	}
	return func(due, _ int64) int64 {
		d.progress.await(d.base.Add(time.Duration(due)))
		_ = d.alarm.Sleep(ctx, time.Duration(due-d.now())) // when ctx ends it is not yet due
		return d.now()
	}
}

// virtualSleep is the runtime's: to the virtual clock a goroutine in a system call is a busy one,
// and time would stand still. Nobody interrupts a run there. Such a sleep is exact, so that nobody
// need look at the clock.
func virtualSleep(due, now int64) int64 {
	time.Sleep(time.Duration(due - now))
	return due
}
