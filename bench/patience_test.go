package bench

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/poolbench/poolbench/bench/arrivals"
	"github.com/poolbench/poolbench/bench/dist"
	"github.com/poolbench/poolbench/internal/statistics/theory"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/workloads"
)

// Five tasks of 10 ms share a slot, and each caller waits 25 ms. Two tasks complete, the third is
// cancelled after 5 ms, and the others never start.
func TestPatience(t *testing.T) {
	for _, name := range []string{"semaphore", "worker_pool", "bounded_queue", "retry_queue",
		"partitioned:quantum=1ms", "hedged"} {
		for _, arrival := range []string{"batch", "closed:clients=5,think=0s"} {
			s := Scenario{Strategy: strategies.MustParse(name), Limit: 1,
				Workload: workloads.MustParse("constant:mean=10ms"),
				Load:     Load{Arrival: arrivals.MustParse(arrival)}, Stop: Stop{Tasks: 5},
				Patience: dist.Constant{Value: 25e6}, Clock: Virtual}
			r, err := Run(t.Context(), s)
			if err != nil {
				t.Fatal(err)
			}
			want := map[string]float64{"gave-up/op": 0.6, "gave-up-started/op": 0.2,
				"wasted-service/op": 0.2, "abandoned/op": 0, "failed/op": 0, "makespan-sec": 0.025,
				"ops/s": 80, "goodput-ops/s": 80, "broken-laws": 0}
			if name == "partitioned:quantum=1ms" { // all tasks take 50 ms
				want["gave-up/op"], want["gave-up-started/op"] = 1, 1
				want["wasted-service/op"], want["ops/s"], want["goodput-ops/s"] = 1, 0, 0
			}
			for unit, v := range want {
				if got, _ := r.Metric(unit); math.Abs(got-v) > 1e-9 {
					t.Errorf("%s, %s: %s is %v, want %v", name, arrival, unit, got, v)
				}
			}
		}
	}
}

// A client that gives up must continue although the strategy still has its task. The first of
// twelve tasks uses the slot for a second, and two clients give up every 100 ms.
func TestPatienceOfClients(t *testing.T) {
	stubborn := workloads.Func("stubborn", func(context.Context, uint64) error {
		time.Sleep(time.Second)
		return nil
	}, workloads.Moments{Mean: time.Second})
	stubborn.Kind = workloads.Wait
	s := Scenario{Strategy: strategies.MustParse("worker_pool"), Limit: 1,
		Workload: workloads.Variant{Spec: stubborn},
		Load:     Load{Arrival: arrivals.MustParse("closed:clients=2,think=0s")},
		Stop:     Stop{Tasks: 12}, Patience: dist.Constant{Value: 100 * time.Millisecond},
		Clock: Virtual}
	r, err := Run(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	for unit, want := range map[string]float64{"gave-up/op": 1, "gave-up-started/op": 1.0 / 12,
		"wasted-service/op": 1, "makespan-sec": 1, "broken-laws": 0} {
		if got, _ := r.Metric(unit); math.Abs(got-want) > 1e-9 {
			t.Errorf("%s is %v, want %v", unit, got, want)
		}
	}
}

func TestPatienceOfASoak(t *testing.T) {
	s := Scenario{Strategy: strategies.MustParse("semaphore"), Load: Load{Relative: 1.3},
		Stop: Stop{Tasks: 4000, Warmup: 0.1}, Patience: dist.Exponential{M: 20e6}, Seed: 3,
		Clock: Virtual}
	var got [2][]float64
	for i := range got {
		s.Soak = i == 1
		r, err := Run(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		for _, unit := range []string{"gave-up/op", "gave-up-started/op", "wasted-service/op",
			"ops/s", "broken-laws"} {
			v, ok := r.Metric(unit)
			if got[i] = append(got[i], v); !ok {
				t.Errorf("soak %v: no %s", s.Soak, unit)
			}
		}
	}
	if fmt.Sprint(got[0]) != fmt.Sprint(got[1]) || got[0][0] == 0 {
		t.Errorf("%v, of a soak %v", got[0], got[1])
	}
}

func TestPatienceWritten(t *testing.T) {
	s := Scenario{Strategy: strategies.MustParse("semaphore"), Patience: dist.Exponential{M: 1e9}}
	read, err := s.Encode().Scenario()
	if err != nil || read.Patience != s.Patience || read.Name() != s.Name() {
		t.Errorf("%v, %v", read.Patience, err)
	}
	if want := "/patience=exp(1s)/"; !strings.Contains(s.Name(), want) {
		t.Errorf("%s has no %s", s.Name(), want)
	}
	s.Patience = dist.Constant{}
	if s.Validate() == nil {
		t.Error("a patience of 0 is possible")
	}
}

func TestErlangA(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	t.Parallel()
	const seeds = 6
	const mean, patience = 0.01, 0.02
	for strategy, loads := range map[string][]float64{"worker_pool": {0.7, 1, 1.8}, "semaphore": {1}} {
		for _, load := range loads {
			s := Scenario{Strategy: strategies.MustParse(strategy), Load: Load{Relative: load},
				Stop: Stop{Tasks: 6000, Warmup: 0.1}, Patience: dist.Exponential{M: patience * 1e9},
				Clock: Virtual}
			inSlot := 1 / (1/mean + 1/patience)
			a, err := theory.MMkM(theory.Pool{Rate: load * 4 / mean, MeanService: inSlot, Limit: 4},
				patience)
			if err != nil {
				t.Fatal(err)
			}
			started := (1 - a.GaveUpProb) * inSlot / patience
			want := map[string]float64{"gave-up/op": a.GaveUpProb + started,
				"gave-up-started/op": started, "mean-wait-sec": a.MeanWait, "waited/op": a.WaitProb}
			values := map[string][]float64{}
			for s.Seed = 11; s.Seed < 11+seeds; s.Seed++ {
				r, err := Run(t.Context(), s)
				if err != nil {
					t.Fatal(err)
				}
				for unit, exact := range want {
					v, _ := r.Metric(unit)
					shown, _ := r.Metric("theory-" + unit)
					if math.Abs(shown/exact-1) > 1e-9 {
						t.Errorf("load %v: theory-%s is %v, want %v", load, unit, shown, exact)
					}
					values[unit] = append(values[unit], v)
				}
				for _, reason := range r.Reasons {
					if reason.Check == "theory" {
						t.Errorf("load %v, seed %d: %v", load, s.Seed, reason)
					}
				}
			}
			for unit, all := range values {
				mean, se := meanAndError(all)
				t.Logf("%s, load %v, %s: %.4g ± %.2g, exact %.4g", strategy, load, unit, mean, se,
					want[unit])
				if math.Abs(mean-want[unit]) > 4*se {
					t.Errorf("%s, load %v: %s is %v ± %v, exact %v", strategy, load, unit, mean, se,
						want[unit])
				}
			}
		}
	}
}

func meanAndError(x []float64) (mean, se float64) {
	n := float64(len(x))
	for _, v := range x {
		mean += v / n
	}
	for _, v := range x {
		se += (v - mean) * (v - mean)
	}
	return mean, math.Sqrt(se/(n-1)) / math.Sqrt(n)
}
