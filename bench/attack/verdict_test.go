package attack_test

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/poolbench/poolbench/bench/attack"
	"github.com/poolbench/poolbench/bench/result"
)

func checkNames(r *attack.Report) (names []string) {
	for _, reason := range r.Reasons {
		if !slices.Contains(names, reason.Check) {
			names = append(names, reason.Check)
		}
	}
	return names
}

// An overloaded server is not stationary, wherever requests wait, but does not make a run INVALID.
func TestVerdicts(t *testing.T) {
	for _, c := range []struct {
		what    string
		a       attack.Attack
		slots   int
		verdict result.Verdict
		checks  []string
	}{
		{"half loaded", attack.Attack{Rate: 20, Duration: 50 * time.Second}, 1, result.Valid, nil},
		{"half loaded, through a pool", attack.Attack{Rate: 20, Duration: 50 * time.Second,
			Strategy: strategy(t, "worker_pool"), Limit: 8}, 1, result.Valid, nil},
		{"saturated", attack.Attack{Rate: 100, Duration: 5 * time.Second, Drain: time.Minute,
			MaxInFlight: attack.Unlimited}, 1, result.Suspect, []string{"not stationary"}},
		{"saturated, 10 workers", attack.Attack{Rate: 100, Duration: 5 * time.Second,
			Drain: time.Minute, MaxInFlight: 10}, 1, result.Suspect, []string{"not stationary"}},
		{"saturated, through a pool", attack.Attack{Rate: 100, Duration: 5 * time.Second,
			Drain: time.Minute, Strategy: strategy(t, "unbounded")}, 1, result.Suspect,
			[]string{"not stationary"}},
		{"saturated, 2 clients", attack.Attack{Clients: 2, Duration: 20 * time.Second}, 1,
			result.Valid, nil},
		{"saturated, no time to drain", attack.Attack{Rate: 100, Duration: 5 * time.Second,
			Drain: time.Second, MaxInFlight: attack.Unlimited}, 1, result.Suspect,
			[]string{"unanswered", "not stationary"}},
		{"saturated, the time to drain that there is by default",
			attack.Attack{Rate: 100, Duration: 5 * time.Second, MaxInFlight: attack.Unlimited}, 1,
			result.Suspect, []string{"unanswered", "not stationary"}},
		{"enough workers", attack.Attack{Rate: 1000, Tasks: 1000, MaxInFlight: attack.Unlimited}, 1000,
			result.Valid, nil},
		{"4 workers", attack.Attack{Rate: 1000, Tasks: 1000, MaxInFlight: 4, Drain: time.Hour}, 1000,
			result.Suspect, []string{"not stationary"}},
		{"by default as many as are due", attack.Attack{Rate: 10_000, Tasks: 3000,
			Drain: time.Hour}, 1000, result.Valid, nil},
	} {
		slots := make(chan struct{}, c.slots)
		r := inBubbleOf(t, c.a, func() http.HandlerFunc {
			slots = make(chan struct{}, c.slots)
			return func(http.ResponseWriter, *http.Request) {
				slots <- struct{}{}
				time.Sleep(25 * time.Millisecond)
				<-slots
			}
		})
		if got := checkNames(r); r.Verdict != c.verdict || !slices.Equal(got, c.checks) ||
			metric(t, r, "verdict") != float64(c.verdict) {
			t.Errorf("%s: %v for %v, want %v for %v", c.what, r.Verdict, r.Reasons,
				c.verdict, c.checks)
		}
	}
}

func TestBreak(t *testing.T) {
	r := inBubble(t, attack.Attack{Rate: 10, Tasks: 5}, func(http.ResponseWriter, *http.Request) {})
	if r.Verdict != result.Valid || metric(t, r, "broken-laws") != 0 {
		t.Fatalf("%v %v", r.Verdict, r.Reasons)
	}
	r.Break("bound: too many")
	if r.Verdict != result.Invalid || metric(t, r, "broken-laws") != 1 ||
		metric(t, r, "verdict") != float64(result.Invalid) || len(r.Broken) != 1 {
		t.Errorf("%v %v %v", r.Verdict, r.Reasons, r.Broken)
	}
}
