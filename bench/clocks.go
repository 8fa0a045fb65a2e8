package bench

import (
	"context"
	"time"

	"github.com/poolbench/poolbench/internal/machine/pace"
)

// A sleep waits until due, or until the run is interrupted, and returns the time.
type sleep func(due, now int64) int64

func (d *driver) generatorSleep(ctx context.Context) (s sleep, wakeUp func()) {
	if d.alarm == nil {
		return virtualSleep, func() {}
	}
	p := pace.NewPacer(d.base)
	forget := context.AfterFunc(ctx, p.Interrupt)
	return func(due, _ int64) int64 {
		d.tracker.Await(d.base.Add(time.Duration(due)))
		return int64(p.Next(time.Duration(due)))
	}, func() { forget(); p.Close() }
}

func (d *driver) clientSleep(ctx context.Context) sleep {
	if d.alarm == nil {
		return virtualSleep
	}
	return func(due, _ int64) int64 {
		d.tracker.Await(d.base.Add(time.Duration(due)))
		_ = d.alarm.Sleep(ctx, time.Duration(due-d.now())) // returns before due if ctx ends
		return d.now()
	}
}

// virtualSleep uses the runtime's timers, because the virtual clock stops during a system call.
func virtualSleep(due, now int64) int64 {
	time.Sleep(time.Duration(due - now))
	return due
}
