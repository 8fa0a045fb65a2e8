package bench

import (
	"context"
	"runtime"
	"time"

	"github.com/poolbench/poolbench/internal/machine/pace"
	"github.com/poolbench/poolbench/internal/machine/witness"
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

// resources is what the process has used so far.
type resources struct {
	bytes, mallocs uint64
	cpu            int64 // ns of user and system time; 0 where the system does not tell
	written        int64 // bytes for the disk; 0 where the system does not tell
}

func readResources() resources {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return resources{m.TotalAlloc, m.Mallocs, witness.CPUTime(), witness.Written()}
}

func (r resources) since(before resources) resources {
	return resources{r.bytes - before.bytes, r.mallocs - before.mallocs, r.cpu - before.cpu,
		r.written - before.written}
}

// watch begins to watch a run under the real clock; stop ends that, and notes what was seen since
// base, when the run began.
func (o *observation) watch() (stop func(base time.Time)) {
	w := witness.Start()
	before := readResources()
	return func(base time.Time) {
		o.seen = w.End(base)
		o.used = readResources().since(before)
		o.used.cpu = max(o.used.cpu-o.seen.CPU, 0)
	}
}
