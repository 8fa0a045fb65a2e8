package attack_test

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/poolbench/poolbench/bench/arrivals"
	"github.com/poolbench/poolbench/bench/attack"
)

func staged(t *testing.T, text string) attack.Attack {
	t.Helper()
	stages, err := arrivals.ParseClientStages(text)
	if err != nil {
		t.Fatal(err)
	}
	a := attack.Attack{ClientStages: stages, Clients: arrivals.MaxClients(stages),
		Requests: []attack.Request{{Method: "GET", URL: "http://x/"}}}
	for _, s := range stages {
		a.Duration += s.For
	}
	return a
}

func TestClientStages(t *testing.T) {
	a := staged(t, "1s:0..10, 1s:10, 1s:0, 1s:4..0")
	var inFlight, most atomic.Int64
	r := inBubble(t, a, func(http.ResponseWriter, *http.Request) {
		n := inFlight.Add(1)
		for was := most.Load(); n > was && !most.CompareAndSwap(was, n); was = most.Load() {
		}
		time.Sleep(10 * time.Millisecond)
		inFlight.Add(-1)
	})
	if most.Load() != 10 {
		t.Errorf("%d requests at most in flight", most.Load())
	}
	// a client's request is due when its previous one ends, and counts for the stage of that time
	for unit, want := range map[string]float64{"stage1-offered-ops/s": 550,
		"stage2-offered-ops/s": 1000, "stage4-offered-ops/s": 250, "stage2-p99-response-sec": 0.01} {
		if v, ok := r.Metric(unit); !ok || v < 0.98*want || v > 1.02*want {
			t.Errorf("%s is %v, want %v", unit, v, want)
		}
	}
	if v, ok := r.Metric("stage3-offered-ops/s"); ok && v > 10 {
		t.Errorf("%v requests in a pause", v)
	}
	if want := "arrival=stages:at=0..10x1s_10x1s_0x1s_4..0x1s,unit=clients"; !strings.Contains(
		r.Name, want) {
		t.Errorf("%s has no %s", r.Name, want)
	}
}

func TestClientStagesMistakes(t *testing.T) {
	for want, change := range map[string]func(*attack.Attack){
		"want clients 10 and duration 2s":   func(a *attack.Attack) { a.Clients = 9 },
		"want clients 10 and duration 2s, ": func(a *attack.Attack) { a.Duration = time.Second },
		"so there are no agents":            func(a *attack.Attack) { a.Agents = 2 },
		"want whole numbers":                func(a *attack.Attack) { a.ClientStages[0].Level = 0.5 },
	} {
		a := staged(t, "1s:0..10, 1s:10")
		if err := a.Validate(); err != nil {
			t.Fatal(err)
		}
		change(&a)
		if err := a.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
