package machine

import (
	"math"
	"testing"
	"time"
)

func TestBuckets(t *testing.T) {
	last := -1
	for _, v := range []int64{0, 1, 15, 16, 17, 31, 32, 34, 1000, 12_345, 1e6, 1e9, 3.6e12,
		math.MaxInt64} {
		b := bucketOf(time.Duration(v))
		if b <= last || b >= buckets {
			t.Errorf("%d is in bucket %d, after %d", v, b, last)
		}
		last = b
		if m := float64(middleOf(b)); math.Abs(m-float64(v)) > 0.032*float64(v) {
			t.Errorf("%d has the middle %v", v, m)
		}
	}
	if bucketOf(-1) != 0 {
		t.Error("a negative response")
	}
}

func TestMostMetered(t *testing.T) {
	for rate, every := range map[float64]int{0: 1, 100: 1, 20_000: 1, 50_000: 4, 1e6: 64,
		math.Inf(1): 1} {
		var m Meter
		m.Begin(Run{Rate: rate, Settled: func() uint64 { return 0 }})
		const tasks = 1024
		for i := range uint64(tasks) {
			m.Settle(i, Completed, time.Second)
		}
		if n := m.responses[bucketOf(time.Second)].Load(); n != uint64(tasks/every) {
			t.Errorf("at %v/s %d of %d are counted, want one in %d", rate, n, tasks, every)
		}
	}
	var none *Meter
	none.Begin(Run{})
	none.Settle(0, Failed, 0)
	none.End()
}

func BenchmarkSettle(b *testing.B) {
	var m Meter
	m.Begin(Run{Settled: func() uint64 { return 0 }})
	b.RunParallel(func(pb *testing.PB) {
		for i := uint64(0); pb.Next(); i++ {
			m.Settle(i, Completed, time.Duration(i%100)*time.Microsecond)
		}
	})
}
