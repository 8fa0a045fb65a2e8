package machine

import (
	"math"
	"runtime/metrics"
	"time"
)

// Totals grow from the start of the program.
const (
	schedLatencies = iota
	gcPauses
	gcCycles
	mutexWait
	gcAssist
	gcDedicated
	gcIdle
	cpuTotal
	cpuIdle
	totals
)

var totalNames = [totals]string{
	schedLatencies: "/sched/latencies:seconds",
	gcPauses:       "/sched/pauses/total/gc:seconds",
	gcCycles:       "/gc/cycles/total:gc-cycles",
	mutexWait:      "/sync/mutex/wait/total:seconds",
	gcAssist:       "/cpu/classes/gc/mark/assist:cpu-seconds",
	gcDedicated:    "/cpu/classes/gc/mark/dedicated:cpu-seconds",
	gcIdle:         "/cpu/classes/gc/mark/idle:cpu-seconds",
	cpuTotal:       "/cpu/classes/total:cpu-seconds",
	cpuIdle:        "/cpu/classes/idle:cpu-seconds",
}

// Levels are sampled.
const (
	runnable = iota
	waiting
	heapObjects
	heapLive
	stacks
	levels
)

var levelNames = [levels]string{
	runnable:    "/sched/goroutines/runnable:goroutines",
	waiting:     "/sched/goroutines/waiting:goroutines",
	heapObjects: "/memory/classes/heap/objects:bytes",
	heapLive:    "/gc/heap/live:bytes",
	stacks:      "/memory/classes/heap/stacks:bytes",
}

// Unknown values are negative.
type RuntimeStats struct {
	// waits of ready goroutines until they ran; the runtime measures one in eight
	Scheduling RuntimeTimes
	Pauses     RuntimeTimes // stop-the-world pauses for the garbage collector
	Cycles     float64      // completed cycles of the garbage collector
	// share of the program's CPU time spent marking in these cycles
	GC     float64
	Assist float64 // seconds of CPU time in which allocating goroutines had to mark
	// seconds that goroutines were blocked on locks; the runtime measures one in eight
	Mutex float64

	Runnable, Waiting RuntimeLevel // numbers of ready and of blocked goroutines
	Heap              RuntimeLevel // bytes of live and dead objects, and of stacks
	Live              RuntimeLevel // bytes of objects alive after the last cycle, and of stacks
}

func (s *RuntimeStats) SchedulingSeconds() float64 { return timedOneIn * s.Scheduling.Sum() }

const timedOneIn = 8

type RuntimeLevel struct {
	First, Mean, Most float64
	Looks             int
}

func (l *RuntimeLevel) add(v float64) {
	if l.Looks == 0 {
		l.First = v
	}
	l.Looks++
	l.Mean += (v - l.Mean) / float64(l.Looks)
	l.Most = max(l.Most, v)
}

// RuntimeTimes is a distribution in the buckets of the runtime. Each is at most a quarter as wide
// as its lower limit, so quantiles and sums are accurate to an eighth.
type RuntimeTimes struct {
	Count   uint64
	counts  []uint64
	buckets []float64 // limits of the buckets in seconds; one more than counts
}

func (t *RuntimeTimes) middle(i int) float64 {
	low, high := max(t.buckets[i], 0), t.buckets[i+1]
	if math.IsInf(high, 1) {
		return low
	}
	return (low + max(high, 0)) / 2
}

func (t *RuntimeTimes) Quantile(q float64) time.Duration {
	rank := uint64(math.Ceil(q * float64(t.Count)))
	for i, n := range t.counts {
		if n > 0 && rank <= n {
			return time.Duration(t.middle(i) * float64(time.Second))
		}
		rank -= n
	}
	return 0
}

// sum is in seconds.
func (t *RuntimeTimes) Sum() (sum float64) {
	for i, n := range t.counts {
		if n > 0 {
			sum += float64(n) * t.middle(i)
		}
	}
	return sum
}

type RuntimeWatch struct {
	before, after [totals]metrics.Sample
	levels        [levels]metrics.Sample
	seen          RuntimeStats
}

func WatchRuntime() *RuntimeWatch {
	w := &RuntimeWatch{}
	for i, name := range totalNames {
		w.before[i].Name, w.after[i].Name = name, name
	}
	for i, name := range levelNames {
		w.levels[i].Name = name
	}
	metrics.Read(w.after[:]) // allocates the histograms that End fills
	for _, i := range []int{schedLatencies, gcPauses} {
		if h := histogram(w.after[i]); h != nil {
			t := w.times(i)
			t.counts, t.buckets = make([]uint64, len(h.Counts)), h.Buckets
		}
	}
	metrics.Read(w.before[:])
	w.Look()
	return w
}

func (w *RuntimeWatch) times(total int) *RuntimeTimes {
	if total == schedLatencies {
		return &w.seen.Scheduling
	}
	return &w.seen.Pauses
}

func (w *RuntimeWatch) Look() {
	metrics.Read(w.levels[:])
	of := func(i int) float64 { return number(w.levels[i]) }
	w.seen.Runnable.add(of(runnable))
	w.seen.Waiting.add(of(waiting))
	w.seen.Heap.add(of(heapObjects) + of(stacks))
	w.seen.Live.add(of(heapLive) + of(stacks))
}

// End must be called once, and does not allocate.
func (w *RuntimeWatch) End() *RuntimeStats {
	w.Look()
	metrics.Read(w.after[:])
	grown := func(i int) float64 {
		before, after := number(w.before[i]), number(w.after[i])
		if before < 0 || after < 0 {
			return -1
		}
		return max(after-before, 0)
	}
	for _, i := range []int{schedLatencies, gcPauses} {
		w.times(i).grow(histogram(w.before[i]), histogram(w.after[i]))
	}
	s := &w.seen
	s.Cycles, s.Mutex, s.Assist = grown(gcCycles), grown(mutexWait), grown(gcAssist)
	s.GC = share(s.Assist+grown(gcDedicated)+grown(gcIdle), grown(cpuTotal)-grown(cpuIdle))
	return s
}

// The runtime accounts for CPU time at the end of a cycle. Until then the share is 0.
func share(part, whole float64) float64 {
	if whole <= 0 || part < 0 {
		return 0
	}
	return min(part/whole, 1)
}

func (t *RuntimeTimes) grow(before, after *metrics.Float64Histogram) {
	if before == nil || after == nil {
		return
	}
	for i := range t.counts {
		t.counts[i] = after.Counts[i] - before.Counts[i]
		t.Count += t.counts[i]
	}
}

func number(s metrics.Sample) float64 {
	switch s.Value.Kind() {
	case metrics.KindUint64:
		return float64(s.Value.Uint64())
	case metrics.KindFloat64:
		return s.Value.Float64()
	}
	return -1
}

func histogram(s metrics.Sample) *metrics.Float64Histogram {
	if s.Value.Kind() != metrics.KindFloat64Histogram {
		return nil
	}
	return s.Value.Float64Histogram()
}
