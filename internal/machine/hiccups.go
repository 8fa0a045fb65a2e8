package machine

import (
	"runtime"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// nap is how long the meter sleeps at a time, and queueNaps after how many it reads how long
// threads have waited: a microsecond for each of them.
const (
	nap       = time.Millisecond
	queueNaps = 8
)

// A wake-up that is late by stallFloor or more is noted as a Stall; of mostStalls at most.
const (
	stallFloor = 10 * time.Millisecond
	mostStalls = 256
)

// A Stall is one wake-up of the meter that came much later than it had asked for.
type Stall struct {
	From   int64 // ns since the start of the run
	Late   int64 // ns
	CPU    int64 // ns that the process used meanwhile
	Queued int64 // ns in which a thread of the process was ready and had no processor, at least
}

// Until is when the meter woke.
func (s Stall) Until() int64 { return s.From + s.Late + int64(nap) }

// A Cause is what made a Stall.
type Cause int

// The causes. A process that is stopped uses no processor, but for the naps before and after, and
// its threads do not wait for one. One that gets a bit, or that is in the queue for most of the
// time, is on a machine that is too busy; one that uses a good part of a processor keeps its own
// threads waiting.
const (
	Stopped Cause = iota // the process was stopped, or its virtual machine was
	Crowded              // others had the processors
	OwnWork              // the process's own tasks had them
)

// The shares of a Stall that tell its Cause.
const stoppedCPU, stoppedQueued, ownCPU = 0.01, 0.5, 0.5

// Cause tells what made the stall.
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

// Hiccups are what the meter saw. It has nothing to do with the strategy, so what makes it late, a
// busy machine, a stopped process, a virtual machine that is not run, made the tasks late as well;
// and what left it alone was the strategy's own. (The idea is jHiccup's: Tene, 2011.)
type Hiccups struct {
	// Late is in ns. A stall counts once for each nap that it swallowed, so a quantile is what a
	// wake-up at a random instant would have met.
	Late   *hdrhistogram.Histogram
	Stalls []Stall // the first of them
}

// NewHiccups has seen nothing.
func NewHiccups() *Hiccups {
	return &Hiccups{hdrhistogram.New(1, int64(time.Hour), 3), make([]Stall, 0, mostStalls)}
}

// Note records one wake-up. An impossible value, a clock that was set back for instance, is none.
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

// meter sleeps in short steps on a thread of its own and notes how late it wakes.
func (w *Witness) meter() {
	defer close(w.done)
	// It is never unlocked: the thread ends with the goroutine, and what is set for it too.
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
			// before this nap it may have waited all the time
			s.Queued = max(queue.longest()-int64(before-read), 0)
			read = now
		}
		w.seen.Hiccups.Note(s)
		w.runtime.Look()
		before, used = now, cpu
	}
	w.own = threadUsage()
}
