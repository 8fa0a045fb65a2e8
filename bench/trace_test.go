package bench

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/poolbench/poolbench/bench/record"
	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/internal/observe"
	"github.com/poolbench/poolbench/internal/validity"
	"github.com/poolbench/poolbench/strategies"
)

func fifoScenario(limit int) Scenario {
	spec := strategies.Spec{Name: "fifo", FIFO: true, WorkConserving: true,
		Bound: func(p strategies.Params) int {
			return p.Limit
		}}
	return Scenario{Strategy: strategies.Variant{Spec: spec}, Limit: limit, Clock: Virtual}
}

func simulateFIFO(limit int, due, service []int64) *observe.Run {
	free := make([]int64, limit)
	var l record.Log
	o := &observe.Run{Plan: fifoScenario(limit).described(), Peak: int64(limit)}
	for i := range due {
		slot := 0
		for p := range free {
			if free[p] < free[slot] {
				slot = p
			}
		}
		r := l.Add(due[i])
		r.Busy = service[i]
		r.Start = max(due[i], free[slot])
		r.End = r.Start + service[i]
		r.Attempts, r.Outcome = 1, record.Completed
		free[slot] = r.End
		o.Service += service[i]
	}
	o.Trace = record.NewTrace([]record.Log{l})
	return o
}

func drawRun(t *rapid.T) *observe.Run {
	n := rapid.IntRange(1, 300).Draw(t, "tasks")
	limit := rapid.IntRange(1, 9).Draw(t, "limit")
	r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
	due, service := make([]int64, n), make([]int64, n)
	for i := range due {
		if i > 0 {
			due[i] = due[i-1] + r.Int64N(100)
		}
		service[i] = r.Int64N(400)
	}
	return simulateFIFO(limit, due, service)
}

func TestPerfectRun(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := drawRun(t)
		replay := validity.ReplayOf(o, 0, observe.Blocked{})
		if !replay.Done || replay.MaxDiff != 0 {
			t.Fatalf("oracle: done %v, largest difference %d ns", replay.Done, replay.MaxDiff)
		}
		if broken := validity.BrokenLaws(o, o.Flow(0), replay, 0); broken != nil {
			t.Fatalf("a perfect run breaks %q", broken)
		}
	})
}

func TestEachLaw(t *testing.T) {
	perfect := func() *observe.Run {
		return simulateFIFO(2, []int64{10, 20, 30, 40, 50}, []int64{100, 100, 100, 100, 100})
	}
	for _, c := range []struct {
		name  string
		spoil func(o *observe.Run)
		law   string
	}{
		{"a lost task", func(o *observe.Run) { *o.Trace.At(3) = record.Record{Due: 40} },
			"conservation"},
		{"a task settled twice", func(o *observe.Run) { o.SettledTwice = 1 }, "conservation"},
		{"a task run twice", func(o *observe.Run) { o.Trace.At(3).Attempts = 2 }, "once"},
		{"one too many in flight", func(o *observe.Run) { o.Peak = 3 }, "bound"},
		{"service that the records do not hold", func(o *observe.Run) { o.Service += 7 },
			"utilisation law"},
		{"more service than slots", func(o *observe.Run) {
			r := o.Trace.At(4)
			r.Due, r.Busy, o.Service = -4000, 4000, o.Service+3900
		}, "utilisation law"},
		{"a start before due", func(o *observe.Run) { o.Trace.At(0).Start = 9 }, "response"},
		{"an end before start", func(o *observe.Run) { o.Trace.At(0).End = 15 }, "response"},
		{"a late start", func(o *observe.Run) {
			r := o.Trace.At(4)
			r.Start, r.End = r.Start+1, r.End+1
		}, "oracle"},
	} {
		o := perfect()
		c.spoil(o)
		broken := validity.BrokenLaws(o, o.Flow(0), validity.ReplayOf(o, 0, observe.Blocked{}), 0)
		if !slices.ContainsFunc(broken,
			func(s string) bool { return len(s) >= len(c.law) && s[:len(c.law)] == c.law }) {
			t.Errorf("%s: broken laws are %q, want the law %q among them", c.name, broken, c.law)
		}
	}
}

// The author of a strategy must read which promise of the Spec is broken, by how much.
func TestBrokenPromise(t *testing.T) {
	for late, want := range map[int64]string{1: "by 1 ns (task 4)", 8_191_933_016: "by 8.19 s (task 4)"} {
		o := simulateFIFO(2, []int64{10, 20, 30, 40, 50}, []int64{100, 100, 100, 100, 100})
		r := o.Trace.At(4)
		r.Start, r.End = r.Start+late, r.End+late
		broken := validity.BrokenLaws(o, o.Flow(0), validity.ReplayOf(o, 0, observe.Blocked{}), 0)
		want += ". The Spec promises FIFO and WorkConserving, but tasks started in another order, or " +
			"a slot was idle while a task waited: correct the strategy, or the Spec"
		if !slices.ContainsFunc(broken, func(s string) bool { return strings.HasSuffix(s, want) }) {
			t.Errorf("%q, want %q", broken, want)
		}
	}
}

func TestLittle(t *testing.T) {
	o := simulateFIFO(1, []int64{0, 0, 0}, []int64{5, 5, 5})
	f := o.Flow(0)
	if want := (observe.Uint128{Hi: 0, Lo: 5 + 10 + 15}); f.Area != want || f.Responses != want {
		t.Errorf("∫N(t)dt = %v, Σ response = %v, want %v", f.Area, f.Responses, want)
	}
	f.Area.AddProduct(1, 1)
	if broken := validity.BrokenLaws(o, f, validity.ReplayOf(o, 0, observe.Blocked{}),
		0); len(broken) != 1 ||
		broken[0][:6] != "Little" {
		t.Errorf("broken laws: %q", broken)
	}
	var big observe.Uint128
	big.AddProduct(1<<40, 1<<40)
	big.AddProduct(1, 1<<64-1)
	big.AddProduct(1, 1)
	if big != (observe.Uint128{Hi: 1<<16 + 1, Lo: 0}) {
		t.Errorf("2^80 + 2^64 = %v", big)
	}
}

func TestTimeline(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := drawRun(t)
		var sum result.Bucket
		line := o.Timeline()
		for _, v := range line {
			sum.Arrived += v.Arrived
			sum.Started += v.Started
			sum.Completed += v.Completed
			if v.Queued < 0 || v.InFlight < 0 || v.InFlight > o.Plan.Params.Limit {
				t.Fatalf("impossible levels: %+v", v)
			}
		}
		if n := o.Trace.Len(); sum.Arrived != n || sum.Started != n || sum.Completed != n {
			t.Fatalf("%d tasks: the timeline has %+v", n, sum)
		}
		if last := line[len(line)-1]; last.InFlight != 0 || last.Queued != 0 {
			t.Fatalf("the run ends with %+v", last)
		}
	})
}
