package attack_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/poolbench/poolbench/bench/attack"
	"github.com/poolbench/poolbench/bench/attack/checks"
)

// A refusal that fails a status check must remain throttled, so a strategy can retry it.
func TestRefusedCheck(t *testing.T) {
	var asked atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if asked.Add(1)%4 == 0 {
			w.WriteHeader(http.StatusTooManyRequests)
		}
	}))
	defer server.Close()
	check, err := checks.Parse("status == 200")
	if err != nil {
		t.Fatal(err)
	}
	report, err := attack.Run(t.Context(), attack.Attack{Tasks: 40, Clients: 1,
		Requests: []attack.Request{{Method: "GET", URL: server.URL}}, Checks: checks.List{check}})
	if err != nil {
		t.Fatal(err)
	}
	if share, _ := report.Metric("throttled/op"); share != 0.25 {
		t.Errorf("%v are throttled", share)
	}
	want := []attack.Count{{What: "check failed: status == 200", N: 10}}
	if !slices.Equal(report.Errors, want) {
		t.Errorf("%v, want %v", report.Errors, want)
	}
}
