package advise

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/poolbench/poolbench/bench/arrivals"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/workloads"
)

func recordedIn(t *testing.T, n int, budget time.Duration) Question {
	t.Helper()
	s := shapes["on-off"](rand.New(rand.NewPCG(5, 5)), n)
	var text strings.Builder
	for i, due := range s.due {
		fmt.Fprintf(&text, "%d.%09d,%dns\n", due/1e9, due%1e9, s.service[i])
	}
	file := filepath.Join(t.TempDir(), "trace.csv")
	if err := os.WriteFile(file, []byte(text.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	q := asked(t, "trace:file="+file+",column=2,time=1", 0, "p99-response<110ms")
	q.Scenario.Load.Arrival = arrivals.MustParse("trace:file=" + file)
	q.Budget = budget
	q.Strategies = []strategies.Variant{strategies.MustParse("semaphore"),
		strategies.MustParse("adaptive_gradient")}
	return q
}

// On a recorded plan, strategies that behave as a pool must have equal results.
func TestRecordedAlike(t *testing.T) {
	q := recordedIn(t, 9000, 0)
	a := answered(t, q)
	if a.Recommendation.Strategy.String() != "semaphore" || len(a.RunnersUp) != 1 {
		t.Fatalf("got %v and %d more", a.Recommendation.Strategy, len(a.RunnersUp))
	}
	pool, other := a.Recommendation.Promise, a.RunnersUp[0].Promise
	near := func(a, b, by float64) bool { return math.Abs(a/b-1) < by }
	if !near(pool.Mid, other.Mid, 0.01) || // the two definitions of warm-up differ
		!near(pool.Low/pool.Mid, other.Low/other.Mid, 1e-9) ||
		!near(pool.High/pool.Mid, other.High/other.Mid, 1e-9) ||
		a.Recommendation.Limit != a.RunnersUp[0].Limit {
		t.Errorf("a pool of %d promises %v, what does the same at %d promises %v",
			a.Recommendation.Limit, pool, a.RunnersUp[0].Limit, other)
	}
	if mean := meanOf(t, q, 9000); !near(a.Work.Mean, mean, 1e-6) {
		t.Errorf("a mean of %v is not that of all records, %v", a.Work.Mean, mean)
	}
}

func meanOf(t *testing.T, q Question, n int) float64 {
	t.Helper()
	w, err := q.Scenario.Workload.Spec.Build(1, q.Scenario.Workload.Values)
	if err != nil {
		t.Fatal(err)
	}
	sum := time.Duration(0)
	for i := range n {
		sum += w.(workloads.Timed).Time(uint64(i))
	}
	return sum.Seconds() / float64(n)
}

// If the budget is too small to run the whole record, the prediction must still cover all of it.
func TestRecordAll(t *testing.T) {
	const all, part = 9000, 1666
	for budget, want := range map[time.Duration]int{0: 0, time.Second: part} {
		a := answered(t, recordedIn(t, all, budget))
		if record := map[bool]int{true: all}[want > 0]; a.Ran != want || a.Record != record {
			t.Errorf("budget %v: ran %d of %d, want %d", budget, a.Ran, a.Record, want)
		}
		if len(a.NotLooked) > 0 {
			t.Errorf("budget %v: not looked at %q", budget, a.NotLooked)
		}
		if want := answered(t, recordedIn(t, all, 0)).Recommendation.Promise; want !=
			a.Recommendation.Promise {
			t.Errorf("budget %v: promised %v, and %v with the default", budget,
				a.Recommendation.Promise, want)
		}
	}
}
