package bench

import (
	"context"
	"runtime/debug"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/internal/machine"
	"github.com/poolbench/poolbench/internal/observe"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/workloads"
)

type allocating struct {
	nothing
	size int
	kept chan []byte
}

func (a allocating) Do(context.Context, uint64) error {
	a.kept <- make([]byte, a.size)
	return nil
}

func TestRuntimeMetrics(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	const tasks, size = 200, 1 << 20
	w := allocating{size: size, kept: make(chan []byte, tasks)}
	s := Scenario{Strategy: strategies.MustParse("worker_pool"), Limit: 2, Clock: Real,
		Workload: workloads.Variant{Spec: workloads.Spec{Name: "allocating",
			New: func(uint64, param.Values) (workloads.Workload, error) { return w, nil }}},
		Load: Load{PerSecond: 2000}, Stop: Stop{Tasks: tasks}}
	r, err := Run(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	has := map[string]float64{}
	for _, m := range r.Metrics {
		has[m.Unit] = m.Value
	}
	// 200 MB stay alive, and the heap may double between collections
	for unit, least := range map[string]float64{"gc-cycles": 3, "gc-cpu": 1e-6,
		"gc-pause-sec": 1e-6, "max-gc-pause-sec": 1e-6, "max-heap-B": tasks * size,
		"heap-B/inflight": 20 * size, "sched-sec/op": 1e-9, "mean-waiting-goroutines": 1} {
		if has[unit] < least {
			t.Errorf("%s is %v, want %v or more", unit, has[unit], least)
		}
	}
	if has["max-gc-pause-sec"] > has["gc-pause-sec"] {
		t.Errorf("the longest pause is %v, all are %v", has["max-gc-pause-sec"],
			has["gc-pause-sec"])
	}
	s.Clock, s.Workload = Virtual, workloads.MustParse("constant:mean=1ms")
	if r, err = Run(context.Background(), s); err != nil {
		t.Fatal(err)
	}
	for _, m := range observe.RuntimeMetrics {
		if v, ok := r.Metric(m.Unit); ok {
			t.Errorf("%s is %v under the virtual clock", m.Unit, v)
		}
	}
}

func TestRuntimeAbsent(t *testing.T) {
	o := &observe.Run{Peak: 1, Seen: &machine.WitnessStats{Pressure: machine.UnknownPressure,
		Runtime: &machine.RuntimeStats{}}}
	check := func(absent ...string) {
		t.Helper()
		var got, want []string
		r := &Result{}
		o.ReportRuntime(r, 100)
		for _, m := range r.Metrics {
			got = append(got, m.Unit)
		}
		for _, m := range observe.RuntimeMetrics {
			if !slices.Contains(absent, m.Unit) {
				want = append(want, m.Unit)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
	check("p50-sched-sec", "p95-sched-sec", "p99-sched-sec", "heap-B/inflight", "runqueue-sec/op",
		"voluntary-switches/op", "involuntary-switches/op", "page-faults/op", "major-faults/op")
	o.Seen.Usage = machine.Usage{CPU: int64(time.Second), MinorFaults: -1, MajorFaults: -1}
	o.Seen.Runtime.Cycles, o.Seen.Pressure.Waiting = 1, 0
	check("p50-sched-sec", "p95-sched-sec", "p99-sched-sec", "page-faults/op", "major-faults/op")
}
