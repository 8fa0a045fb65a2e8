package bench_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/poolbench/poolbench/bench"
)

// Only the first task above the bound is kept.
func TestFlight(t *testing.T) {
	s := scenario(t, bench.Encoded{Limit: 2, Load: 0.5, Tasks: 60, Clock: "real",
		Workload: "constant:mean=2ms", Flight: 5 * time.Second, FlightBound: time.Millisecond})
	r := run(t, s)
	if !strings.Contains(r.Name, "/flight=5s/") || len(r.Profiles) != 1 ||
		r.Profiles[0].Kind != "flight" {
		t.Fatalf("%s: %d files", r.Name, len(r.Profiles))
	}
	if !bytes.Contains(r.Profiles[0].Data, []byte("task 0 response ")) &&
		!bytes.Contains(r.Profiles[0].Data, []byte("task 1 response ")) {
		t.Error("the trace names no slow task, or not the first")
	}
	s.FlightBound = time.Hour
	if r := run(t, s); r.Profiles != nil {
		t.Errorf("no task is slow: %d files", len(r.Profiles))
	}
	s.Clock = bench.Virtual
	if err := s.Validate(); err == nil || !strings.Contains(err.Error(), "flight: ") {
		t.Error(err)
	}
}
