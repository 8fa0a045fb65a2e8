package bench_test

import (
	"fmt"
	"math"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/internal/machine/race"
	"github.com/poolbench/poolbench/internal/progress"
)

// A soak must report the same as a run, except for rounding errors and 0.1 % in quantiles.
func TestSoak(t *testing.T) {
	tasks := 30_000
	for i, w := range []bench.Encoded{
		{Strategy: "worker_pool", Load: 0.8},
		{Strategy: "semaphore", Load: 0.6, Workload: "lognormal", Deadline: 20 * time.Millisecond},
		{Strategy: "bounded_queue_shed", Load: 1.3, Queue: 5},
		{Strategy: "segregated", Load: 0.5, Workload: "two_class"},
		{Strategy: "partitioned", Load: 0.7, Workload: "hyperexp"},
		{Strategy: "retry_queue", Rate: 90, Target: "token_bucket:rate=100,burst=5"},
		{Strategy: "unbounded", Load: 0.8, Arrival: "bulk"},
		{Strategy: "fair_share", Load: 0.9, Workload: "tenants:skew=noisy(0.6)"},
		{Strategy: "limit_per_tenant", Load: 0.7, Workload: "tenants:n=300,skew=zipf(0)"},
		{Strategy: "priority", Load: 0.8, Workload: "priorities:shares=1:2:3"},
		{Strategy: "earliest_deadline", Load: 0.9, Workload: "deadlines:slack=exp(20ms)"},
		{Strategy: "circuit_breaker", Rate: 300, Target: "tenant_quota:rate=50,burst=2",
			Workload: "tenants:n=3,skew=zipf(0.5)"},
	} {
		if testing.Short() && i%5 != 0 {
			continue
		}
		w.Limit, w.Tasks, w.Warmup, w.Seed = 4, tasks, 0.1, 3
		t.Run(w.Strategy, func(t *testing.T) {
			s := scenario(t, w)
			whole := run(t, s)
			s.Soak = true
			soak := run(t, s)
			if soak.Name != whole.Name || soak.Tasks != whole.Tasks {
				t.Errorf("%s of %d tasks is as a soak %s of %d", whole.Name, whole.Tasks,
					soak.Name, soak.Tasks)
			}
			told := 0
			for _, m := range soak.Metrics {
				want, ok := whole.Metric(m.Unit)
				near := 1e-9
				switch {
				case strings.HasPrefix(m.Unit, "p") && strings.HasSuffix(m.Unit, "-sec"),
					strings.Contains(m.Unit, "-p99-"):
					near = 1e-3
				case m.Unit == "mean-wait-low-sec", m.Unit == "mean-wait-high-sec":
					near = 0.02 // batch boundaries differ
				case m.Unit == "verdict", m.Unit == "quantile-error":
					continue // a soak makes fewer checks, and only a soak has a quantile error
				}
				if told++; !ok || math.Abs(m.Value-want) > near*math.Abs(want) {
					t.Errorf("%s is %v, and %v (%v) where the records are kept", m.Unit, m.Value,
						want, ok)
				}
			}
			for _, m := range whole.Metrics {
				if _, told := soak.Metric(m.Unit); isLabelMetric(m.Unit) && !told &&
					m.Unit != "others-p99-response-sec" {
					t.Errorf("a soak does not tell %s", m.Unit)
				}
			}
			if told < 25 {
				t.Errorf("a soak tells %d metrics alone", told)
			}
			if a, b := timelineTotals(soak), timelineTotals(whole); a != b {
				t.Errorf("the timelines count %v, and %v where the records are kept", a, b)
			}
		})
	}
}

func isLabelMetric(unit string) bool {
	for _, begin := range []string{"priority-", "tenant-", "others-", "fairness", "noisy-share",
		"missed/op", "max-lateness-sec"} {
		if strings.HasPrefix(unit, begin) {
			return true
		}
	}
	return false
}

func timelineTotals(r *bench.Result) (sums [7]int) {
	for _, v := range r.Timeline {
		for i, n := range []int{v.Arrived, v.Started, v.Completed, v.Failed, v.Throttled, v.Shed,
			v.Abandoned} {
			sums[i] += n
		}
	}
	return sums
}

// A soak must not record tasks, which would take 64 bytes each.
func TestSoakMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	if race.Enabled {
		t.Skip("sync.Pool drops items under the race detector")
	}
	allocated := func(tasks int) uint64 {
		s := scenario(t, bench.Encoded{Limit: 4, Load: 0.8, Tasks: tasks})
		s.Soak = true
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		run(t, s)
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	// a queue slot needs 8 bytes; both lengths have equally many windows
	const short, long = 50_000, 200_000
	few, many := allocated(short), uint64(math.MaxUint64)
	for range 5 { // the minimum, because a garbage collection empties sync.Pools
		few, many = min(few, allocated(short)), min(many, allocated(long))
		if float64(many)-float64(few) <= 12*(long-short) {
			return
		}
	}
	t.Errorf("%d tasks take %d bytes, %d take %d: more than 12 for each more", short, few, long,
		many)
}

func TestSoakSeesDrift(t *testing.T) {
	s := scenario(t, bench.Encoded{Limit: 2, Load: 1.2, Tasks: 120_000})
	s.Soak = true
	r := run(t, s)
	for _, want := range []string{"not stationary: the mean wait is ",
		"; the p99 response is "} {
		if !strings.Contains(fmt.Sprint(r.Reasons), want) {
			t.Errorf("an overload for the whole time is doubted for %v alone", r.Reasons)
		}
	}
}

func TestSoakHoldsNoMore(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	s := scenario(t, bench.Encoded{Workload: "constant:mean=100s", Limit: 1, Rate: 1e6,
		Tasks: 1_000_000})
	s.Soak = true
	if _, err := bench.Run(t.Context(), s); err == nil ||
		!strings.Contains(err.Error(), "not done after 524288 later tasks were due") {
		t.Errorf("a soak of tasks that do not end says %v", err)
	}
}

func TestSoakUnderTheRealClock(t *testing.T) {
	s := scenario(t, bench.Encoded{Strategy: "worker_pool", Workload: "constant:mean=10us",
		Rate: 20_000, Limit: 4, Tasks: 10_000, Clock: "real"})
	s.Soak = true
	r := run(t, s)
	if got := timelineTotals(r)[2]; got != 10_000 {
		t.Errorf("%d of 10000 tasks are completed", got)
	}
}

func TestSoakIsOpen(t *testing.T) {
	for _, arrival := range []string{"closed:clients=2", "batch"} {
		s := scenario(t, bench.Encoded{Arrival: arrival, Tasks: 100})
		s.Soak = true
		if err := s.Validate(); err == nil || !strings.Contains(err.Error(), "soak: ") {
			t.Errorf("a soak of %s: %v", arrival, err)
		}
	}
}

// A partial result must equal that of a run of as many tasks.
func TestSoakSoFar(t *testing.T) {
	const first = 4096 // one chunk
	s := scenario(t, bench.Encoded{Limit: 4, Load: 0.8, Tasks: 30_000})
	s.Soak, s.Stop.Warmup = true, 0
	var p progress.Tracker
	if r := p.SoFar(); r != nil {
		t.Fatalf("it answers before the run: %+v", r)
	}
	asked, err := bench.Run(progress.NewContext(t.Context(), &p), s)
	if err != nil {
		t.Fatal(err)
	}
	if alone := run(t, s); !reflect.DeepEqual(asked, alone) {
		t.Errorf("a soak that is asked says %+v, and one that is not %+v", asked, alone)
	}
	soFar := p.SoFar()
	if soFar == nil {
		t.Fatal("it does not answer")
	}
	if soFar.Name != asked.Name || soFar.Tasks != first || soFar.Verdict != result.Suspect ||
		len(soFar.Broken) > 0 || timelineTotals(soFar)[2] != first {
		t.Errorf("so far it is %s with %d tasks, %v, %v, %v", soFar.Name, soFar.Tasks,
			soFar.Verdict, soFar.Broken, timelineTotals(soFar))
	}
	if want := "the run is not over: the numbers cover its first 4096 tasks, due " +
		"by "; !strings.HasPrefix(soFar.Reasons[0].Text, want) ||
		!strings.HasSuffix(soFar.Reasons[0].Text, "; --resume continues it") {
		t.Errorf("it is doubted for %v", soFar.Reasons)
	}
	s.Stop.Tasks = first
	short := run(t, s)
	for _, m := range short.Metrics {
		if got, ok := soFar.Metric(m.Unit); (!ok || got != m.Value) && m.Unit != "verdict" {
			t.Errorf("so far %s is %v (%v), and %v of a run of so many tasks", m.Unit, got, ok,
				m.Value)
		}
	}
}

// Partial results must exist before the first chunk is full, and during the warm-up.
func TestSoakSoFarOfFew(t *testing.T) {
	for _, warmup := range []float64{0, 0.9} {
		s := scenario(t, bench.Encoded{Workload: "constant:mean=1ms", Rate: 200, Limit: 4,
			Tasks: 60, Clock: "real"})
		s.Soak, s.Stop.Warmup = true, warmup
		var p progress.Tracker
		p.SoFar()
		if _, err := bench.Run(progress.NewContext(t.Context(), &p), s); err != nil {
			t.Fatal(err)
		}
		r := p.SoFar()
		if r == nil {
			t.Fatal("it does not answer")
		}
		n := timelineTotals(r)[2]
		if measured := r.Tasks > 0; n == 0 || n == 60 || measured != (warmup == 0) {
			t.Errorf("warm-up %v: %d are completed, %d are measured", warmup, n, r.Tasks)
		}
	}
}
