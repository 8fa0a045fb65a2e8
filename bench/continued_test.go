package bench_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/internal/progress"
	"github.com/poolbench/poolbench/internal/rundir"
)

// interruptSoak returns the first partial result of a soak, read from a directory, and the final
// one.
func interruptSoak(t *testing.T, s bench.Scenario) (early, whole *bench.Result) {
	t.Helper()
	var p progress.Tracker
	p.SoFar()
	whole, err := bench.Run(progress.NewContext(t.Context(), &p), s)
	if err != nil {
		t.Fatal(err)
	}
	if early = p.SoFar(); early == nil {
		t.Fatal("it does not say what it has so far")
	}
	return early, whole
}

func missingTasks(r *bench.Result) (all []rundir.Gap, tasks int) {
	for _, reason := range r.Reasons {
		if reason.Check != "gap" {
			continue
		}
		for _, gap := range rundir.ParseGaps(reason.Text) {
			all, tasks = append(all, gap), tasks+gap.Tasks
		}
	}
	return all, tasks
}

// All windows, except gaps and the few after them, must equal those of an uninterrupted soak.
func TestContinuedSoak(t *testing.T) {
	for i, w := range []bench.Encoded{
		{Strategy: "worker_pool", Load: 0.5, Tasks: 30_000},
		{Strategy: "bounded_queue_shed", Load: 1.1, Queue: 5, Tasks: 30_000, Warmup: 0.1},
		{Strategy: "semaphore", Load: 0.6, Duration: 60_000_000_000, Warmup: 0.5},
		{Strategy: "earliest_deadline", Load: 0.7, Workload: "deadlines", Tasks: 30_000},
		{Strategy: "fair_share", Load: 0.7, Workload: "tenants", Tasks: 30_000},
	} {
		if testing.Short() && i%3 != 0 {
			continue
		}
		t.Run(w.Strategy, func(t *testing.T) {
			w.Limit = 4
			s := scenario(t, w)
			s.Soak = true
			early, whole := interruptSoak(t, s)
			s.Before = early
			cuts := 1
			if w.Tasks > 0 {
				s.Before, _ = interruptSoak(t, s)
				cuts = 2
			}
			r := run(t, s)
			all, missing := missingTasks(r)
			if len(all) != cuts || missing == 0 || r.Verdict != result.Suspect {
				t.Fatalf("%v is missing, %d tasks, %v: %v", all, missing, r.Verdict, r.Reasons)
			}
			if n, of := timelineTotals(r), timelineTotals(whole); n[0]+missing != of[0] {
				t.Errorf("%d tasks and %d that are missing, of %d", n[0], missing, of[0])
			}
			if slices.ContainsFunc(r.Reasons, func(why result.Reason) bool {
				return why.Check == "unfinished"
			}) {
				t.Errorf("it is over: %v", r.Reasons)
			}
			differ := 0
			for i, v := range r.Timeline {
				if of := whole.Timeline[i]; v.Start != of.Start || v.Length != of.Length {
					t.Fatalf("window %d is %v %v, and was %v %v", i, v.Start, v.Length, of.Start,
						of.Length)
				} else if v != of {
					differ++
				}
				within := slices.ContainsFunc(all, func(g rundir.Gap) bool {
					return g.Overlaps(v.Start, v.Length)
				})
				if lacks := v.Arrived != whole.Timeline[i].Arrived; lacks != within {
					t.Errorf("window %d of %v: lacks tasks %v, in a gap %v", i, all, lacks, within)
				}
			}
			if most := 5 * cuts; differ == 0 || differ > most {
				t.Errorf("%d of %d windows differ, want 1 to %d", differ, len(whole.Timeline), most)
			}
			for _, m := range r.Metrics {
				want, ok := whole.Metric(m.Unit)
				near := 0.05
				switch m.Unit {
				case "verdict", "mean-blocked-sec":
					continue
				}
				if !ok || math.Abs(m.Value-want) > near*math.Abs(want) {
					t.Errorf("%s is %v, and %v (%v) where it was left alone", m.Unit, m.Value, want,
						ok)
				}
			}
			_, told := r.Metric("missed/op")
			if want := w.Strategy == "earliest_deadline"; told != want {
				t.Errorf("it tells missed/op: %v, want %v", told, want)
			}
			if _, told := r.Metric("fairness"); told {
				t.Error("it tells the fairness of two parts")
			}
			sum := 0.0
			for _, part := range []string{"lag", "blocked", "queued", "between", "service"} {
				sum += metric(t, r, "mean-"+part+"-sec")
			}
			if mean := metric(t, r, "mean-response-sec"); math.Abs(sum-mean) > 1e-9*mean {
				t.Errorf("the parts are %v together, the mean response is %v", sum, mean)
			}
			if n := len(r.Metrics); n < 25 {
				t.Errorf("it tells %d metrics", n)
			}
		})
	}
}

// The whole plan has run, so the interrupted part is the result.
func TestContinuedAtItsEnd(t *testing.T) {
	s := scenario(t, bench.Encoded{Limit: 4, Load: 0.5, Tasks: 4100})
	s.Soak = true
	s.Before, _ = interruptSoak(t, s)
	r := run(t, s)
	if _, missing := missingTasks(r); missing != 4 || r.Tasks != s.Before.Tasks {
		t.Errorf("%d are missing of %v; it has %d tasks of %d", missing, r.Reasons, r.Tasks,
			s.Before.Tasks)
	}
	if p99 := metric(t, r, "p99-response-sec"); p99 != metric(t, s.Before, "p99-response-sec") {
		t.Errorf("the p99 is %v", p99)
	}
}

func TestContinuedDoubts(t *testing.T) {
	s := scenario(t, bench.Encoded{Strategy: "worker_pool", Limit: 4, Load: 1.2, Tasks: 30_000})
	s.Soak = true
	s.Before, _ = interruptSoak(t, s)
	s.Before.Reasons = nil
	s.Before.Doubt(result.Invalid, "lag", "early")
	s.Before.Doubt(result.Suspect, "not stationary", "early")
	alone := []string{"max-hiccup-sec", "p99-sched-sec", "max-heap-B"}
	for _, unit := range alone {
		s.Before.Metrics = append(s.Before.Metrics, result.Metric{Unit: unit, Value: 7})
	}
	r := run(t, s)
	var found []string
	for _, reason := range r.Reasons {
		if reason.Check == "not stationary" {
			found = append(found, reason.Text)
		}
	}
	const both = "before the gap: early; and after the gap: "
	if len(found) != 1 || !strings.HasPrefix(found[0], both) ||
		!slices.ContainsFunc(r.Reasons, func(of result.Reason) bool {
			return of.Check == "lag" && of.Text == "before the gap: early"
		}) {
		t.Errorf("%q: %v", found, r.Reasons)
	}
	for _, unit := range alone {
		if v, ok := r.Metric(unit); ok || r.Verdict != result.Invalid {
			t.Errorf("%s is %v, it is %v", unit, v, r.Verdict)
		}
	}
}

func TestContinuedUnderTheRealClock(t *testing.T) {
	s := scenario(t, bench.Encoded{Workload: "constant:mean=1ms", Rate: 400, Limit: 4, Tasks: 200,
		Clock: "real"})
	s.Soak, s.Stop.Warmup = true, 0
	s.Before, _ = interruptSoak(t, s)
	r := run(t, s)
	_, missing := missingTasks(r)
	if n := timelineTotals(r)[2]; n+missing != 200 || !strings.Contains(fmt.Sprint(r.Reasons), "gap: ") {
		t.Errorf("%d are completed and %d are missing: %v", n, missing, r.Reasons)
	}
}
