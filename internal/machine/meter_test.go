package machine

import (
	"maps"
	"math"
	"strconv"
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

// At high rates only one of 2ⁿ tasks is counted, and represents the others.
func TestMostMetered(t *testing.T) {
	for rate, every := range map[float64]int{0: 1, 100: 1, 20_000: 1, 50_000: 4, 1e6: 64,
		math.Inf(1): 1} {
		var m Meter
		m.Begin(Run{Rate: rate, Settled: func() uint64 { return 0 }})
		const tasks = 1024
		counted := 0
		for i := range uint64(tasks) {
			before := m.Snapshot(time.Time{})
			m.Settle(i, Completed, 0, time.Second)
			after := m.Snapshot(time.Time{})
			if after.Since(&before).Total > 0 {
				counted++
			}
		}
		all := m.Answered()
		if len(all) != 1 || all[0].Responses.Total != tasks || counted != tasks/every {
			t.Errorf("at %v/s %d of %d are counted, want one in %d: %d answers, %+v", rate, counted,
				tasks, every, len(all), all[0].Responses.Total)
		}
	}
	var none *Meter
	none.Begin(Run{})
	none.Settle(0, Failed, 0, 0)
	none.End()
}

func BenchmarkSettle(b *testing.B) {
	var m Meter
	m.Begin(Run{Settled: func() uint64 { return 0 }})
	b.RunParallel(func(pb *testing.PB) {
		for i := uint64(0); pb.Next(); i++ {
			m.Settle(i, Completed, 200, time.Duration(i%100)*time.Microsecond)
		}
	})
}

// Responses must be counted by outcome and status. An invalid status counts as none.
func TestAnswered(t *testing.T) {
	var m Meter
	m.Begin(Run{Settled: func() uint64 { return 0 },
		Status: func(status int) string { return "s" + strconv.Itoa(status) }})
	for _, c := range []struct {
		o      Outcome
		status int
	}{{Completed, 200}, {Completed, 204}, {Failed, 200}, {Failed, 0}, {Throttled, 429},
		{Completed, 200}, {Failed, 1000}, {Failed, -1}} {
		m.Settle(1, c.o, c.status, time.Millisecond)
	}
	m.End()
	m.Settle(1, Failed, 500, time.Millisecond) // its run is over
	got := map[string]uint64{}
	for _, a := range m.Answered() {
		got[Names[a.Outcome]+" "+a.Status] = a.Responses.Total
	}
	want := map[string]uint64{"completed s200": 2, "completed s204": 1, "failed s200": 1,
		"failed ": 3, "throttled s429": 1}
	if !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
