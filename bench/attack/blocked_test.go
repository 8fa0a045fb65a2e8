package attack_test

import (
	"math"
	"net/http"
	"testing"
	"time"

	"github.com/poolbench/poolbench/bench/attack"
)

// A strategy that blocks Submit holds requests back for as long as a queue would.
func TestHeld(t *testing.T) {
	slow := func(http.ResponseWriter, *http.Request) { time.Sleep(20 * time.Millisecond) }
	// one slot and no queue: of 11 requests due every 10 ms, request i starts at i·20 ms
	blocked := inBubble(t, attack.Attack{Rate: 100, Tasks: 11, Limit: 1, Queue: -1,
		Strategy: strategy(t, "semaphore")}, slow)
	if got, want := metric(t, blocked, "mean-blocked-sec"), 0.050; math.Abs(got-want) > 1e-6 {
		t.Errorf("held for %v s in the mean, want %v", got, want)
	}
	for name, a := range map[string]attack.Attack{
		"workers": {Rate: 100, Tasks: 11}, "clients": {Clients: 3, Tasks: 11}} {
		if got := metric(t, inBubble(t, a, slow), "mean-blocked-sec"); got != 0 {
			t.Errorf("%s: held for %v s in the mean", name, got)
		}
	}
}
