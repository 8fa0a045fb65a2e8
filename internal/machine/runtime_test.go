package machine

import (
	"math"
	"runtime"
	"runtime/metrics"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, // TestStacksOfBubble leaves a deadlocked bubble
		goleak.IgnoreAnyFunction("testing/synctest.testingSynctestTest"),
		goleak.IgnoreAnyFunction("github.com/poolbench/poolbench/internal/machine_test.receive"))
}

func TestKnown(t *testing.T) {
	w := WatchRuntime()
	for _, s := range append(w.before[:], w.levels[:]...) {
		if s.Value.Kind() == metrics.KindBad {
			t.Errorf("the runtime has no %s", s.Name)
		}
	}
	w.End()
}

func TestAllocates(t *testing.T) {
	w := WatchRuntime()
	if n := testing.AllocsPerRun(100, w.Look); n != 0 {
		t.Errorf("a look allocates %v times", n)
	}
	if n := testing.AllocsPerRun(1, func() { w.End() }); n != 0 {
		t.Errorf("the end allocates %v times", n)
	}
}

// With one processor, computing goroutines are runnable and delay each other.
func TestScheduler(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	const busy, blocked = 8, 100
	release := make(chan struct{})
	var all sync.WaitGroup
	for range blocked {
		all.Go(func() { <-release })
	}
	w := WatchRuntime()
	for w.seen.Waiting.Most < blocked {
		runtime.Gosched()
		w.Look()
	}
	for range busy {
		all.Go(func() {
			for range 100 {
				count(100_000)
				runtime.Gosched()
			}
		})
	}
	w.Look()
	close(release)
	all.Wait()
	seen := w.End()
	if seen.Runnable.Most < busy-1 || seen.Waiting.Most < blocked {
		t.Errorf("%+v runnable and %+v waiting, want %d and %d or more", seen.Runnable,
			seen.Waiting, busy, blocked)
	}
	// 8 goroutines share the processor, so each waits for 7
	if p99, n := seen.Scheduling.Quantile(0.99), seen.Scheduling.Count; n < busy*100/timedOneIn/2 ||
		p99 <= 0 || seen.SchedulingSeconds() <= 0 {
		t.Errorf("%d scheduling times, p99 %v, sum %v s", n, p99, seen.SchedulingSeconds())
	}
}

// counted keeps the compiler from removing the loop.
var counted atomic.Int64

func count(n int) {
	sum := 0
	for i := range n {
		sum += i & 1
	}
	counted.Add(int64(sum))
}

func TestCollector(t *testing.T) {
	runtime.GC()
	w := WatchRuntime()
	const cycles, size = 3, 16 << 20
	kept := make([]*[64]byte, size/64)
	for i := range kept {
		kept[i] = new([64]byte)
	}
	for range cycles {
		runtime.GC()
	}
	w.Look()
	seen := w.End()
	runtime.KeepAlive(kept)
	if seen.Cycles < cycles || seen.Pauses.Count < cycles || seen.Pauses.Sum() <= 0 {
		t.Errorf("%v cycles, %d pauses of %v s", seen.Cycles, seen.Pauses.Count,
			seen.Pauses.Sum())
	}
	if seen.GC <= 0 || seen.GC > 1 {
		t.Errorf("the collector took a share of %v", seen.GC)
	}
	if live := seen.Live.Most - seen.Live.First; live < size {
		t.Errorf("%v bytes more are alive, want %d or more", live, size)
	}
	if heap := seen.Heap.Most - seen.Heap.First; heap < size {
		t.Errorf("the heap grew by %v bytes, want %d or more", heap, size)
	}
}

// The runtime measures only one in eight waits.
func TestMutex(t *testing.T) {
	w := WatchRuntime()
	var mu sync.Mutex
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			for range 10 {
				mu.Lock()
				time.Sleep(200 * time.Microsecond)
				mu.Unlock()
			}
		})
	}
	all.Wait()
	// 160 locks of at least 0.2 ms, with up to 15 waiting goroutines each
	if seen := w.End(); seen.Mutex < 0.032 {
		t.Errorf("%v s blocked on a mutex", seen.Mutex)
	}
}

func TestTimes(t *testing.T) {
	h := func(counts ...uint64) *metrics.Float64Histogram {
		return &metrics.Float64Histogram{Counts: counts,
			Buckets: []float64{math.Inf(-1), 0, 1, 2, 4, math.Inf(1)}}
	}
	before, after := h(1, 5, 0, 7, 2), h(1, 6, 2, 8, 3)
	all := RuntimeTimes{counts: make([]uint64, 5), buckets: after.Buckets}
	all.grow(before, after)
	if all.Count != 5 || all.Sum() != 0.5+2*1.5+3+4 {
		t.Errorf("%d times, sum %v", all.Count, all.Sum())
	}
	for q, want := range map[float64]time.Duration{0.2: 500 * time.Millisecond,
		0.5: 1500 * time.Millisecond, 0.8: 3 * time.Second, 1: 4 * time.Second} {
		if got := all.Quantile(q); got != want {
			t.Errorf("quantile %v is %v, want %v", q, got, want)
		}
	}
	if none := (&RuntimeTimes{}); none.Quantile(0.5) != 0 || none.Sum() != 0 {
		t.Error("no times have a quantile")
	}
}

func BenchmarkLook(b *testing.B) {
	w := WatchRuntime()
	b.ReportAllocs()
	for b.Loop() {
		w.Look()
	}
}
