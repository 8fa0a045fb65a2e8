package bench

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/poolbench/poolbench/internal/observe"
	"github.com/poolbench/poolbench/strategies"
)

// checkPartsSum requires that the parts of the mean response add up to it, and tail shares to 1.
func checkPartsSum(t *testing.T, r *Result, splits bool) (known bool) {
	t.Helper()
	if len(r.Broken) > 0 {
		t.Errorf("%s breaks %q", r.Name, r.Broken)
	}
	mean, known := r.Metric("mean-response-sec")
	sum, tail, p99 := 0.0, 0.0, false
	for _, p := range observe.ResponseParts {
		unit := "mean-" + string(p.Part) + "-sec"
		v, ok := r.Metric(unit)
		share, has := r.Metric("tail-" + string(p.Part) + "/op")
		if ok != known || v < 0 || share < 0 || share > 1 {
			t.Errorf("%s: %s is %v (%v), its share of the tail %v", r.Name, unit, v, ok, share)
		}
		if p.Part != "target" {
			sum, tail, p99 = sum+v, tail+share, p99 || has
		}
	}
	if known && math.Abs(sum-mean) > 1e-9*mean && !(splits && sum > mean) {
		t.Errorf("%s: the parts are %v together, the mean response is %v", r.Name, sum, mean)
	}
	if p99 && math.Abs(tail-1) > 1e-9 {
		t.Errorf("%s: the shares of the tail are %v together", r.Name, tail)
	}
	return known
}

func TestPartsAddUp(t *testing.T) {
	names := []string{"retry:attempts=3+token_bucket:rate=200+worker_pool",
		"segregated+retry:budget=0.2+semaphore", "codel_lifo:queue=30+semaphore"}
	for _, spec := range strategies.All() {
		names = append(names, spec.Name)
	}
	random, added := rand.New(rand.NewPCG(30, 1)), 0
	if testing.Short() {
		names = names[:len(names)/4]
	}
	for _, name := range names {
		for i, target := range []string{"none", "token_bucket:rate=150,burst=3",
			"conn_pool:conns=2", "flaky:errors=0.1,spikes=0.1"} {
			s, err := Encoded{Strategy: name, Workload: "two_class:mean=11ms,r=9", Target: target,
				Arrival: "poisson", Limit: 4, Rate: 200 + 200*random.Float64(), Tasks: 600,
				Timeout: 300 * time.Millisecond, Seed: random.Uint64N(1000), Clock: "virtual",
				Soak: i%2 == 1}.Scenario()
			if err != nil || s.Validate() != nil {
				continue // requires the real clock or a parameter
			}
			r, err := Run(t.Context(), s)
			if err != nil {
				t.Fatal(err)
			}
			if checkPartsSum(t, r, s.Strategy.Spec.Splits) {
				added++
			}
		}
	}
	if added < 2*len(names) {
		t.Errorf("%d runs of %d strategies add up", added, len(names))
	}
}

func TestPartsMerged(t *testing.T) {
	var results []*Result
	for seed := range uint64(2) {
		results = append(results, runWritten(t, Encoded{Strategy: "bounded_queue_shed",
			Workload: "exponential:mean=10ms", Target: "none", Arrival: "poisson", Limit: 4,
			Rate: 300, Queue: 3, Tasks: 2000, Seed: seed, Clock: "virtual"}))
	}
	merged, _, err := observe.MergeResults(results, false)
	if err != nil {
		t.Fatal(err)
	}
	checkPartsSum(t, merged, false)
}

func TestPartsUnderTheRealClock(t *testing.T) {
	t.Parallel()
	for _, strategy := range []string{"worker_pool", "unbounded", "serial",
		"retry+bounded_queue_shed:queue=2+worker_pool"} {
		r := runWritten(t, Encoded{Strategy: strategy, Workload: "exponential:mean=1ms",
			Target: "conn_pool:conns=2", Arrival: "poisson", Limit: 4, Rate: 2000, Tasks: 800,
			Seed: 3, Clock: "real"})
		if !checkPartsSum(t, r, false) {
			t.Errorf("%s: no task completed", strategy)
		}
	}
}

func TestPartsOfTheTail(t *testing.T) {
	share := func(target, part string) float64 {
		r := runWritten(t, Encoded{Strategy: "worker_pool", Workload: "constant:mean=10ms",
			Target: target, Arrival: "poisson", Limit: 64, Rate: 380, Tasks: 5000, Seed: 4,
			Clock: "virtual"})
		v, _ := r.Metric("tail-" + part + "/op")
		return v
	}
	if v := share("conn_pool:conns=4,timeout=10s", "target"); v < 0.5 {
		t.Errorf("the target has %v of the tail", v)
	}
	if v := share("none", "target"); v != 0 {
		t.Errorf("no target has %v of the tail", v)
	}
}

// The prediction must equal a run with one more slot, to the nanosecond.
func TestNextSlot(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	random, said, each := rand.New(rand.NewPCG(30, 3)), 0, 17
	for _, spec := range strategies.All() {
		for _, w := range plannedScenarios(spec)[:each] {
			s, err := w.Scenario()
			if err != nil || s.Validate() != nil {
				break
			}
			s.Load.PerSecond, s.Load.Relative = s.described().Rate(s.waits().Mean()), 0
			s.Seed = random.Uint64N(1000)
			now, err := Run(t.Context(), s)
			if err != nil {
				t.Fatal(err)
			}
			want, known := now.Metric("next-slot-mean-response-sec")
			if !known {
				continue
			}
			said++
			s.Limit++
			more, err := Run(t.Context(), s)
			if err != nil {
				t.Fatal(err)
			}
			if got, _ := more.Metric("mean-response-sec"); math.Abs(got-want) > 1e-9*want {
				t.Errorf("%s: the mean response is %v, foretold was %v", more.Name, got, want)
			}
			want, _ = now.Metric("next-slot-p99-response-sec")
			if got, _ := more.Metric("p99-response-sec"); got != want {
				t.Errorf("%s: the p99 response is %v, foretold was %v", more.Name, got, want)
			}
		}
	}
	if said < 10*each {
		t.Errorf("%d runs say what one slot more would do", said)
	}
	for _, w := range []Encoded{
		{Strategy: "bounded_queue_shed", Load: 1.2, Queue: 4, Arrival: "poisson", Target: "none"},
		{Strategy: "worker_pool", Arrival: "closed:clients=9", Target: "none"},
		{Strategy: "worker_pool", Load: 0.9, Arrival: "poisson", Target: "conn_pool:conns=2"},
		{Strategy: "segregated", Load: 0.9, Arrival: "poisson", Target: "none"},
	} {
		w.Workload, w.Limit, w.Tasks, w.Clock = "two_class:mean=10ms,r=9", 4, 1000, "virtual"
		r := runWritten(t, w)
		if v, known := r.Metric("next-slot-mean-response-sec"); known {
			t.Errorf("%s: one slot more is said to make the mean %v", r.Name, v)
		}
	}
}

// The prediction must equal a run without a target, to the nanosecond.
func TestNoTarget(t *testing.T) {
	for strategy, predicted := range map[string]bool{"worker_pool": true,
		"shortest_first": false} {
		for _, target := range []string{"freeze", "flaky:spikes=0.1,errors=0", "leaky_bucket",
			"conn_pool:conns=2,timeout=10s"} {
			w := Encoded{Strategy: strategy, Workload: "exponential:mean=10ms", Target: target,
				Arrival: "poisson", Limit: 4, Rate: 90, Tasks: 4000, Seed: 6, Clock: "virtual"}
			with := runWritten(t, w)
			w.Target = "none"
			without := runWritten(t, w)
			for _, unit := range []string{"mean-response-sec", "p99-response-sec"} {
				got, known := with.Metric("no-target-" + unit)
				want, _ := without.Metric(unit)
				if known != predicted || known && math.Abs(got-want) > 1e-9*want {
					t.Errorf("%s: %s without the target is %v, foretold was %v", with.Name, unit,
						want, got)
				}
			}
		}
	}
}

// Tasks of equal length must not cause waits by different lengths. With two lengths, most of the
// wait must have this cause. Under the virtual clock every wait is for a slot.
func TestWaitsForSlots(t *testing.T) {
	of := func(workload string) (queued, turn, even float64) {
		r := runWritten(t, Encoded{Strategy: "worker_pool", Workload: workload, Target: "none",
			Arrival: "poisson", Limit: 4, Load: 0.9, Tasks: 4000, Seed: 5, Clock: "virtual"})
		queued, _ = r.Metric("tail-queued/op")
		turn, _ = r.Metric("tail-turn/op")
		even, _ = r.Metric("tail-even-turn/op")
		return queued, turn, even
	}
	queued, turn, even := of("constant:mean=10ms")
	if queued == 0 || turn != queued || even != turn {
		t.Errorf("even tasks: queued %v, for their turn %v, %v", queued, turn, even)
	}
	if queued, turn, even = of("two_class:mean=10ms,r=40"); turn != queued || even > turn/2 {
		t.Errorf("uneven tasks: queued %v, for their turn %v, were they even %v", queued, turn, even)
	}
}
