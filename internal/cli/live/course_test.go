package live

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/poolbench/poolbench/internal/machine"
)

func TestCourse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var m machine.Meter
		var settled atomic.Uint64
		c := NewCourse(&m, func() Plan { return Plan{3, 7, 4 * time.Second} })
		if f := c.Step(time.Now()); f.Rate != nil || f.Run != "" || f.Done != 3 || *f.Left != 4 {
			t.Errorf("before a run: %+v", f)
		}
		m.Begin(machine.Run{Name: "a", Limit: 4, Plan: 3 * time.Second, Settled: settled.Load,
			InFlight: func() int64 { return 2 }})
		rng := rand.New(rand.NewPCG(1, 2))
		for second := range 5 {
			var window []float64
			f := c.Step(time.Now())
			for range 2 {
				for range 1500 {
					d := time.Duration(rng.ExpFloat64() * float64(time.Millisecond) *
						float64(second+1))
					m.Settle(settled.Add(1), machine.Completed, 0, d)
					window = append(window, d.Seconds())
				}
				m.Settle(settled.Add(1), machine.Shed, 0, 0)
				time.Sleep(time.Second)
				f = c.Step(time.Now())
			}
			// one second more than the rest of the run
			if want := max(4-2*float64(second+1), 1); *f.Left != want {
				t.Errorf("%v s are left, want %v", *f.Left, want)
			}
			if *f.Rate != 1501 || f.Settled != settled.Load() || f.Limit != 4 || *f.InFlight != 2 {
				t.Errorf("%+v, rate %v", f, *f.Rate)
			}
			if f.Others[machine.Shed] != uint64(2*(second+1)) {
				t.Errorf("%d are shed", f.Others[machine.Shed])
			}
			slices.Sort(window)
			for got, want := range map[float64]float64{*f.P50: window[1499], *f.P99: window[2969]} {
				if math.Abs(got-want) > 0.033*want {
					t.Errorf("quantile %v, want %v", got, want)
				}
			}
		}
		m.End()
		if f := c.Step(time.Now()); f.Rate != nil || f.Run != "" {
			t.Errorf("after a run: %+v", f)
		}
	})
}

func TestFew(t *testing.T) {
	var m machine.Meter
	m.Begin(machine.Run{Name: "a", Settled: func() uint64 { return 0 }})
	c := NewCourse(&m, func() Plan { return Plan{Left: -1} })
	now := time.Now()
	c.Step(now)
	for i := range uint64(367) {
		m.Settle(i, machine.Completed, 0, time.Second)
	}
	if f := c.Step(now.Add(time.Second)); f.P99 != nil || f.P50 == nil || f.Left != nil ||
		f.InFlight != nil {
		t.Errorf("%+v", f)
	}
}

func BenchmarkStep(b *testing.B) {
	var m machine.Meter
	m.Begin(machine.Run{Settled: func() uint64 { return 0 }})
	c := NewCourse(&m, func() Plan { return Plan{} })
	for now := time.Now(); b.Loop(); now = now.Add(time.Second) {
		c.Step(now)
	}
}
