package attack_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/attack"
)

// TestLagVerdict: requests that wait for one of the tool's own workers are the tool's fault; for one of the workers that somebody asked for,
// they are what is measured; and where there is always a worker nothing is late.
func TestLagVerdict(t *testing.T) {
	for workers, want := range map[int]bench.Verdict{0: bench.Suspect, 4: bench.Valid, attack.Unlimited: bench.Valid} {
		r := inBubble(t, attack.Attack{Rate: 1000, Tasks: 1000, Workers: workers}, func(http.ResponseWriter, *http.Request) { time.Sleep(time.Second) })
		if r.Verdict != want || metric(t, r, "verdict") != float64(want) {
			t.Errorf("%d workers: %v %v, want %v", workers, r.Verdict, r.Reasons, want)
		}
		if want == bench.Suspect && (len(r.Reasons) != 1 || !strings.Contains(r.Reasons[0].String(), "lag: ") || !strings.Contains(r.Reasons[0].Text, "all 64 workers were busy")) {
			t.Errorf("%d workers: %v", workers, r.Reasons)
		}
	}
}

// TestBreak: a law that is found broken after the attack makes it INVALID, in its metrics too.
func TestBreak(t *testing.T) {
	r := inBubble(t, attack.Attack{Rate: 10, Tasks: 5}, func(http.ResponseWriter, *http.Request) {})
	if r.Verdict != bench.Valid || metric(t, r, "broken-laws") != 0 {
		t.Fatalf("%v %v", r.Verdict, r.Reasons)
	}
	r.Break("bound: too many")
	if r.Verdict != bench.Invalid || metric(t, r, "broken-laws") != 1 || metric(t, r, "verdict") != float64(bench.Invalid) || len(r.Broken) != 1 {
		t.Errorf("%v %v %v", r.Verdict, r.Reasons, r.Broken)
	}
}
