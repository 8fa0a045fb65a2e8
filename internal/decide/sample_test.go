package decide_test

import (
	"math"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/internal/decide"
)

type metrics map[string]float64

func (m metrics) lookup(unit string) (float64, bool) {
	v, ok := m[unit]
	return v, ok
}

func TestLoad(t *testing.T) {
	met, missed, undecided := decide.Met, decide.Missed, decide.Undecided
	quick := metrics{"p50-response-sec": 0.02, "p99-response-sec": 0.3, "max-response-sec": 0.9,
		"mean-response-sec": 0.04, "mean-service-sec": 0.01, "p50-service-sec": 0.01,
		"p90-service-sec": 0.08, "p99-service-sec": 0.1, "max-service-sec": 0.2,
		"max-lag-sec": 0.8, "p99-lag-sec": 0.001, "mean-lag-sec": 0.001, "ops/s": 90}
	lossy := metrics{"p50-response-sec": 0.02, "p90-response-sec": 0.05, "p99-response-sec": 0.3,
		"due-p50-response-sec": 0.021, "due-p90-response-sec": 0.2, "p50-service-sec": 0.02,
		"due-p50-service-sec": 0.021, "due-p90-service-sec": 0.19, "mean-response-sec": 0.04,
		"max-response-sec": 0.4, "p50-wait-sec": 0.01, "p90-wait-sec": 0.02, "p99-wait-sec": 0.03,
		"max-wait-sec": 0.04, "max-lag-sec": 0.0001, "failed/op": 0.03, "abandoned/op": 0.02}
	// requests waited for workers, and the generator was not late
	waited := metrics{"p99-response-sec": 2, "p99-service-sec": 0.1, "max-lag-sec": 0.001}
	// The server answers in 6 ms, but four busy loops starve the generator of CPU.
	starved := metrics{"p50-response-sec": 0.0284, "p90-response-sec": 0.2, "p99-response-sec": 0.291,
		"p50-service-sec": 0.0052, "p90-service-sec": 0.04, "p99-service-sec": 0.132,
		"mean-response-sec": 0.0402, "mean-service-sec": 0.017, "p99-first-byte-sec": 0.131,
		"p99-lag-sec": 0.276, "max-lag-sec": 0.334, "mean-lag-sec": 0.0233,
		"p99-hiccup-sec": 0.129, "max-hiccup-sec": 0.183}
	clients := metrics{"p99-response-sec": 0.132, "p90-response-sec": 0.04, "p99-service-sec": 0.132,
		"p90-service-sec": 0.04, "p99-hiccup-sec": 0.129, "max-hiccup-sec": 0.183, "max-lag-sec": 0}
	parts := metrics{"session-count": 400, "session-p99-response-sec": 1,
		"session-p99-service-sec": 0.9, "max-lag-sec": 0.05, "session-failed/op": 0,
		"step1-in-count": 400, "step1-in-p99-response-sec": 0.5, "step1-in-failed/op": 0.02,
		"step1-in-p50-response-sec": 0.1, "step1-in-due-p50-response-sec": 0.11,
		"step2-out-count": 392, "step2-out-p99-response-sec": 0.5,
		"stage2-p99-response-sec": 0.5, "stage2-failed/op": 0.005,
		"stage2-due-p99-response-sec": 0.6, "stage3-failed/op": 0.6, "stage4-failed/op": 0}
	for _, c := range []struct {
		of       metrics
		requests int
		unit, op string
		bound    float64
		want     decide.Verdict
		value    float64
		reason   string
		next     string
	}{
		{quick, 1200, "p99-response-sec", "<", 0.5, met, 0.3, "p99 response 300 ms of 1,200 requests",
			""},
		{quick, 1200, "p99-response-sec", "<", 0.2, undecided, 0.3,
			"p99 response 300 ms of 1,200 requests, at least 79.0 ms without the waits of the generator",
			""},
		{quick, 1200, "p99-response-sec", "<", 0.05, missed, 0.3,
			"p99 response 300 ms of 1,200 requests, service alone 100 ms", ""},
		{quick, 1200, "mean-response-sec", "<=", 0.04, met, 0.04,
			"mean response 40.0 ms of 1,200 requests", ""},
		{quick, 1200, "max-response-sec", "<", 0.05, missed, 0.9,
			"max response 900 ms of 1,200 requests, service alone 200 ms", ""},
		{quick, 1200, "max-response-sec", "<", 0.15, undecided, 0.9, "at least 99.0 ms without", ""},
		{quick, 1200, "p99-service-sec", "<", 0.2, met, 0.1, "p99 service 100 ms of 1,200 requests",
			""},
		{quick, 1200, "p99-response-sec", ">", 0.5, missed, 0.3,
			"p99 response 300 ms of 1,200 requests", ""},
		{quick, 300, "p99-response-sec", "<", 0.5, undecided, math.NaN(),
			"300 requests are too few: a p99 needs 368", "--n 368"},
		{quick, 300, "p99-response-sec", "<", 0.005, missed, 0.02,
			"p50 response 20.0 ms of 300 requests, service alone 10.0 ms", ""},
		{starved, 1200, "p99-response-sec", "<", 0.1, undecided, 0.291, "all of which the generator may", ""},
		{starved, 1200, "p99-response-sec", "<", 0.3, met, 0.291, "", ""},
		{starved, 1200, "p99-service-sec", "<", 0.1, undecided, 0.132, "all of which the generator may", ""},
		{starved, 1200, "p99-first-byte-sec", "<", 0.1, undecided, 0.131, "all of which the generator may", ""},
		{starved, 1200, "mean-response-sec", "<", 0.01, undecided, 0.0402, "all of which the generator may", ""},
		{clients, 1200, "p99-response-sec", "<", 0.1, undecided, 0.132, "all of which the generator may", ""},
		{waited, 1200, "p99-response-sec", "<", 0.5, missed, 2, "p99 response 2.00 s of 1,200 requests",
			""},
		{lossy, 1200, "p50-response-sec", "<", 0.0205, missed, 0.021,
			"p50 response 21.0 ms of 1,200 requests", ""},
		{lossy, 1200, "p90-response-sec", "<", 0.25, met, 0.2,
			"p90 response 200 ms of 1,200 requests", ""},
		{lossy, 1200, "p99-response-sec", "<", 100, missed, math.Inf(1),
			"5.00 % of 1,200 requests were lost (3.00 % failed, 2.00 % were abandoned) and count as " +
				"slower than any bound", ""},
		{lossy, 1200, "completed-p99-response-sec", "<", 0.5, met, 0.3,
			"p99 response 300 ms of 1,140 completed requests", ""},
		{lossy, 380, "completed-p99-response-sec", "<", 0.5, undecided, math.NaN(),
			"361 completed requests are too few: a p99 needs 368", "--n 388"},
		{lossy, 1200, "mean-response-sec", "<", 1, missed, math.Inf(1), "5.00 % of 1,200 requests", ""},
		{lossy, 1200, "max-response-sec", "<", 1, missed, math.Inf(1), "5.00 % of 1,200 requests", ""},
		{lossy, 1200, "completed-max-response-sec", "<", 1, met, 0.4, "", ""},
		// lost requests: a percentile of the wait lies between two percentiles of completed
		// requests
		{lossy, 1200, "p90-wait-sec", "<", 0.031, met, 0.02,
			"p90 wait between 20.0 ms and 30.0 ms of 1,200 requests, of which 5.00 % were lost", ""},
		{lossy, 1200, "p90-wait-sec", "<", 0.025, undecided, 0.02, "", ""},
		{metrics{"failed/op": 0, "throttled/op": 1}, 3, "p99-response-sec", "<", 1, missed, math.Inf(1),
			"100 % of 3 requests were refused and count as slower than any bound", ""},
		{parts, 800, "session-p99-response-sec", "<", 0.95, undecided, 1, "of 400 sessions", ""},
		{parts, 800, "session-p99-response-sec", "<", 0.79, missed, 1, "service alone 900 ms", ""},
		{parts, 800, "step1-in-p99-response-sec", "<", 1, missed, math.Inf(1),
			"2.00 % of 400 requests failed", ""},
		{parts, 800, "step1-in-p50-response-sec", "<", 0.2, met, 0.11, "step1-in p50 response 110 ms",
			""},
		{parts, 800, "step2-out-p99-response-sec", "<", 0.4, missed, 0.5, "", ""},
		{parts, 800, "step2-out-p99-response-sec", "<", 0.47, undecided, 0.5,
			"at least 400 ms without the waits", ""},
		{parts, 800, "stage2-p99-response-sec", "<", 0.55, undecided, 0.6, "", ""},
		{parts, 800, "stage3-p99-response-sec", "<", 0.55, missed, math.Inf(1),
			"60.0 % of the requests failed", ""},
		{parts, 800, "stage4-p99-response-sec", "<", 0.55, undecided, math.NaN(),
			"there are too few requests: a p99 needs 368", "--n 368"},
		{quick, 1200, "ops/s", ">=", 100, missed, 90, "90.0 /s", ""},
		{metrics{"ops/s": 90, "verdict": 2}, 1200, "ops/s", ">=", 100, undecided, 90,
			"the generator may have sent fewer requests", ""},
		{metrics{"ops/s": 90, "verdict": 2}, 1200, "ops/s", ">=", 50, met, 90, "", ""},
		{quick, 1200, "recovered", ">=", 1, undecided, math.NaN(), "does not report recovered", ""},
		{metrics{"p99-response-sec": 0.01, "broken-laws": 1}, 1200, "p99-response-sec", "<", 1,
			undecided, math.NaN(), "breaks an invariant", ""},
	} {
		b := decide.Bound{Unit: c.unit, Op: c.op, Value: c.bound}
		d := decide.Load(b, c.of.lookup, c.requests)
		same := d.Value == c.value || math.IsNaN(d.Value) && math.IsNaN(c.value)
		if d.Verdict != c.want || !same || !strings.Contains(d.Reason, c.reason) ||
			d.Next != c.next || d.Reason == "" || strings.Contains(d.Reason, "\n") {
			t.Errorf("%d requests, %v: %+v, want %v, %v, %q, %q", c.requests, b, d, c.want, c.value,
				c.reason, c.next)
		}
	}
}
