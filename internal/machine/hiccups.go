package machine

import (
	"runtime"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// After every queueNaps the meter reads how long threads have waited for a processor, which costs a
// microsecond per thread.
const (
	nap       = time.Millisecond
	queueNaps = 8
)

const (
	stallFloor = 10 * time.Millisecond
	maxStalls  = 256
)

type Stall struct {
	From int64 // ns since the start of the run
	Late int64 // ns
	CPU  int64 // ns of CPU time used by the process during the stall
	// ns, at least, in which a thread of the process was ready and had no processor
	Queued int64
}

func (s Stall) Until() int64 { return s.From + s.Late + int64(nap) }

type Cause int

// A stopped process uses no processor, except before and after the stop, and its threads do not
// wait for one. If a process gets little CPU time, or mostly waits for it, the machine is too busy.
// A process that uses a large part of a processor delays its own threads.
const (
	Stopped Cause = iota // the process or its virtual machine was stopped
	Crowded              // other processes used the processors
	OwnWork              // the process's own tasks used the processors
)

// shares of a Stall's duration that determine its Cause
const stoppedCPU, stoppedQueued, ownCPU = 0.01, 0.5, 0.5

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

// Hiccups contains the observations of the meter. A busy machine delays the meter and the strategy.
// If only tasks are delayed, the strategy is the cause. The idea is from jHiccup (Tene, 2011).
type Hiccups struct {
	// in ns. A stall counts once for each nap that it contains, so a quantile applies to a wake-up
	// at a random instant.
	Late   *hdrhistogram.Histogram
	Stalls []Stall // at most maxStalls, the earliest first
}

func NewHiccups() *Hiccups {
	return &Hiccups{hdrhistogram.New(1, int64(time.Hour), 3), make([]Stall, 0, maxStalls)}
}

// A change of the clock can cause impossible values, which are clipped.
func (h *Hiccups) Note(s Stall) {
	_ = h.Late.RecordCorrectedValue(min(max(s.Late, 0), int64(time.Hour)), int64(nap))
	if s.Late >= int64(stallFloor) && len(h.Stalls) < maxStalls {
		h.Stalls = append(h.Stalls, s)
	}
}

func (h *Hiccups) Covers(from, to int64) bool {
	covered := int64(0)
	for _, s := range h.Stalls {
		covered += max(min(to, s.Until())-max(from, s.From), 0)
	}
	return 2*covered > to-from
}

func (w *Witness) meter() {
	defer close(w.done)
	// The thread is never unlocked, so it and its settings end with the goroutine.
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
			s.Queued = max(queue.longest()-int64(before-read), 0)
			read = now
		}
		w.seen.Hiccups.Note(s)
		w.runtime.Look()
		before, used = now, cpu
	}
	w.own = threadUsage()
}
