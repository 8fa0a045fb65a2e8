package bench

import (
	"runtime"
	"sync/atomic"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// nap is how long the hiccup meter sleeps at a time, and queueNaps after how many it reads how long threads have waited: a microsecond for each of them.
const (
	nap       = time.Millisecond
	queueNaps = 8
)

// A stall is what the meter notes one by one: it woke so much later than it had asked for.
const (
	stallFloor = 10 * time.Millisecond
	mostStalls = 256
)

// A meter sleeps in short steps on a thread of its own and records how late it wakes. It has nothing to do with the strategy, so what makes it late, a
// busy machine, a stopped process, a virtual machine that is not run, made the tasks late as well; and what left it alone was the strategy's own.
// (The idea is jHiccup's: Tene, 2011.) It costs some 10 µs of CPU time in a millisecond, which is taken out of the run's.
type meter struct {
	stop   atomic.Bool
	ready  chan struct{}
	done   chan struct{}
	base   time.Time
	late   *hdrhistogram.Histogram // ns, a stall counted once for each nap that it swallowed: what a wake-up at any instant would have met
	stalls []stall                 // those above stallFloor, the first ones
	cpu    int64                   // of its own thread, ns; 0 where the system does not tell
}

// A stall is one late wake-up of the meter.
type stall struct {
	from   int64 // ns since the start of the run
	late   int64
	cpu    int64 // that the process used meanwhile: next to none where it was stopped, and much where its own tasks kept the processors
	queued int64 // that one of the process's threads was ready and had no processor, at least: little where it was stopped, and most of it where others kept the processors
}

// startMeter starts a meter. Whoever starts it ends it.
func startMeter() *meter {
	m := &meter{ready: make(chan struct{}), done: make(chan struct{}), base: time.Now(), stalls: make([]stall, 0, mostStalls)}
	m.late = hdrhistogram.New(1, int64(time.Hour), 3)
	go m.run()
	<-m.ready // what it allocates is not the run's
	return m
}

func (m *meter) run() {
	defer close(m.done)
	runtime.LockOSThread() // and never unlocked: the thread ends with the goroutine, and what is set for it too
	fineTimers()
	queue := openRunQueue()
	defer queue.close()
	close(m.ready)
	before, used := time.Since(m.base), cpuTime()
	queue.longest()
	read := before
	for i := 1; !m.stop.Load(); i++ {
		sleepThread(nap)
		now, cpu := time.Since(m.base), cpuTime()
		s := stall{from: int64(before), late: int64(now - before - nap), cpu: cpu - used}
		if i%queueNaps == 0 || s.late >= int64(stallFloor) {
			s.queued = max(queue.longest()-int64(before-read), 0) // before this nap it may have waited all the time
			read = now
		}
		m.note(s)
		before, used = now, cpu
	}
	m.cpu = threadCPUTime()
}

// note records one wake-up. An impossible value, a clock that was set back for instance, is none.
func (m *meter) note(s stall) {
	_ = m.late.RecordCorrectedValue(min(max(s.late, 0), int64(time.Hour)), int64(nap))
	if s.late >= int64(stallFloor) && len(m.stalls) < mostStalls {
		m.stalls = append(m.stalls, s)
	}
}

// end stops the meter, waits for it, a millisecond at most, and counts from base, when the run began, from now on.
func (m *meter) end(base time.Time) {
	m.stop.Store(true)
	<-m.done
	for i := range m.stalls {
		m.stalls[i].from -= int64(base.Sub(m.base))
	}
	m.base = base
}

// quantile is the lateness that a wake-up at a random instant would have exceeded with probability 1 − p; false where the naps were too few.
func (m *meter) quantile(p float64) (ns int64, ok bool) {
	if !resolvable(p, int(m.late.TotalCount())) {
		return 0, false
	}
	return m.late.ValueAtQuantile(100 * p), true
}
