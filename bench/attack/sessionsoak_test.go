package attack_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/attack"
	"github.com/poolbench/poolbench/internal/progress"
)

const walking = `
name: walking
steps:
- {name: enter, url: "http://127.0.0.1/0/{{session}}"}
- {name: look, url: "http://127.0.0.1/1/{{session}}"}
- {name: turn, url: "http://127.0.0.1/2/{{session}}", think: exp(5ms)}
- {name: leave, url: "http://127.0.0.1/3/{{session}}", think: "lognormal(2s,4)"}
`

// walked needs up to 7 ms and may fail or refuse, depending only on session and step.
func walked(w http.ResponseWriter, r *http.Request) {
	var n, step int
	_, _ = fmt.Sscanf(r.URL.Path, "/%d/%d", &step, &n)
	time.Sleep(time.Duration((int64(n)*2_654_435_761+int64(step)*104_729)%7_000_000 + 1))
	switch (n + 13*step) % 97 {
	case 1:
		w.WriteHeader(http.StatusInternalServerError)
	case 2:
		w.WriteHeader(http.StatusTooManyRequests)
	}
}

// Sessions must give the same results without records as with records.
func TestSessionSoak(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	for name, a := range map[string]attack.Attack{
		"workers": {Rate: 50, Tasks: 1000},
		"through": {Rate: 50, Duration: 20 * time.Second, Strategy: strategy(t, "semaphore"),
			Limit: 2, Arrival: arrival(t, "poisson")},
		"held": {Rate: 300, Duration: 4 * time.Second, Strategy: strategy(t, "worker_pool"),
			Limit: 2, Queue: 3, Drain: time.Second, Arrival: arrival(t, "poisson")},
		"sheds": {Rate: 200, Tasks: 900, Strategy: strategy(t, "bounded_queue_shed"), Limit: 1,
			Queue: 1},
	} {
		t.Run(name, func(t *testing.T) {
			a.Templates = true
			a = a.WithSession(session(t, walking))
			whole := inBubble(t, a, walked)
			a.Soak = true
			var p progress.Tracker
			p.SoFar()
			var soak *attack.Report
			synctest.Test(t, func(t *testing.T) {
				soak = bubbled(t, progress.NewContext(t.Context(), &p), a, walked)
				time.Sleep(time.Hour) // until abandoned handlers have ended
			})
			for what, pair := range map[string][2]any{
				"name": {whole.Name, soak.Name}, "requests": {whole.Tasks, soak.Tasks},
				"statuses": {whole.Statuses, soak.Statuses}, "laws": {whole.Broken, soak.Broken},
				"windows": {whole.Windows, soak.Windows},
			} {
				if diff := cmp.Diff(pair[0], pair[1]); diff != "" {
					t.Errorf("%s: %s", what, diff)
				}
			}
			told := 0
			for _, m := range whole.Metrics {
				of, _, _ := strings.Cut(m.Unit, "-")
				got, ok := soak.Metric(m.Unit)
				switch {
				case of == "session" || strings.HasPrefix(of, "step"):
					if told++; !ok || got != m.Value {
						t.Errorf("%s is %v (%v), and %v where records are kept", m.Unit, got, ok,
							m.Value)
					}
				case !ok || strings.HasPrefix(strings.TrimPrefix(m.Unit, "due-"), "p") &&
					strings.HasSuffix(m.Unit, "-sec"),
					strings.HasPrefix(m.Unit, "mean-wait-"), m.Unit == "verdict":
					// Soaks are less exact here, see TestSoak.
				case math.Abs(got-m.Value) > 1e-9*math.Abs(m.Value):
					t.Errorf("%s is %v, and %v where records are kept", m.Unit, got, m.Value)
				}
			}
			arrived := 0
			for _, v := range soak.Timeline {
				arrived += v.Arrived
			}
			if told < 30 || arrived != soak.Tasks {
				t.Errorf("%d metrics of steps; %d of %d requests in the course", told, arrived,
					soak.Tasks)
			}
		})
	}
}

// A soak of sessions must write partial results, but must not offer to continue.
func TestSessionSoakSoFar(t *testing.T) {
	a := attack.Attack{Templates: true, Rate: 100, Duration: 30 * time.Second, Soak: true}.
		WithSession(session(t, walking))
	var p progress.Tracker
	why := errors.New("enough")
	var r *attack.Report
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(progress.NewContext(t.Context(), &p))
		defer time.AfterFunc(15*time.Second, func() { p.SoFar() }).Stop()
		defer time.AfterFunc(25*time.Second, func() { cancel(why) }).Stop()
		r = bubbled(t, ctx, a, walked)
		time.Sleep(time.Hour) // until abandoned handlers have ended
	})
	soFar := p.SoFar()
	if soFar == nil || soFar.Tasks >= r.Tasks || !errors.Is(r.Cut, why) {
		t.Fatalf("so far it says %+v; cut: %v", soFar, r.Cut)
	}
	for _, unit := range []string{"session-count", "step1-enter-p99-response-sec",
		"step4-leave-unsent/op", "session-mean-length-sec"} {
		if v, ok := soFar.Metric(unit); !ok || v <= 0 && unit != "step4-leave-unsent/op" {
			t.Errorf("so far %s is %v (%v)", unit, v, ok)
		}
	}
	for name, of := range map[string]*bench.Result{"so far": soFar, "cut": r.Result} {
		if text := fmt.Sprint(of.Reasons); !strings.Contains(text, "the run is not over") ||
			strings.Contains(text, "--resume") {
			t.Errorf("%s: %s", name, text)
		}
	}
	a.Before = soFar
	if err := a.Validate(); err == nil ||
		!strings.Contains(err.Error(), "want a soak of requests") {
		t.Errorf("it goes on: %v", err)
	}
}

// Planning must not enumerate sessions of days. With more steps than can be recorded, the attack
// must be a soak.
func TestLongSessions(t *testing.T) {
	const steps = `steps: [{url: "http://127.0.0.1/"}, {url: "http://127.0.0.1/", think: 3h}]`
	for _, c := range []struct {
		attack.Attack
		n    int
		last time.Duration
	}{
		{attack.Attack{Rate: 1e3, Duration: 240 * time.Hour}, 864_000_000, 243 * time.Hour},
		{attack.Attack{Rate: 1e3, Duration: 240 * time.Hour, Agents: 3}, 288_000_000,
			243 * time.Hour},
		{attack.Attack{Rate: 10, Tasks: 100}, 100, 3*time.Hour + 10*time.Second},
	} {
		a := c.WithSession(session(t, steps))
		if err := a.Validate(); err != nil {
			t.Error(err)
		}
		if n, last := a.Expected(); n != c.n || last != c.last {
			t.Errorf("%d sessions until %v, want %d until %v", n, last, c.n, c.last)
		}
	}
	a := attack.Attack{Rate: 100, Tasks: 10}.WithSession(session(t, steps))
	for n, want := range map[int]bool{5_000_000: false, 5_000_001: true} {
		if got := a.Soaks(n); got != want {
			t.Errorf("%d sessions of two steps are a soak: %v", n, got)
		}
	}
	a.Rate, a.Tasks, a.Clients, a.Soak = 0, 10, 2, true
	if err := a.Validate(); err == nil ||
		!strings.Contains(err.Error(), "soak: want an open loop") {
		t.Errorf("clients: %v", err)
	}
}

// Agents must give the same rates without records, although their last sessions end at different
// times.
func TestSessionSoakShares(t *testing.T) {
	a := attack.Attack{Templates: true, Rate: 50, Tasks: 400, MaxInFlight: attack.Unlimited,
		Arrival: arrival(t, "poisson")}.WithSession(session(t, walking))
	merged := func(soak bool) (r *attack.Report) {
		a.Soak = soak
		runInShop(t, walked, func(t *testing.T,
			dial func(context.Context, string, string) (net.Conn, error)) {
			r = byAgents(t, a.Virtual(dial), 2)
		})
		return r
	}
	exact, soak := merged(false), merged(true)
	if soak.Tasks != exact.Tasks || cmp.Diff(soak.Statuses, exact.Statuses) != "" ||
		len(soak.Broken) > 0 {
		t.Errorf("%d requests, want %d, %v, %q", soak.Tasks, exact.Tasks, soak.Statuses,
			soak.Broken)
	}
	for _, unit := range []string{"ops/s", "ns/op", "makespan-sec", "p99-response-sec",
		"max-response-sec", "failed/op", "step2-look-p99-response-sec", "session-count"} {
		got, want := metric(t, soak, unit), metric(t, exact, unit)
		if math.Abs(got-want) > 0.002*want {
			t.Errorf("%s is %v, want %v", unit, got, want)
		}
	}
}
