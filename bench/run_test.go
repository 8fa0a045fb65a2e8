package bench_test

import (
	"context"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/internal/machine/race"
	"github.com/poolbench/poolbench/internal/observe"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/targets"
)

// The goroutines of deliberate deadlocks cannot be ended.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("testing/synctest.testingSynctestTest"),
		goleak.IgnoreAnyFunction("github.com/poolbench/poolbench/bench.hang"),
		goleak.IgnoreAnyFunction("github.com/poolbench/poolbench/bench.(*guard).contain"),
		goleak.IgnoreAnyFunction("github.com/poolbench/poolbench/bench_test.stuck.Submit"))
}

// scenario parses w. edit sets fields without a text form.
func scenario(t testing.TB, w bench.Encoded, edit ...func(*bench.Scenario)) bench.Scenario {
	t.Helper()
	w = withDefaults(w)
	s, err := w.Scenario()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range edit {
		e(&s)
	}
	return s
}

func withDefaults(w bench.Encoded) bench.Encoded {
	for field, value := range map[*string]string{&w.Strategy: "worker_pool",
		&w.Workload: "exponential:mean=10ms",
		&w.Target:   "none", &w.Arrival: "poisson", &w.Clock: "virtual"} {
		if *field == "" {
			*field = value
		}
	}
	if w.Tasks == 0 && w.Duration == 0 {
		w.Tasks = 1000
	}
	return w
}

func run(t testing.TB, s bench.Scenario) *bench.Result {
	t.Helper()
	r, err := bench.Run(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	if r.Broken != nil {
		t.Fatalf("%s (seed %d) breaks %q", r.Name, r.Seed, r.Broken)
	}
	return r
}

// runOrCalculate prefers Calculate. Use it to test results, not strategies.
func runOrCalculate(t testing.TB, s bench.Scenario) *bench.Result {
	t.Helper()
	r, known, err := s.Calculate()
	if err != nil {
		t.Fatal(err)
	}
	if !known {
		return run(t, s)
	}
	return r
}

func metric(t testing.TB, r *bench.Result, unit string) float64 {
	t.Helper()
	v, ok := r.Metric(unit)
	if !ok {
		t.Fatalf("%s has no %s", r.Name, unit)
	}
	return v
}

// Tolerances of checkNear are 4 standard deviations over seeds (6 false alarms in 100,000).
func checkNear(t testing.TB, r *bench.Result, unit string, exact, tolerance float64) {
	t.Helper()
	got := metric(t, r, unit)
	if off := got/exact - 1; math.Abs(off) > tolerance {
		t.Errorf("%s: %s = %.6g, exact %.6g: off by %+.2f %%, tolerance %.2f %%", r.Name, unit, got,
			exact, 100*off, 100*tolerance)
	}
}

// With -short, results that follow from the plan are calculated (see TestCalculate). The race
// detector permits a tenth of the tasks, so errors are √10 times as large.
func TestKnownAnswers(t *testing.T) {
	t.Parallel()
	tasks, errors := 220_000, 1.0
	if race.Enabled {
		tasks, errors = tasks/10, math.Sqrt(10)
	}
	answer := runOrCalculate
	if !testing.Short() || race.Enabled {
		answer = run
	}
	checkNear := func(t testing.TB, r *bench.Result, unit string, exact, tolerance float64) {
		t.Helper()
		checkNear(t, r, unit, exact, tolerance*errors)
	}
	// TestAgreement covers other strategies.
	pools := []string{"worker_pool", "semaphore", "errgroup_limit"}
	if testing.Short() {
		pools = pools[:1]
	}
	for _, strategy := range pools {
		t.Run("M_M_4/"+strategy, func(t *testing.T) {
			r := answer(t, scenario(t, bench.Encoded{Strategy: strategy, Limit: 4, Load: 0.8,
				Tasks: tasks, Warmup: 1.0 / 11, Seed: 1}))
			checkNear(t, r, "mean-wait-sec", 7.45541e-3, 0.123)
			checkNear(t, r, "waited/op", 0.596432, 0.032)
			checkNear(t, r, "p50-response-sec", 13.4620e-3, 0.048)
			checkNear(t, r, "p99-response-sec", 68.9320e-3, 0.115)
		})
	}
	t.Run("M_D_4", func(t *testing.T) {
		r := answer(t, scenario(t, bench.Encoded{Workload: "constant:mean=10ms", Limit: 4,
			Load: 0.8, Tasks: tasks, Warmup: 1.0 / 11, Seed: 1}))
		checkNear(t, r, "mean-wait-sec", 3.86095e-3, 0.086)
		checkNear(t, r, "waited/op", 0.578282, 0.029)
		checkNear(t, r, "p99-response-sec", 34.5458e-3, 0.092)
	})
	t.Run("M_H2_4", func(t *testing.T) {
		if testing.Short() {
			t.Skip("long: skipped with -short")
		}
		r := answer(t, scenario(t, bench.Encoded{Workload: "hyperexp:mean=10ms,c2=16", Limit: 4,
			Load: 0.7, Tasks: tasks * 5 / 2, Warmup: 1.0 / 11, Seed: 1}))
		checkNear(t, r, "mean-wait-sec", 23.5524e-3, 0.246)
		checkNear(t, r, "waited/op", 0.454069, 0.054)
		checkNear(t, r, "p99-response-sec", 345.152e-3, 0.233)
	})
	works := []string{"hyperexp:mean=10ms,c2=16", "constant:mean=10ms", "exponential:mean=10ms"}
	if testing.Short() {
		works = works[:1]
	}
	for _, workload := range works {
		t.Run("shed/"+workload, func(t *testing.T) {
			// Erlang B holds for any service time distribution. Refusals with p = 0.310680 are
			// almost independent. Tolerances are √5 times those of 10⁶ tasks.
			r := answer(t, scenario(t,
				bench.Encoded{Strategy: "bounded_queue_shed", Queue: bench.NoQueue,
					Workload: workload, Limit: 4, Load: 1, Tasks: tasks,
					Warmup: 1.0 / 11, Seed: 1}))
			checkNear(t, r, "shed/op", 0.310680,
				map[string]float64{"constant:mean=10ms": 0.016, "exponential:mean=10ms": 0.018,
					"hyperexp:mean=10ms,c2=16": 0.050}[workload])
		})
	}
	t.Run("closed", func(t *testing.T) {
		if testing.Short() {
			t.Skip("long: skipped with -short")
		}
		// M/M/k//N with N = 12, Z = 2, k = 4 in units of the mean service time
		r := run(t, scenario(t, bench.Encoded{Arrival: "closed:clients=12,think=20ms", Limit: 4,
			Tasks: tasks, Warmup: 1.0 / 11, Seed: 1}))
		checkNear(t, r, "ops/s", 354.752, 0.007)
		checkNear(t, r, "mean-response-sec", 13.8264e-3, 0.015)
	})
	t.Run("closed and short", func(t *testing.T) {
		// No client may finish long before the others. Clients that get their tasks in advance
		// would lose 4 % of throughput. The mean of 20 runs of 5000 tasks has a standard deviation
		// of 0.25 %.
		if testing.Short() {
			t.Skip("long: skipped with -short")
		}
		sum, seeds := 0.0, 20
		for seed := range uint64(seeds) {
			sum += metric(t, run(t,
				scenario(t, bench.Encoded{Arrival: "closed:clients=12,think=20ms", Limit: 4,
					Tasks: 5000, Warmup: 0.1, Seed: seed})), "ops/s")
		}
		if mean := sum /
			float64(seeds); math.Abs(mean/354.752-1) > 0.01*math.Sqrt(20/float64(seeds)) {
			t.Errorf("mean throughput of short closed runs: %.5g /s, exact 354.752 /s", mean)
		}
	})
	t.Run("batch", func(t *testing.T) {
		// The mean makespan of N exponential tasks on k workers is (N−k)/k + H_k = 251.083 mean
		// service times. The mean of 40 seeds has a standard deviation of 1.25, so 2 % are 4
		// standard deviations.
		sum, seeds := 0.0, 40
		for seed := range uint64(seeds) {
			r := answer(t, scenario(t,
				bench.Encoded{Arrival: "batch", Limit: 4, Tasks: 1000, Seed: seed}))
			sum += metric(t, r, "makespan-sec")
		}
		if mean := sum /
			float64(seeds); math.Abs(mean/2.510833-1) > 0.02*math.Sqrt(40/float64(seeds)) {
			t.Errorf("mean makespan of 1000 exponential tasks of 10 ms on 4 workers: %.5g s, "+
				"exact 2.510833 s", mean)
		}
	})
}

// All work-conserving FIFO strategies must give the same times to the nanosecond.
func TestAgreement(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	var first *bench.Result
	tasks := 20_000
	for _, strategy := range []string{"worker_pool", "semaphore", "errgroup_limit", "worker_pool"} {
		r := run(t, scenario(t, bench.Encoded{Strategy: strategy, Workload: "lognormal:mean=10ms",
			Limit: 4, Load: 0.9, Tasks: tasks, Warmup: 0.1, Seed: 7}))
		if d := metric(t, r, "oracle-max-diff-sec"); d != 0 {
			t.Errorf("%s is %v s off the oracle", strategy, d)
		}
		r.Name = "" // strategies without a queue make tasks wait in Submit
		r.Metrics = slices.DeleteFunc(r.Metrics, func(m result.Metric) bool {
			return strings.Contains(m.Unit, "blocked") || strings.Contains(m.Unit, "queued")
		})
		r.Responses, _, _ = strings.Cut(r.Responses, ",") // without the parts of the response
		for i := range r.Slowest {
			slow := &r.Slowest[i]
			slow.Issue, slow.Accepted = 0, 0
			slow.Blocked, slow.Queued = 0, slow.Blocked+slow.Queued
		}
		if first == nil {
			first = r
		} else if !reflect.DeepEqual(first, r) {
			t.Errorf("%s differs from worker_pool:\n%+v\n%+v", strategy, r.Metrics, first.Metrics)
		}
	}
	other := run(t, scenario(t, bench.Encoded{Workload: "lognormal:mean=10ms", Limit: 4, Load: 0.9,
		Tasks: tasks, Warmup: 0.1, Seed: 8}))
	if metric(t, other, "mean-wait-sec") == metric(t, first, "mean-wait-sec") {
		t.Error("another seed is the same run")
	}
}

func TestOfferedWork(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	var offered []float64
	for _, spec := range strategies.All() {
		s := scenario(t, bench.Encoded{Limit: 4, Load: 0.5, Tasks: 2000, Seed: 3})
		var err error
		if s.Strategy, err = strategies.Resolve(param.Call{Name: spec.Name}); err != nil {
			t.Fatal(err)
		}
		offered = append(offered, metric(t, run(t, s), "offered-ops/s"))
	}
	for _, o := range offered {
		if o != offered[0] {
			t.Fatalf("offered loads differ: %v", offered)
		}
	}
}

// One slot gets a task of 10 ms every 5 ms. Task i is due at 5(i+1) ms and ends at 5+10(i+1) ms, so
// its response is 5(i+1)+5 ms, although the strategy blocks the generator.
func TestNoCoordinatedOmission(t *testing.T) {
	r := run(t, scenario(t, bench.Encoded{Strategy: "serial", Workload: "constant:mean=10ms",
		Arrival: "constant", Limit: 1, Rate: 200, Tasks: 1000}))
	for unit, want := range map[string]float64{
		"max-response-sec": 5.005, "p50-response-sec": 2.505, "p99-response-sec": 4.955,
		"max-service-sec": 0.010, "p99-lag-sec": 0, "waited/op": 0.999,
		"makespan-sec": 10, "ops/s": 99.95002498750624, "peak-inflight": 1, "attempts/op": 1,
		"utilisation": 1,
	} {
		if got := metric(t, r, unit); got != want {
			t.Errorf("%s = %v, want %v", unit, got, want)
		}
	}
}

type frozen struct {
	start        time.Time
	period, stop time.Duration
}

func (f *frozen) Call(
	ctx context.Context, seq uint64, work func(context.Context, uint64) error,
) error {
	if in := time.Since(f.start) % f.period; in < f.stop {
		time.Sleep(f.stop - in)
	}
	return work(ctx, seq)
}

func withFreezes(s *bench.Scenario) {
	s.Target = targets.Variant{Spec: targets.Spec{Name: "frozen",
		New: func(uint64, param.Values) (targets.Target, error) {
			return &frozen{time.Now(), 2 * time.Second, 500 * time.Millisecond}, nil
		}}}
}

// 200 tasks/s of 1 ms for 6 s. With unlimited slots a fraction f = 0.25 of the tasks waits U(0, 500
// ms), so the response has the quantiles q(p) = 1 ms + max(0, (f−(1−p))/f · 500 ms), within the 5
// ms between arrivals. With 4 slots the p95 response is the same, but the p95 service is 1 ms,
// because only 4 tasks are in service during a freeze.
func TestFrozenTarget(t *testing.T) {
	for _, limit := range []int{1000, 4} {
		r := run(t, scenario(t, bench.Encoded{Strategy: "semaphore", Workload: "constant:mean=1ms",
			Arrival: "constant", Limit: limit, Rate: 200, Tasks: 1200}, withFreezes))
		if limit == 1000 {
			for unit, p := range map[string]float64{"p90-response-sec": 0.9,
				"p99-response-sec": 0.99} {
				want := 1e-3 + (0.25-(1-p))/0.25*0.5
				if got := metric(t, r, unit); math.Abs(got-want) > 5e-3 {
					t.Errorf("limit %d: %s = %v, want %v", limit, unit, got, want)
				}
			}
			continue
		}
		if p90 := metric(t, r, "p90-response-sec"); p90 < 0.28 {
			t.Errorf("limit %d: p90 response %v s: the freeze is hidden", limit, p90)
		}
		if p90 := metric(t, r, "p90-service-sec"); p90 != 1e-3 {
			t.Errorf("limit %d: p90 service %v s, want the work's 1 ms", limit, p90)
		}
	}
}

func TestThrottled(t *testing.T) {
	for _, strategy := range []string{"worker_pool", "partitioned", "partitioned_all_at_once"} {
		testThrottled(t, strategy)
	}
}

func testThrottled(t *testing.T, strategy string) {
	t.Helper()
	r := run(t, scenario(t,
		bench.Encoded{Strategy: strategy, Target: "token_bucket:rate=100,burst=10",
			Arrival: "constant", Workload: "constant:mean=1ms", Limit: 4, Rate: 200, Tasks: 1990}))
	// The last task is due at 9.95 s. Until then there are 10 + 995 tokens, minus a rounding error.
	if got := math.Round(1990 * metric(t, r, "throttled/op")); math.Abs(got-(1990-1005)) > 1 {
		t.Errorf("%s: %v of 1990 tasks are throttled, want 985", strategy, got)
	}
	if got := metric(t, r, "refused-calls"); got != math.Round(1990*metric(t, r, "throttled/op")) {
		t.Errorf("%s: the target has refused %v calls", strategy, got)
	}
	if metric(t, r, "failed/op") != 0 {
		t.Error("a throttled task counts as failed")
	}
}

// With the median response as deadline, goodput is half of the throughput.
func TestGoodput(t *testing.T) {
	w := bench.Encoded{Limit: 4, Load: 0.8, Tasks: 20_000, Seed: 1}
	median := metric(t, runOrCalculate(t, scenario(t, w)), "p50-response-sec")
	w.Deadline = time.Duration(math.Round(median * 1e9))
	r := run(t, scenario(t, w))
	if ratio := metric(t, r, "goodput-ops/s") / metric(t, r, "ops/s"); ratio != 0.5 {
		t.Errorf("goodput over throughput is %v, want 0.5", ratio)
	}
}

func TestDuration(t *testing.T) {
	r := run(t, scenario(t, bench.Encoded{Arrival: "constant", Limit: 4, Rate: 100,
		Duration: 10 * time.Second, Warmup: 0.1}))
	if r.Tasks != 900-1 && r.Tasks != 900 {
		t.Errorf("%d measured tasks in 10 s of 100 a second, the first tenth warm-up", r.Tasks)
	}
	closed := run(t, scenario(t, bench.Encoded{Arrival: "closed:clients=3,think=exp(10ms)",
		Limit: 4, Duration: 10 * time.Second}))
	if end := metric(t, closed, "makespan-sec"); end < 9 || end > 11 {
		t.Errorf("a closed run of 10 s took %v s", end)
	}
}

func TestQuantilesLeftOut(t *testing.T) {
	r := run(t, scenario(t, bench.Encoded{Limit: 4, Load: 0.5, Tasks: 400}))
	metric(t, r, "p99-response-sec")
	if v, ok := r.Metric("p99.9-response-sec"); ok {
		t.Errorf("400 tasks tell a p99.9 of %v", v)
	}
	for _, m := range r.Metrics {
		if strings.HasPrefix(m.Unit, "cpu-") || m.Unit == "B/op" || m.Unit == "allocs/op" {
			t.Errorf("%s under the virtual clock, which has no real costs", m.Unit)
		}
	}
}

func TestMetricsAreListed(t *testing.T) {
	var order []string
	for _, m := range observe.Metrics() {
		if slices.Contains(order, m.Unit) || m.Doc == "" {
			t.Errorf("metric %q is listed twice or not explained", m.Unit)
		}
		order = append(order, m.Unit)
	}
	check := func(w bench.Encoded) {
		t.Helper()
		r := run(t, scenario(t, w))
		at := -1
		for _, m := range r.Metrics {
			i := slices.Index(order, m.Unit)
			if i <= at {
				t.Errorf("%s: %s is not listed, or out of order", r.Name, m.Unit)
			}
			at = max(at, i)
		}
	}
	check(bench.Encoded{Workload: "exponential:mean=1ms", Clock: "real", Limit: 4,
		Load: 0.2, Tasks: 100})
	for _, target := range targets.All() {
		check(bench.Encoded{Target: target.Name, Workload: "exponential:mean=1ms", Limit: 4,
			Rate: 400, Tasks: 100})
	}
}

func TestInterrupted(t *testing.T) {
	for _, arrival := range []string{"constant", "closed:clients=3,think=exp(10ms)"} {
		s := scenario(t, bench.Encoded{Arrival: arrival, Clock: "real", Limit: 4,
			Duration: time.Hour})
		if !s.Load.Arrival.IsClosed() {
			s.Load.PerSecond = 100
		}
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		if r, err := bench.Run(ctx, s); r != nil || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: result %v, error %v", arrival, r, err)
		}
	}
}

func TestBrokenStrategies(t *testing.T) {
	good, err := strategies.Lookup("semaphore")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		new  func(context.Context, strategies.Params, strategies.Sink) strategies.Strategy
		want string
	}{
		{"one more than the limit",
			func(ctx context.Context, p strategies.Params,
				sink strategies.Sink) strategies.Strategy {
				p.Limit++
				return good.New(ctx, p, sink)
			}, "bound:"},
		{"settles twice", func(ctx context.Context, p strategies.Params,
			sink strategies.Sink) strategies.Strategy {
			return good.New(ctx, p,
				strategies.SinkFunc(func(t *strategies.Task, r strategies.Result) {
					sink.Done(t, r)
					sink.Done(t, r)
				}))
		}, "conservation:"},
		{"loses a task", func(ctx context.Context, p strategies.Params,
			sink strategies.Sink) strategies.Strategy {
			var n atomic.Int64
			return good.New(ctx, strategies.Params{Limit: 1},
				strategies.SinkFunc(func(t *strategies.Task, r strategies.Result) {
					if n.Add(1) != 50 {
						sink.Done(t, r)
					}
				}))
		}, "conservation:"},
		{"deadlocks", func(context.Context, strategies.Params,
			strategies.Sink) strategies.Strategy {
			return stuck{}
		},
			"Submit does not return: every goroutine waits for another; unfinished tasks: 1, " +
				"running: 0"},
	} {
		spec := good
		spec.New = c.new
		r, err := bench.Run(context.Background(),
			scenario(t, bench.Encoded{Limit: 4, Load: 0.9, Tasks: 500},
				func(s *bench.Scenario) { s.Strategy.Spec = spec }))
		said := ""
		if err != nil {
			said = err.Error()
		} else {
			said = strings.Join(r.Broken, "\n")
		}
		if !strings.Contains(said, c.want) {
			t.Errorf("%s: %q, want %q in it", c.name, said, c.want)
		}
	}
}

type stuck struct{}

func (stuck) Submit(context.Context, *strategies.Task) error { select {} }
func (stuck) Drain(context.Context) error                    { return nil }
