package attack_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/poolbench/poolbench/bench/attack"
	"github.com/poolbench/poolbench/bench/attack/checks"
)

// TestResponseCheck: the check covers the wait for a slot. Ten requests of 10 ms, due every 5 ms
// with one in flight, take 10, 15, … 55 ms.
func TestResponseCheck(t *testing.T) {
	check, err := checks.Parse("response <= 30ms")
	if err != nil {
		t.Fatal(err)
	}
	a := attack.Attack{Rate: 200, Tasks: 10, MaxInFlight: 1, Checks: checks.List{check},
		Requests: []attack.Request{{Method: "GET", URL: "http://x/"}}}
	r := inBubble(t, a, func(http.ResponseWriter, *http.Request) {
		time.Sleep(10 * time.Millisecond)
	})
	failed, _ := r.Metric("failed/op")
	want := attack.Count{What: "check failed: response <= 30ms", N: 5}
	if failed != 0.5 || len(r.Errors) != 1 || r.Errors[0] != want {
		t.Errorf("%v failed, %v", failed, r.Errors)
	}
}
