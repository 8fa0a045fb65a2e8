package bench_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/poolbench/poolbench/bench"
)

// Weights w below a limit c must give the run of ⌊c/w⌋ slots, to the nanosecond.
func TestEqualWeights(t *testing.T) {
	for _, of := range []struct {
		weight       string
		limit, slots int
	}{{"2", 8, 4}, {"3", 8, 2}, {"uniform(5,5)", 8, 1}, {"mixture(1,4)", 16, 4}} {
		w := bench.Encoded{Strategy: "weighted_semaphore", Limit: of.limit, Rate: 80,
			Workload: "exponential:weights=" + of.weight, Tasks: 2000}
		weighted := run(t, scenario(t, w))
		w.Strategy, w.Workload, w.Limit = "semaphore", "exponential", of.slots
		counted := run(t, scenario(t, w))
		for _, unit := range []string{"mean-response-sec", "p99-response-sec", "max-wait-sec",
			"waited/op", "makespan-sec"} {
			if got, want := metric(t, weighted, unit), metric(t, counted, unit); got != want {
				t.Errorf("weights %s, limit %d: %s %v, and %v with %d slots", of.weight, of.limit,
					unit, got, want, of.slots)
			}
		}
		peak := int64(metric(t, weighted, "peak-weight"))
		each := int64(of.limit / of.slots)
		if of.weight == "3" {
			each = 3
		}
		if strings.HasPrefix(of.weight, "uniform") {
			each = 5
		}
		if peak != each*int64(of.slots) {
			t.Errorf("weights %s, limit %d: peak weight %d", of.weight, of.limit, peak)
		}
	}
}

// Waits must equal those of a simulated FIFO queue, to the nanosecond.
func TestWeightsByRecursion(t *testing.T) {
	w := bench.Encoded{Strategy: "weighted_semaphore", Limit: 8, Rate: 250, Tasks: 5000,
		Workload: "exponential:weights=mixture(0.9,1,0.1,8)"}
	s := scenario(t, w, func(s *bench.Scenario) { s.Stop.Warmup = 0 })
	r := run(t, s)
	w.Strategy = "semaphore"
	plan, err := s.Plan()
	if err != nil {
		t.Fatal(err)
	}
	law, err := s.Workload.Spec.Weights(s.Seed, s.Workload.Values)
	if err != nil {
		t.Fatal(err)
	}
	type use struct{ end, weight int64 }
	var running []use
	var light, heavy []float64
	free, previous := int64(8), int64(0)
	for i, due := range plan.Due {
		weight, start := law.Weight(uint64(i)), max(due, previous)
		slices.SortFunc(running, func(a, b use) int { return int(a.end - b.end) })
		for len(running) > 0 && (running[0].end <= start || free < weight) {
			start = max(start, running[0].end)
			free += running[0].weight
			running = running[1:]
		}
		free -= weight
		running = append(running, use{start + plan.Service[i], weight})
		previous = start
		if wait := float64(start-due) / 1e9; weight == 1 {
			light = append(light, wait)
		} else {
			heavy = append(heavy, wait)
		}
	}
	for _, of := range []struct {
		waits     []float64
		mean, p99 string
	}{{light, "light-mean-wait-sec", "light-p99-wait-sec"},
		{heavy, "heavy-mean-wait-sec", "heavy-p99-wait-sec"}} {
		sum := 0.0
		for _, wait := range of.waits {
			sum += wait
		}
		slices.Sort(of.waits)
		p99 := of.waits[(len(of.waits)*99+99)/100-1]
		if got := metric(t, r, of.p99); got != p99 {
			t.Errorf("%s is %v, want %v", of.p99, got, p99)
		}
		mean := sum / float64(len(of.waits))
		if got := metric(t, r, of.mean); got < mean*(1-1e-9) || got > mean*(1+1e-9) || mean == 0 {
			t.Errorf("%s is %v, want %v", of.mean, got, mean)
		}
	}
	if peak := metric(t, r, "peak-weight"); peak != 8 {
		t.Errorf("the peak weight is %v under a limit of 8", peak)
	}
}

func TestWeightsLeaveOthersAlone(t *testing.T) {
	for _, strategy := range []string{"semaphore", "worker_pool", "retry_queue",
		"partitioned", "partitioned_all_at_once"} {
		w := bench.Encoded{Strategy: strategy, Limit: 4, Load: 0.9}
		plain := run(t, scenario(t, w))
		w.Workload = "exponential:weights=mixture(0.5,1,0.5,100)"
		weighted := run(t, scenario(t, w))
		if a, b := metric(t, plain, "p99-response-sec"), metric(t, weighted,
			"p99-response-sec"); a != b {
			t.Errorf("%s: p99 %v without weights and %v with them", strategy, a, b)
		}
		if peak := metric(t, weighted, "peak-weight"); peak != 400 {
			t.Errorf("%s: peak weight %v of 4 tasks of up to 100", strategy, peak)
		}
		if _, ok := plain.Metric("peak-weight"); ok {
			t.Errorf("%s: a peak weight without weights", strategy)
		}
	}
}

func TestWeightedParts(t *testing.T) {
	w := bench.Encoded{Limit: 8, Rate: 150, Workload: "exponential:weights=mixture(0.9,1,0.1,8)"}
	for _, strategy := range []string{"weighted_semaphore", "retry+weighted_semaphore",
		"circuit_breaker+weighted_semaphore"} {
		w.Strategy = strategy
		if peak := metric(t, run(t, scenario(t, w)), "peak-weight"); peak != 8 {
			t.Errorf("%s: peak weight %v under a limit of 8", strategy, peak)
		}
	}
}

func TestWeightAboveTheLimitIsRefused(t *testing.T) {
	for strategy, want := range map[string]string{"weighted_semaphore": "a weight of 9 is above " +
		"the limit of 8", "retry+weighted_semaphore": "a weight of 9 is above the limit of 8",
		"semaphore": ""} {
		w := withDefaults(bench.Encoded{Strategy: strategy, Limit: 8, Load: 0.1,
			Workload: "exponential:weights=uniform(1,9)"})
		s, err := w.Scenario()
		if err == nil {
			err = s.Validate()
		}
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", strategy, err, want)
		}
	}
}

func TestWeightsOfASoak(t *testing.T) {
	w := bench.Encoded{Strategy: "weighted_semaphore", Limit: 8, Rate: 150,
		Workload: "exponential:weights=mixture(0.9,1,0.1,8)", Duration: time.Minute}
	r := run(t, scenario(t, w, func(s *bench.Scenario) { s.Soak = true }))
	if peak := metric(t, r, "peak-weight"); peak != 8 {
		t.Errorf("peak weight %v under a limit of 8", peak)
	}
}
