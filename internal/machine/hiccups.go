package machine

import (
	"runtime"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// nap is the meter's sleep. After queueNaps of them it reads how long threads have waited, which
// costs a microsecond per thread.
const (
	nap       = time.Millisecond
	queueNaps = 8
)

// A wake-up that is late by stallFloor or more is recorded as a Stall, up to mostStalls of them.
const (
	stallFloor = 10 * time.Millisecond
	mostStalls = 256
)

// A Stall is a wake-up of the meter that was much too late.
type Stall struct {
	From   int64 // ns since the start of the run
	Late   int64 // ns
	CPU    int64 // ns that the process used in between
	Queued int64 // ns in which a thread of the process was ready and had no processor, at least
}

// Until returns the time of the wake-up.
func (s Stall) Until() int64 { return s.From + s.Late + int64(nap) }

// A Cause is the cause of a Stall.
type Cause int

// The causes. A stopped process uses no processor, except before and after the stop, and its
// threads do not wait for one. A process that gets little CPU time, or mostly waits for it, is on a
// machine that is too busy. A process that uses a large part of a processor delays its own threads.
const (
	Stopped Cause = iota // the process was stopped, or its virtual machine was
	Crowded              // other processes had the processors
	OwnWork              // the process's own tasks had the processors
)

// The shares of a Stall that determine its Cause.
const stoppedCPU, stoppedQueued, ownCPU = 0.01, 0.5, 0.5

// Cause returns the cause of the stall.
func (s Stall) Cause() Cause {
	late := float64(s.Late)
	switch used := float64(s.CPU); {
	case used > ownCPU*late:
		return OwnWork
	case used > stoppedCPU*late+float64(2*nap), float64(s.Queued) > stoppedQueued*late:
		return Crowded
	}
	return Stopped
}

// Hiccups contains the meter's observations. The meter is independent of the strategy, so a busy
// machine, a stopped process or a stopped virtual machine delays both. A delay of tasks alone is
// the strategy's own. (The idea is jHiccup's: Tene, 2011.)
type Hiccups struct {
	// Late is in ns. A stall counts once for each nap that it contains, so a quantile applies to a
	// wake-up at a random instant.
	Late   *hdrhistogram.Histogram
	Stalls []Stall // the first of them
}

// NewHiccups returns empty observations.
func NewHiccups() *Hiccups {
	return &Hiccups{hdrhistogram.New(1, int64(time.Hour), 3), make([]Stall, 0, mostStalls)}
}

// Note records one wake-up. It ignores impossible values, for example after a clock change.
func (h *Hiccups) Note(s Stall) {
	_ = h.Late.RecordCorrectedValue(min(max(s.Late, 0), int64(time.Hour)), int64(nap))
	if s.Late >= int64(stallFloor) && len(h.Stalls) < mostStalls {
		h.Stalls = append(h.Stalls, s)
	}
}

// Covers reports whether stalls cover most of the time from one instant to another.
func (h *Hiccups) Covers(from, to int64) bool {
	covered := int64(0)
	for _, s := range h.Stalls {
		covered += max(min(to, s.Until())-max(from, s.From), 0)
	}
	return 2*covered > to-from
}

// meter sleeps in short steps on a thread of its own and records how late it wakes.
func (w *Witness) meter() {
	defer close(w.done)
	// Never unlocked: the thread and its settings end with the goroutine.
	runtime.LockOSThread()
	fineTimers()
	queue := openRunQueue()
	defer queue.close()
	close(w.ready)
	before, used := time.Since(w.begun), CPUTime()
	queue.longest()
	read := before
	for i := 1; !w.stop.Load(); i++ {
		sleepThread(nap)
		now, cpu := time.Since(w.begun), CPUTime()
		s := Stall{From: int64(before), Late: int64(now - before - nap), CPU: cpu - used}
		if i%queueNaps == 0 || s.Late >= int64(stallFloor) {
			// it may have waited for the whole time before this nap
			s.Queued = max(queue.longest()-int64(before-read), 0)
			read = now
		}
		w.seen.Hiccups.Note(s)
		w.runtime.Look()
		before, used = now, cpu
	}
	w.own = threadUsage()
}
