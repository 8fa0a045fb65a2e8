package bench_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/targets"
	"github.com/poolbench/poolbench/workloads"
)

func TestWorkloadsAreClosed(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	s := scenario(t, bench.Encoded{Workload: "file_read:small=1KiB,large=2KiB", Clock: "real",
		Limit: 2, Rate: 10_000, Tasks: 50})
	s.Estimate()
	run(t, s)
	s.Target.Spec.New = func(uint64, param.Values) (targets.Target, error) {
		return nil, os.ErrInvalid
	}
	if _, err := bench.Run(context.Background(), s); err == nil {
		t.Error("a run without a target")
	}
	left, err := filepath.Glob(filepath.Join(os.TempDir(), "*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v (error %v)", left, err)
	}
}

// Refusals by the server's target must count as throttled only once.
func TestServedWorkload(t *testing.T) {
	w := bench.Encoded{Workload: "http_get:service=const(0s)",
		Target: "token_bucket:rate=0.001,burst=10", Arrival: "batch", Clock: "real",
		Limit: 4, Tasks: 50}
	r := run(t, scenario(t, w))
	if admitted, refused, throttled := metric(t, r, "admitted-calls"),
		metric(t, r, "refused-calls"), metric(t, r, "throttled/op"); admitted != 10 ||
		refused != 40 || throttled != 0.8 {
		t.Errorf("%v calls admitted, %v refused, %v of the tasks throttled; want 10, 40, 0.8",
			admitted, refused, throttled)
	}
}

// A client's idle connections must not count as goroutines that the strategy leaked.
func TestConnectionsStay(t *testing.T) {
	t.Parallel() // waits for remaining goroutines
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer server.Close()
	client := server.Client()
	s := scenario(t, bench.Encoded{Limit: 2, Rate: 1000, Tasks: 50, Clock: "real"})
	s.Workload.Spec = workloads.Func("call", func(context.Context, uint64) error {
		answer, err := client.Get(server.URL)
		if err != nil {
			return err
		}
		return answer.Body.Close()
	}, workloads.Moments{Mean: time.Millisecond})
	if r := run(t, s); metric(t, r, "broken-laws") != 0 {
		t.Errorf("the run breaks a law: %v", r.Broken)
	}
}

func TestStatuses(t *testing.T) {
	for status, throttled := range map[int]float64{
		http.StatusTooManyRequests: 1, http.StatusServiceUnavailable: 1, http.StatusForbidden: 1,
		http.StatusInternalServerError: 0, http.StatusNotFound: 0,
	} {
		s := scenario(t, bench.Encoded{Limit: 1, Load: 0.5, Tasks: 10})
		s.Workload = workloads.Variant{Spec: workloads.Spec{Name: "answers",
			New: func(uint64, param.Values) (workloads.Workload, error) {
				return answers(status), nil
			}}}
		s.Load.Relative, s.Load.PerSecond = 0, 100
		r := run(t, s)
		if got := metric(t, r, "throttled/op"); got != throttled ||
			metric(t, r, "failed/op") != 1-throttled {
			t.Errorf("status %d: %v of the tasks throttled, want %v", status, got, throttled)
		}
	}
}

type answers int

func (a answers) Do(context.Context, uint64) error { return &workloads.StatusError{Code: int(a)} }
func (answers) Mean() time.Duration                { return time.Millisecond }
func (answers) C2() float64                        { return 0 }
