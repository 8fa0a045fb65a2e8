package targets_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/poolbench/poolbench/targets"
)

// admitAndCheck checks the quota before and after p's decision.
func admitAndCheck(t testing.TB, p targets.Policy, now time.Duration) targets.Decision {
	t.Helper()
	before := p.Quota(now)
	if again := p.Quota(now); again != before {
		t.Fatalf("at %d: asking for the quota changes it from %+v to %+v", now, before, again)
	}
	if before.Remaining < 0 || before.Remaining > before.Limit ||
		(before.Reset == 0) != (before.Remaining == before.Limit) || before.Window <= 0 {
		t.Fatalf("at %d: impossible quota %+v", now, before)
	}
	if before.Reset > 0 {
		early, then := p.Quota(now+before.Reset-1), p.Quota(now+before.Reset)
		if early.Remaining != before.Remaining || then.Remaining <= before.Remaining {
			t.Fatalf("at %d: %+v; a nanosecond before the reset %+v, then %+v", now,
				before, early, then)
		}
	}
	d := p.Admit(now)
	after := p.Quota(now)
	switch {
	case d.Admitted != (before.Remaining > 0), d.Admitted &&
		(d.RetryAfter != 0 || after.Remaining != before.Remaining-1):
		t.Fatalf("at %d: %+v with the quota %+v before and %+v after", now, d, before, after)
	case !d.Admitted && (d.RetryAfter <= 0 || d.Wait != 0 || after.Remaining != 0 ||
		after.Reset != d.RetryAfter):
		t.Fatalf("at %d: %+v with the quota %+v after", now, d, after)
	}
	return d
}

// A rule decides by brute force whether a call at now is admitted.
type rule func(admitted []time.Duration, now time.Duration) bool

// RetryAfter must be exact to the nanosecond.
func checkRule(t *testing.T, p targets.Policy, r rule, gaps []int64) (admitted []time.Duration) {
	t.Helper()
	var now, retry time.Duration
	for i, gap := range gaps {
		now += gapAfter(gap, retry)
		d := admitAndCheck(t, p, now)
		if d.Admitted != r(admitted, now) || d.Refusal != targets.TooMany {
			t.Fatalf("call %d at %d: %+v, by the rule %v", i, now, d, !d.Admitted)
		}
		if retry = d.RetryAfter; d.Admitted {
			admitted = append(admitted, now)
		} else if r(admitted, now+retry-1) || !r(admitted, now+retry) {
			t.Fatalf("call %d at %d: by the rule a retry after %d is not exact", i, now, retry)
		}
	}
	return admitted
}

// gapAfter returns the time to the next call: the gap or, if it is negative, the last RetryAfter or
// 1 ns less.
func gapAfter(gap int64, retry time.Duration) time.Duration {
	switch {
	case gap >= 0:
		return time.Duration(gap)
	case gap%2 == 0 || retry == 0:
		return retry
	}
	return retry - 1
}

// maxInWindow returns the largest number of instants in any half-open interval of the length.
func maxInWindow(instants []time.Duration, length time.Duration) (n int) {
	for i := range instants {
		for j := i; j < len(instants) && instants[j]-instants[i] < length; j++ {
			n = max(n, j-i+1)
		}
	}
	return n
}

var windowed = []struct {
	limit  int
	window time.Duration
}{{1, 1}, {1, time.Second}, {3, 10}, {10, time.Second}, {7, 999_999_937}, {100, 2 * time.Hour}}

func windowTrace(seed uint64, limit int, window time.Duration, n int) []int64 {
	return trace(rand.New(rand.NewPCG(seed, uint64(limit))), float64(window)/float64(limit), n)
}

func TestAdmittedCallsDoNotAllocate(t *testing.T) {
	for _, s := range []string{
		"none", "token_bucket:burst=1000", "leaky_bucket:queue=0,rate=1000000000",
		"fixed_window:limit=1000", "sec_ban:limit=1,window=1ns",
		"concurrency_cap", "conn_pool", "flaky:errors=0,spikes=0", "freeze:stop=0s", "brownout",
		"sliding_window:limit=1,window=1ns", "deaf_server:service=0s", "tenant_quota:burst=1000",
	} {
		target := build(t, s)
		calls := 0
		call := func() {
			if err := target.Call(t.Context(), 1, nothing); err != nil {
				t.Fatal(s, err)
			}
			calls++
		}
		call() // the log of a sliding window grows with its first calls
		if n := testing.AllocsPerRun(100, call); n != 0 {
			t.Errorf("%s: %v allocations for a call that is admitted at once", s, n)
		}
	}
}

func TestImpossibleParameters(t *testing.T) {
	for in, want := range map[string]string{
		"leaky_bucket:rate=0": "rate: must be above 0 and at most 1000000000 " +
			"per second, got 0",
		"leaky_bucket:queue=-1": "queue: must be at least 0 and at most " +
			"9223372036854775806, got -1",
		"leaky_bucket:queue=9223372036854775807": "queue: must be at least 0 and at most " +
			"9223372036854775806",
		"leaky_bucket:rate=0.1,queue=999999999999": "queue: a bucket of 1000000000000 at 0.1 per " +
			"second would take more than 73 years to fill",
		"fixed_window:limit=0":         "limit: must be at least 1, got 0",
		"fixed_window:window=0s":       "window: must be positive and at most 640511h, got 0s",
		"fixed_window:window=2000000h": "window: must be positive and at most",
		"sliding_window:limit=-1":      "limit: must be at least 1, got -1",
		"sliding_window:window=0s":     "window: must be positive",
		"sliding_window:limit=10000001": "limit: must be at most 10000000, since each of the " +
			"calls is remembered, got 10000001",
		"sec_ban:limit=0":            "limit: must be at least 1",
		"sec_ban:tolerance=-1":       "tolerance: must be at least 0, got -1",
		"sec_ban:ban=0s":             "ban: must be positive",
		"tenant_quota:burst=0":       "burst: must be at least 1, got 0",
		"tenant_quota:rate=0":        "rate: must be above 0",
		"concurrency_cap:limit=0":    "limit: must be at least 1, got 0",
		"conn_pool:conns=0":          "conns: must be at least 1, got 0",
		"flaky:errors=1.1":           "errors: must be from 0 to 1, got 1.1",
		"flaky:spikes=-0.5":          "spikes: must be from 0 to 1, got -0.5",
		"flaky:poison=2":             "poison: must be from 0 to 1, got 2",
		"freeze:period=0s":           "period: must be positive",
		"freeze:period=1s,stop=1s":   "stop: must be less than the period, 1s, got 1s",
		"deaf_server:slots=0":        "slots: must be from 1 to 10000, got 0",
		"deaf_server:queue=-1":       "queue: must be from 0 to 1000000, got -1",
		"deaf_server:patience=0s":    "patience: must be above 0, got 0s",
		"brownout:knee=-1":           "knee: must be at least 0, got -1",
		"brownout:slope=-1":          "slope: must be from 0 to 1000000, got -1",
		"brownout:later=-1,after=1s": "later: must be at least 0, got -1",
		"brownout:later=2":           "later and after: want both above 0, or neither, got 2 and 0s",
		"brownout:after=2s":          "later and after: want both above 0, or neither, got 0 and 2s",
		"brownout:slope=2e6":         "slope: must be from 0 to 1000000, got 2000000",
	} {
		name, _, _ := strings.Cut(in, ":")
		if v, err := parse(in); err == nil ||
			!strings.HasPrefix(err.Error(), "target "+name+": "+want) {
			t.Errorf("%s: %v, %v; want the error %s", in, v, err, want)
		}
	}
}
