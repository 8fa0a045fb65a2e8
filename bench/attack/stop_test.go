package attack_test

import (
	"errors"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/poolbench/poolbench/bench/attack"
	"github.com/poolbench/poolbench/bench/attack/checks"
	"github.com/poolbench/poolbench/bench/result"
)

// The server fails from the sixth second on, so the rule must end the attack three seconds later.
func TestStopIf(t *testing.T) {
	rules := func(texts ...string) (all []checks.Stop) {
		for _, text := range texts {
			s, err := checks.ParseStop(text)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, s)
		}
		return all
	}
	open := attack.Attack{Rate: 100, Duration: time.Minute,
		StopIf: rules("throttled > 1% for 1s", "failed > 40% for 3s")}
	through, closed := open, open
	through.Strategy, through.Limit = strategy(t, "semaphore"), 4
	closed.Rate, closed.Clients = 0, 2
	for name, a := range map[string]attack.Attack{"open": open, "through": through,
		"closed": closed} {
		failing := func() http.HandlerFunc {
			begun, n := time.Now(), new(atomic.Int64)
			return func(w http.ResponseWriter, _ *http.Request) {
				time.Sleep(10 * time.Millisecond)
				if n.Add(1)%2 == 0 && time.Since(begun) > 5*time.Second {
					w.WriteHeader(http.StatusInternalServerError)
				}
			}
		}
		r := inBubbleOf(t, a, failing)
		why, ok := errors.AsType[*attack.Stopped](r.Cut)
		if !ok {
			t.Errorf("%s: cut is %v", name, r.Cut)
			continue
		}
		if got := r.Reasons; !slices.ContainsFunc(got, func(r result.Reason) bool {
			return r.Check == "stopped early" && r.Text == why.Why
		}) {
			t.Errorf("%s: the reasons are %v, want %q", name, got, why.Why)
		}
		// 8 s of 100 requests/s, or of 2 clients with requests of 10 ms; failures start within a
		// second
		if per := map[bool]int{true: 100, false: 200}[a.Clients == 0]; r.Tasks < 8*per-10 ||
			r.Tasks > 9*per+10 {
			t.Errorf("%s: %d requests, %v", name, r.Tasks, r.Cut)
		}
		a.StopIf = rules("failed > 60% for 3s", "lost > 60% for 100ms")
		if r := inBubbleOf(t, a, failing); r.Cut != nil {
			t.Errorf("%s: cut is %v", name, r.Cut)
		}
	}
}
