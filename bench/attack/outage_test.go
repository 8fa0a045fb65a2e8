package attack_test

import (
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/poolbench/poolbench/bench/attack"
	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/objectives"
)

// Objectives must include all requests that were due. Waiting for the server is not lateness of the
// generator.
func TestOutage(t *testing.T) {
	slow := func() http.HandlerFunc {
		return func(http.ResponseWriter, *http.Request) { time.Sleep(500 * time.Millisecond) }
	}
	quick := func() http.HandlerFunc {
		return func(http.ResponseWriter, *http.Request) { time.Sleep(5 * time.Millisecond) }
	}
	stopped := func() http.HandlerFunc {
		begun := time.Now()
		return func(http.ResponseWriter, *http.Request) {
			if at := time.Since(begun); at > 3*time.Second && at < 5*time.Second {
				time.Sleep(5*time.Second - at)
			}
			time.Sleep(5 * time.Millisecond)
		}
	}
	failing := func() http.HandlerFunc {
		var n atomic.Int64
		return func(w http.ResponseWriter, _ *http.Request) {
			time.Sleep(5 * time.Millisecond)
			if n.Add(1)%5 < 3 {
				w.WriteHeader(http.StatusInternalServerError)
			}
		}
	}
	open := attack.Attack{Rate: 200, Duration: 8 * time.Second}
	with := func(change func(*attack.Attack)) attack.Attack {
		a := open
		change(&a)
		return a
	}
	steps := attack.Attack{Rate: 100, Duration: 8 * time.Second}.WithSession(session(t, `
name: two
steps:
- {name: in, url: "http://127.0.0.1/in"}
- {name: out, url: "http://127.0.0.1/out"}
`))
	workers := with(func(a *attack.Attack) { a.MaxInFlight = 4 })
	through := with(func(a *attack.Attack) { a.Strategy, a.Limit = strategy(t, "worker_pool"), 4 })
	for i, c := range []struct {
		what      string
		a         attack.Attack
		server    func() http.HandlerFunc
		objective string
		want      decide.Verdict
	}{
		{"slow", open, slow, "p99-response<400ms", decide.Missed},
		{"slow", open, slow, "p50-response<400ms", decide.Missed},
		{"slow", open, slow, "mean-response<400ms", decide.Missed},
		{"slow", open, slow, "p99-response<600ms", decide.Met},
		{"slow, 4 workers", workers, slow, "p50-response<600ms", decide.Missed},
		{"slow, through a pool", through, slow, "p50-response<600ms", decide.Missed},
		{"slow, clients", attack.Attack{Clients: 100, Duration: 8 * time.Second}, slow,
			"p99-response<400ms", decide.Missed},
		{"slow, sessions", steps, slow, "p99-response<400ms", decide.Missed},
		{"slow, sessions", steps, slow, "session-p99-response<900ms", decide.Missed},
		{"slow, sessions", steps, slow, "session-p99-response<1100ms", decide.Met},
		{"slow, sessions", steps, slow, "step2-out-p99-response<400ms", decide.Missed},
		{"stopped", open, stopped, "p99-response<400ms", decide.Missed},
		{"stopped", open, stopped, "p50-response<400ms", decide.Met},
		{"failing", open, failing, "p99-response<500ms", decide.Missed},
		{"failing", open, failing, "p50-response<500ms", decide.Missed},
		{"failing", open, failing, "mean-response<500ms", decide.Missed},
		{"failing", open, failing, "completed-p99-response<500ms", decide.Met},
		{"failing", open, failing, "completed-mean-response<500ms", decide.Met},
		{"failing, sessions", steps, failing, "session-p99-response<500ms", decide.Missed},
		{"failing, sessions", steps, failing, "step1-in-p99-response<500ms", decide.Missed},
		{"quick", open, quick, "p99-response<100ms", decide.Met},
		{"quick", with(func(a *attack.Attack) { a.Soak = true }), quick, "p99-response<100ms",
			decide.Met},
		{"failing", with(func(a *attack.Attack) { a.Soak = true }), failing,
			"p50-response<500ms", decide.Missed},
	} {
		if testing.Short() && i%2 != 0 {
			continue
		}
		r := inBubbleOf(t, c.a, c.server)
		all, err := objectives.Parse(c.objective)
		if err != nil {
			t.Fatal(err)
		}
		if d := decide.Load(all[0].Limit(), r.Metric, r.Tasks); d.Verdict != c.want {
			t.Errorf("%s: %s: %+v, want %v", c.what, c.objective, d, c.want)
		}
		if lag := metric(t, r, "max-lag-sec"); lag != 0 || r.Verdict == result.Invalid {
			t.Errorf("%s: the generator was late by %v s, %v", c.what, lag, r.Reasons)
		}
	}
}

func TestAsManyAsDue(t *testing.T) {
	slow := func(http.ResponseWriter, *http.Request) { time.Sleep(4 * time.Second) }
	for workers, want := range map[int]float64{0: 2000, attack.Unlimited: 2000, 64: 64} {
		r := inBubble(t, attack.Attack{Rate: 1000, Duration: 2 * time.Second, MaxInFlight: workers,
			Drain: time.Hour}, slow)
		if got := metric(t, r, "peak-inflight"); got != want {
			t.Errorf("%d workers: %v in flight, want %v", workers, got, want)
		}
	}
}

// Lost requests must count as the slowest.
func TestDue(t *testing.T) {
	failing := func() http.HandlerFunc {
		var n atomic.Int64
		return func(w http.ResponseWriter, _ *http.Request) {
			i := n.Add(1)
			time.Sleep(time.Duration(i%100) * time.Millisecond)
			if i%50 == 7 {
				w.WriteHeader(http.StatusInternalServerError)
			}
		}
	}
	a := attack.Attack{Rate: 200, Duration: 10 * time.Second}
	for name, soak := range map[string]bool{"records": false, "soak": true} {
		a.Soak = soak
		r := inBubbleOf(t, a, failing)
		// 2 % are lost, and the slowest of the others takes 99 ms
		for unit, want := range map[string]float64{"due-p50-response-sec": 0.049,
			"due-p90-response-sec": 0.090, "due-p90-service-sec": 0.090} {
			if got := metric(t, r, unit); got < 0.99*want || got > 1.03*want {
				t.Errorf("%s: %s is %v, want %v", name, unit, got, want)
			}
		}
		if v, ok := r.Metric("due-p99-response-sec"); ok {
			t.Errorf("%s: a p99 among the lost requests is %v", name, v)
		}
	}
}
