package attack_test

import (
	"fmt"
	"io"
	"math"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/poolbench/poolbench/bench/attack"
	"github.com/poolbench/poolbench/bench/attack/sessions"
)

// The first of two parallel attempts that succeeds wins. If both fail, the first attempt's answer
// counts. Every tenth request at the server takes 1 s, the others 10 ms. With second attempts after
// 50 ms, 100 requests become 111, of which 11 are slow.
func TestSecondAttempts(t *testing.T) {
	for name, test := range map[string]struct {
		slow, fast int // statuses
		counted    string
		longest    time.Duration
		given      int64 // requests that the client cancelled
	}{
		"all succeed":          {200, 200, "[{200 100}]", 60 * time.Millisecond, 11},
		"slow ones would fail": {500, 200, "[{200 100}]", 60 * time.Millisecond, 11},
		"fast ones fail":       {200, 404, "[{200 11} {404 89}]", time.Second, 0},
		"all fail":             {500, 404, "[{404 89} {500 11}]", 0, 0},
	} {
		for _, templates := range []bool{false, true} {
			var came, given atomic.Int64
			var bodies sync.Map
			a := attack.Attack{Rate: 10, Tasks: 100, Limit: 4,
				Strategy:  strategy(t, "hedged:after=50ms,budget=1+semaphore"),
				Templates: templates, Requests: []attack.Request{{Method: "POST",
					URL: "http://127.0.0.1/", Body: []byte("{{seq}}")}}}
			report := inBubble(t, a, func(w http.ResponseWriter, r *http.Request) {
				body, err := io.ReadAll(r.Body)
				if err != nil {
					t.Error(err)
				}
				bodies.Store(string(body), true)
				if came.Add(1)%10 != 0 {
					time.Sleep(10 * time.Millisecond)
					w.WriteHeader(test.fast)
					return
				}
				select {
				case <-time.After(time.Second):
				case <-r.Context().Done():
					given.Add(1)
				}
				w.WriteHeader(test.slow)
			})
			most, _ := report.Metric("max-response-sec") // of those that succeed
			longest := time.Duration(math.Round(1e3*most)) * time.Millisecond
			if came.Load() != 111 || given.Load() != test.given || longest != test.longest ||
				metric(t, report, "attempts/op") != 1.11 ||
				fmt.Sprint(report.Statuses) != test.counted {
				t.Errorf("%s: %d came and %d were given up, %v in up to %v; want 111, %d, %s, %v",
					name, came.Load(), given.Load(), report.Statuses, longest, test.given,
					test.counted, test.longest)
			}
			different := 0
			bodies.Range(func(any, any) bool { different++; return true })
			if want := map[bool]int{false: 1, true: 100}[templates]; different != want {
				t.Errorf("%s: %d bodies, want %d", name, different, want)
			}
		}
	}
}

func TestSessionsAreSentOnce(t *testing.T) {
	err := attack.Attack{Session: &sessions.Session{}, Tasks: 1, Limit: 1,
		Strategy: strategy(t, "hedged+semaphore")}.Validate()
	if err == nil || !strings.Contains(err.Error(), "strategy hedged+semaphore: it makes a "+
		"second attempt in parallel, but a step of a session is sent only once") {
		t.Errorf("hedged: %v", err)
	}
}
