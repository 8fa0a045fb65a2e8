package bench_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/poolbench/poolbench/bench"
)

func TestName(t *testing.T) {
	for want, w := range map[string]bench.Encoded{
		"Run/strategy=worker_pool/workload=exponential/target=none/arrival=poisson/limit=4/load=0.8/clock=virtual": {
			Limit: 4, Load: 0.80, Tasks: 20_000, Warmup: 0.1},
		"Run/strategy=semaphore/workload=hyperexp:mean=20ms/target=token_bucket/arrival=bulk:n=50/limit=8/rate=200/deadline=50ms/n=500/warmup=0/clock=real": {
			Strategy: "semaphore", Workload: "hyperexp:mean=0.02s,c2=16.0", Target: "token_bucket",
			Arrival: "bulk:n=50", Limit: 8, Rate: 200, Deadline: 50 * time.Millisecond,
			Tasks: 500, Clock: "real"},
		"Run/strategy=worker_pool/workload=exponential/target=none/arrival=closed/limit=2/queue=3/duration=1.5s/warmup=0/clock=virtual": {
			Arrival: "closed:clients=16", Limit: 2, Queue: 3, Duration: 1500 * time.Millisecond},
		"Run/strategy=worker_pool/workload=exponential/target=none/arrival=poisson/limit=2/load=0.5/queue=0/n=500/warmup=0/clock=virtual": {
			Limit: 2, Load: 0.5, Queue: bench.NoQueue, Tasks: 500},
		"Run/strategy=semaphore/workload=exponential/target=none/arrival=poisson/limit=2/load=0.5/n=500/warmup=0/clock=virtual": {
			Strategy: "semaphore", Limit: 2, Load: 0.5, Queue: bench.NoQueue, Tasks: 500},
		"Run/strategy=worker_pool/workload=exponential/target=none/arrival=batch/limit=2/queue=3/drain=50ms/n=500/warmup=0/clock=virtual": {
			Arrival: "batch", Limit: 2, Queue: 3, Drain: 50 * time.Millisecond, Tasks: 500},
		"Run/strategy=worker_pool/workload=exponential/target=none/arrival=poisson/limit=2/load=0.5/n=500/warmup=0/profile=cpu+mutex/clock=real": {
			Limit: 2, Load: 0.5, Tasks: 500, Profile: "cpu+mutex", Clock: "real"},
		"Run/strategy=worker_pool/workload=trace:file=..%2Fworkloads%2Ftestdata%2Ftrace.csv/target=none/arrival=poisson/limit=1/load=0.5/timeout=1s/n=1000/warmup=0/clock=virtual": {
			Workload: "trace:file=../workloads/testdata/trace.csv", Limit: 1, Load: 0.5,
			Timeout: time.Second},
	} {
		s := scenario(t, w)
		if got := s.Name(); got != want {
			t.Errorf("name\n %s, want\n %s", got, want)
		}
		back, err := s.Encode().Scenario()
		if err != nil || back.Name() != want {
			t.Errorf("%s comes back as %s (error %v)", want, back.Name(), err)
		}
	}
}

func TestZeroScenario(t *testing.T) {
	s := bench.Scenario{Strategy: scenario(t, bench.Encoded{Limit: 1, Load: 0.5}).Strategy,
		Clock: bench.Virtual}
	if want := "Run/strategy=worker_pool/workload=exponential/target=none/arrival=poisson/limit=4/load=0.7/clock=virtual"; s.Name() != want {
		t.Errorf("the zero scenario is %s", s.Name())
	}
	run(t, s)
}

func TestImpossibleScenarios(t *testing.T) {
	for _, c := range []struct {
		want string
		w    bench.Encoded
	}{
		{"load and rate exclude each other", bench.Encoded{Load: 0.5, Rate: 5}},
		{"accepts neither load nor rate", bench.Encoded{Arrival: "closed", Load: 0.5}},
		{"accepts neither load nor rate", bench.Encoded{Arrival: "batch", Rate: 5}},
		{"accepts neither load nor rate", bench.Encoded{Arrival: "bulk:period=1s", Rate: 5}},
		{"limits a rate", bench.Encoded{Target: "token_bucket", Load: 0.5}},
		{"give a rate", bench.Encoded{Target: "token_bucket"}},
		{"computing takes no virtual time", bench.Encoded{Workload: "cpu_sha256", Load: 0.5}},
		{"n and duration exclude each other", bench.Encoded{Tasks: 5, Duration: time.Second}},
		{"give the number of tasks", bench.Encoded{Arrival: "batch", Duration: time.Second}},
		{"warmup 1", bench.Encoded{Warmup: 1}},
		{"give a timeout", bench.Encoded{Workload: "evil", Load: 0.5}},
		{"n 5: the last stage ends at 0", bench.Encoded{
			Arrival: "stages:at=1x1s_1..0x1s", Load: 1, Tasks: 5}},
		{"timeout -1s", bench.Encoded{Timeout: -time.Second}},
		{"drain -1s", bench.Encoded{Drain: -time.Second}},
		{"nothing is left to drain", bench.Encoded{Arrival: "closed", Drain: time.Second}},
		{"have no virtual time", bench.Encoded{Workload: "pipe", Load: 0.5}},
		{"deadline -1s", bench.Encoded{Deadline: -time.Second}},
		{"n -1", bench.Encoded{Tasks: -1}},
		{"load -1", bench.Encoded{Load: -1}},
		{"limit", bench.Encoded{Limit: -1}},
		{"queue 5 given, but it has no queue", bench.Encoded{Strategy: "semaphore", Queue: 5}},
		{"queue -2 is below 0", bench.Encoded{Queue: -2}},
		{"unknown strategy \"workerpool\" (did you mean worker_pool?)", bench.Encoded{Strategy: "workerpool"}},
		{"unknown clock \"wall\" (known: real, virtual)", bench.Encoded{Clock: "wall"}},
		{"unknown arrival", bench.Encoded{Arrival: "poison"}},
		{"clients: want", bench.Encoded{Arrival: "closed:clients=0"}},
		{"n: want", bench.Encoded{Arrival: "bulk:n=0"}},
		{"rate 1e-09: want 1e-06 to 1e+09", bench.Encoded{Rate: 1e-9}},
		{"rate 5e-324: want", bench.Encoded{Rate: 5e-324}},
		{"load 0.7: at limit 4 and 2500000h0m0s a task",
			bench.Encoded{Load: 0.7, Limit: 4, Workload: "constant:mean=2500000h"}},
		{"rate NaN: want", bench.Encoded{Rate: math.NaN()}},
		{"rate +Inf: want", bench.Encoded{Rate: math.Inf(1)}},
		{"load 1e-320: want 1e-06 to 1000", bench.Encoded{Load: 1e-320}},
		{"load NaN: want", bench.Encoded{Load: math.NaN()}},
		{"n 20000: at 1e-05 tasks per second these tasks last longer than",
			bench.Encoded{Rate: 1e-5, Tasks: 20_000}},
		{"n 100000000: at 7e-05 tasks per second",
			bench.Encoded{Load: 0.7, Tasks: 100_000_000, Workload: "constant:mean=10000s",
				Limit: 1}},
		{"duration 2562047h47m16.854775807s: want at most 87600h",
			bench.Encoded{Duration: math.MaxInt64}},
		{"that makes 3.6e+12 tasks, but a run has at most 100000000",
			bench.Encoded{Rate: 1e9, Duration: time.Hour}},
		{"n 100000001: want 1 to 100000000 tasks",
			bench.Encoded{Tasks: 100_000_001, Arrival: "batch"}},
		{"n 100000001: want 1 to 100000000 tasks",
			bench.Encoded{Tasks: 100_000_001, Arrival: "closed:clients=2"}},
		{fmt.Sprintf("n %d: want", math.MaxInt), bench.Encoded{Tasks: math.MaxInt}},
		{"arrival bulk:n=1,period=1000h: 20000 tasks last longer than",
			bench.Encoded{Arrival: "bulk:n=1,period=1000h", Tasks: 20_000}},
		{"arrival closed:think=exp(1000h): 20000 tasks last longer than",
			bench.Encoded{Arrival: "closed:think=1000h", Tasks: 20_000}},
		{"at 1e-06 starts per second",
			bench.Encoded{Strategy: "token_bucket:rate=0.000001", Load: 0.7}},
		{"timeout 1000h0m0s: 2e+04 tasks that end only by timeout",
			bench.Encoded{Workload: "evil", Timeout: 1000 * time.Hour, Tasks: 20_000}},
		{"timeout 100000h0m0s: want a positive duration, at most",
			bench.Encoded{Timeout: 100_000 * time.Hour}},
		{"together last longer than",
			bench.Encoded{Workload: "constant:mean=2562047h", Tasks: 20_000, Arrival: "batch"}},
		{"together last longer than", bench.Encoded{Workload: "hyperexp:mean=1h,c2=1000000000",
			Tasks: 20_000, Load: 0.7}},
		{"rate=target: there is no target with a known rate",
			bench.Encoded{Strategy: "token_bucket:rate=target", Load: 0.7}},
		{"rate=target: there is no target with a known rate",
			bench.Encoded{Strategy: "ticker_limited:rate=target", Target: "conn_pool"}},
		{"limit 1048577 is above 1048576", bench.Encoded{Limit: 1<<20 + 1}},
	} {
		_, err := withDefaults(c.w).Scenario()
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: error %v, want %q", c.w, err, c.want)
		}
	}
}

// A column of times must not be read as durations, although both traces default to the first
// column.
func TestSameColumn(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.csv")
	err := os.WriteFile(file, []byte("time,took\n1,0.01\n2,0.03\n3,0.02\n"), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	for column, wrong := range map[string]bool{"": true, ",column=2": false,
		",column=took": false} {
		_, err := withDefaults(bench.Encoded{Strategy: "worker_pool", Tasks: 3,
			Arrival: "trace:file=" + file, Workload: "trace:file=" + file + column}).Scenario()
		if wrong != (err != nil) ||
			wrong && !strings.Contains(err.Error(), "column 1 of "+file+" contains the times") {
			t.Errorf("column %q: %v", column, err)
		}
	}
}

func TestMatrix(t *testing.T) {
	a := scenario(t, bench.Encoded{Strategy: "worker_pool"})
	b := scenario(t, bench.Encoded{Strategy: "semaphore"})
	m := bench.Matrix{Limits: []int{2, 4}, Loads: []float64{0.5, 0.8}, Queue: 7}
	m.Strategies = append(m.Strategies, a.Strategy, b.Strategy)
	scenarios, err := m.Scenarios()
	if err != nil || len(scenarios) != 8 {
		t.Fatalf("%d scenarios, error %v", len(scenarios), err)
	}
	names := map[string]bool{}
	for i, s := range scenarios {
		names[s.Name()] = true
		if s.Strategy.Spec.Name != []string{"worker_pool", "semaphore"}[i%2] {
			t.Error("the strategies are not innermost")
		}
		if want := map[string]int{"worker_pool": 7,
			"semaphore": 0}[s.Strategy.Spec.Name]; s.Queue != want {
			t.Errorf("%s has a queue of %d, want %d", s.Strategy, s.Queue, want)
		}
	}
	if len(names) != 8 {
		t.Errorf("only %d names are distinct", len(names))
	}
	m.Loads, m.Limits = []float64{0.5, -1, -2}, []int{4, -3}
	_, err = m.Scenarios()
	for _, want := range []string{"load -1", "load -2", "limit"} {
		if err == nil || strings.Count(err.Error(), want) < 1 {
			t.Errorf("error %v does not complain of %q", err, want)
		}
	}
	m = bench.Matrix{Strategies: m.Strategies, Loads: []float64{0.5}, Rates: []float64{100}}
	if _, err = m.Scenarios(); err == nil || err.Error() != "load and rate exclude each other" {
		t.Errorf("loads and rates: error %v", err)
	}
	m = bench.Matrix{Strategies: m.Strategies, Loads: []float64{0.5, 0.50}}
	if _, err = m.Scenarios(); err == nil || !strings.Contains(err.Error(), "twice") {
		t.Errorf("a scenario given twice: error %v", err)
	}
}

// Repetitions must be interleaved, and real-clock runs must be alone.
func TestSuiteOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		real := scenario(t, bench.Encoded{Limit: 4, Load: 0.5, Clock: "real", Seed: 10})
		var scenarios []bench.Scenario
		for i := range 5 {
			scenarios = append(scenarios,
				scenario(t, bench.Encoded{Limit: i + 1, Load: 0.5, Seed: 10}))
		}
		scenarios = append(scenarios, real)
		suite := bench.Suite{Scenarios: scenarios, Count: 3, Parallel: 4}
		var running, most atomic.Int64
		fake := func(ctx context.Context, s bench.Scenario) (*bench.Result, error) {
			n := running.Add(1)
			defer running.Add(-1)
			most.Store(max(most.Load(), n))
			if s.Clock == bench.Real && n != 1 {
				t.Errorf("a real-clock run shares the machine with %d others", n-1)
			}
			time.Sleep(time.Duration(10-s.Limit) * time.Second) // later runs are faster
			return &bench.Result{Name: s.Name(), Seed: s.Seed}, nil
		}
		var got []string
		err := suite.Do(t.Context(), fake,
			func(s bench.Scenario, r *bench.Result, err error) error {
				if s.Clock == bench.Real && running.Load() != 1 {
					// The real-clock run keeps its slots until its result is handled, but does not
					// count as running.
					if running.Load() != 0 {
						t.Error("something runs while the result of a real-clock run is handled")
					}
				}
				got = append(got, fmt.Sprintf("%d/%v/%d", s.Limit, s.Clock, r.Seed))
				return err
			})
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		for repetition := range 3 {
			for _, s := range scenarios {
				want = append(want, fmt.Sprintf("%d/%v/%d", s.Limit, s.Clock, 10+repetition))
			}
		}
		if strings.Join(got, " ") != strings.Join(want, " ") {
			t.Errorf("order\n%v\nwant\n%v", got, want)
		}
		if most.Load() != 4 {
			t.Errorf("%d runs at once, want 4", most.Load())
		}
	})
}

func TestSuiteAhead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var scenarios []bench.Scenario
		for i := range 31 {
			scenarios = append(scenarios, scenario(t, bench.Encoded{Limit: i + 1, Load: 0.5}))
		}
		begun := time.Now()
		err := bench.Suite{Scenarios: scenarios, Parallel: 2}.Do(t.Context(),
			func(_ context.Context, s bench.Scenario) (*bench.Result, error) {
				if s.Limit == 1 {
					time.Sleep(29 * time.Second)
				}
				time.Sleep(time.Second)
				return &bench.Result{}, nil
			}, func(bench.Scenario, *bench.Result, error) error { return nil })
		if took := time.Since(begun); err != nil || took != 30*time.Second {
			t.Errorf("30 s of runs beside one of 30 s took %v, error %v", took, err)
		}
	})
}

func TestSuiteStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		suite := bench.Suite{
			Scenarios: []bench.Scenario{scenario(t, bench.Encoded{Limit: 4, Load: 0.5})},
			Count:     100, Parallel: 2}
		enough := errors.New("enough")
		runs := 0
		sleeper := func(ctx context.Context, s bench.Scenario) (*bench.Result, error) {
			select {
			case <-time.After(time.Second):
				return &bench.Result{}, nil
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
		err := suite.Do(t.Context(), sleeper, func(bench.Scenario, *bench.Result, error) error {
			if runs++; runs == 3 {
				return enough
			}
			return nil
		})
		if !errors.Is(err, enough) || runs != 3 {
			t.Errorf("after %d runs: error %v", runs, err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		start := time.Now()
		if err := suite.Do(ctx, sleeper,
			func(bench.Scenario, *bench.Result, error) error { return nil }); !errors.Is(err,
			context.DeadlineExceeded) {
			t.Errorf("error %v", err)
		}
		if took := time.Since(start); took != 10*time.Second {
			t.Errorf("stopped after %v", took)
		}
	})
}

func TestRateOfTarget(t *testing.T) {
	for target, rate := range map[string]string{
		"token_bucket:rate=37,burst=1": "37", "leaky_bucket:rate=37": "37",
		"fixed_window:limit=30,window=2s": "15", "sliding_window:limit=30,window=2s": "15",
		"sec_ban:limit=9,window=500ms": "18",
	} {
		measured := func(rate string) *bench.Result {
			return run(t, scenario(t, bench.Encoded{Target: target, Rate: 12, Tasks: 500,
				Strategy: "token_bucket:burst=1,rate=" + rate, Clock: "virtual"}))
		}
		follows, given := measured("target"), measured(rate)
		if diff := cmp.Diff(given.Metrics, follows.Metrics); diff != "" {
			t.Errorf("%s: not as at rate %s: %s", target, rate, diff)
		}
		if !strings.Contains(follows.Name, "/strategy=token_bucket:rate=target,burst=1/") {
			t.Errorf("the name %s does not say that the rate is the target's", follows.Name)
		}
	}
}
