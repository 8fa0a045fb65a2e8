package attack_test

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"sync"
	"testing"

	"github.com/poolbench/poolbench/bench/attack"
)

// The slowest requests must list the trace ids that the server received.
func TestTraced(t *testing.T) {
	form := regexp.MustCompile(`^00-([0-9a-f]{32})-([0-9a-f]{16})-01$`)
	a := attack.Attack{Tasks: 400, Rate: 4000, Seed: 9, Trace: 0.25,
		Requests: []attack.Request{{Method: "GET"}}}
	want := map[string]bool{}
	for seq := range uint64(400) {
		if id := a.TraceID(seq); id != "" {
			want[id] = true
		}
	}
	if n := len(want); n < 70 || n > 130 {
		t.Fatalf("%d of 400 have a trace of their own, where 100 are to", n)
	}
	closed, net := a, a.ByNetHTTP()
	closed.Rate, closed.Clients = 0, 3
	h2c := a
	h2c.H2C = true
	filled := a
	filled.Templates = true
	for name, a := range map[string]attack.Attack{"wires": a, "ring": closed, "net/http": net,
		"h2c": h2c, "filled in": filled} {
		var mu sync.Mutex
		seen := map[string]bool{}
		server := httptest.NewUnstartedServer(http.HandlerFunc(
			func(_ http.ResponseWriter, r *http.Request) {
				text := r.Header.Get("Traceparent")
				if text == "" {
					return
				}
				parts := form.FindStringSubmatch(text)
				if parts == nil {
					t.Errorf("%s: %q", name, text)
					return
				}
				if seq, err := strconv.ParseUint(r.URL.Path[1:], 10, 64); a.Templates &&
					(err != nil || a.TraceID(seq) != parts[1]) {
					t.Errorf("%s: %s is of the trace %s, error %v", name, r.URL.Path, parts[1], err)
				}
				mu.Lock()
				defer mu.Unlock()
				seen[parts[1]] = true
			}))
		server.Config.Protocols = new(http.Protocols)
		server.Config.Protocols.SetHTTP1(true)
		server.Config.Protocols.SetUnencryptedHTTP2(true)
		server.Start()
		if a.Requests = []attack.Request{{Method: "GET", URL: server.URL}}; a.Templates {
			a.Requests[0].URL += "/{{seq}}"
		}
		r, err := attack.Run(t.Context(), a)
		server.Close()
		if err != nil {
			t.Fatal(err)
		}
		mu.Lock()
		if len(seen) != len(want) {
			t.Errorf("%s: the server saw %d traces, want %d", name, len(seen), len(want))
		}
		told := 0
		for _, slow := range r.Slowest {
			if slow.Trace == "" {
				continue
			}
			if told++; !seen[slow.Trace] || a.Clients == 0 &&
				slow.Trace != a.TraceID(uint64(slow.Task)) {
				t.Errorf("%s: task %d tells of the trace %s", name, slow.Task, slow.Trace)
			}
		}
		if told == 0 || len(r.Traced) != 50 || r.Traced[0].Response() < r.Traced[49].Response() {
			t.Errorf("%s: %d of the slowest tell a trace, and %d traces are told", name, told,
				len(r.Traced))
		}
		for _, of := range r.Traced {
			if !seen[of.Trace] {
				t.Errorf("%s: the server did not see %s", name, of.Trace)
			}
			delete(seen, of.Trace)
		}
		mu.Unlock()
	}
	if id := (attack.Attack{Seed: 9}).TraceID(3); id != "" {
		t.Errorf("without traces, %s", id)
	}
}
