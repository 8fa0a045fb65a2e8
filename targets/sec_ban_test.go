package targets_test

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/poolbench/poolbench/targets"
)

// banOracle stores all times and applies the rule directly.
type banOracle struct {
	limit, tolerance int
	window, ban      time.Duration
	counted          []time.Duration // served calls; during a ban, calls within the limit
	inARow           int             // number of refusals
	banned           bool
	exceeded         time.Duration // last time that the limit was exceeded during this ban
}

func (o *banOracle) admit(now time.Duration) (refused bool, why targets.Refusal) {
	if o.banned && now-o.exceeded >= o.ban {
		o.banned, o.inARow, o.counted = false, 0, nil
	}
	within := slidingRule(o.limit, o.window)(o.counted, now)
	if within {
		o.counted = append(o.counted, now)
	}
	if !o.banned && within {
		o.inARow = 0
		return false, 0
	}
	if !o.banned {
		o.inARow++
		o.banned = o.inARow > o.tolerance
	}
	if !o.banned {
		return true, targets.TooMany
	}
	if !within {
		o.exceeded = now
	}
	return true, targets.Banned
}

func (o *banOracle) retryAfter(now time.Duration) time.Duration {
	if o.banned {
		return o.exceeded + o.ban - now
	}
	for _, at := range o.counted {
		if at+o.window > now && slidingRule(o.limit, o.window)(o.counted, at+o.window) {
			return at + o.window - now
		}
	}
	panic("no slot ever")
}

func newSECBan(
	t testing.TB, limit int, window time.Duration, tolerance int, ban time.Duration,
) *targets.SECBan {
	t.Helper()
	p, err := targets.NewSECBan(limit, window, tolerance, ban)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func checkSECBan(
	t *testing.T, limit int, window time.Duration, tolerance int, ban time.Duration, gaps []int64,
) (served []time.Duration, bans int64) {
	t.Helper()
	p := newSECBan(t, limit, window, tolerance, ban)
	o := &banOracle{limit: limit, tolerance: tolerance, window: window, ban: ban}
	var now, retry time.Duration
	var banned int64
	for i, gap := range gaps {
		now += gapAfter(gap, retry)
		before := o.banned && now-o.exceeded < ban
		d := admitAndCheck(t, p, now)
		refused, why := o.admit(now)
		if d.Admitted == refused || d.Refusal != why || refused &&
			d.RetryAfter != o.retryAfter(now) {
			t.Fatalf("call %d at %d: %+v, by the oracle refused %v (%v)", i, now, d, refused, why)
		}
		if retry = d.RetryAfter; d.Admitted {
			served = append(served, now)
		}
		if why == targets.Banned {
			if banned++; !before {
				bans++
			}
		}
	}
	if got, want := fmt.Sprint(p.Counts()),
		fmt.Sprint([]targets.Count{{"bans", bans}, {"banned-calls", banned}}); got != want {
		t.Fatalf("%s, want %s", got, want)
	}
	return served, bans
}

func TestSECBanEqualsTheOracle(t *testing.T) {
	var bans int64
	for i, c := range windowed {
		for _, tolerance := range []int{0, 1, 10} {
			for _, ban := range []time.Duration{1, c.window, 5 * c.window} {
				served, n := checkSECBan(t, c.limit, c.window, tolerance, ban,
					windowTrace(uint64(i), c.limit, c.window, 600))
				if ban >= c.window && maxInWindow(served, c.window) > c.limit {
					// after a shorter ban the window starts empty
					t.Errorf("limit %d in %v: %d served", c.limit, c.window, maxInWindow(served, c.window))
				}
				bans += n
			}
		}
	}
	if bans == 0 {
		t.Error("no trace leads to a ban")
	}
}

func FuzzSECBan(f *testing.F) {
	f.Add(uint16(10), uint64(time.Second), uint8(3), uint64(time.Minute), uint64(1))
	f.Add(uint16(1), uint64(1), uint8(0), uint64(1), uint64(2))
	f.Fuzz(func(t *testing.T, limit uint16, window uint64, tolerance uint8, ban, seed uint64) {
		n, w := 1+int(limit%50), time.Duration(1+window%(1<<50))
		checkSECBan(t, n, w, int(tolerance%20), time.Duration(1+ban%(1<<52)),
			windowTrace(seed, n, w, 150))
	})
}

func refusal(t testing.TB, target targets.Target) *targets.Throttled {
	t.Helper()
	var r *targets.Throttled
	if err := target.Call(t.Context(), 0, nothing); err != nil && !errors.As(err, &r) {
		t.Fatal(err)
	}
	return r
}

func TestSECBanStory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		target := build(t, "sec_ban")
		expect := func(n int, want *targets.Throttled) {
			t.Helper()
			for i := range n {
				got := refusal(t, target)
				if (got == nil) != (want == nil) || got != nil && *got != *want {
					t.Fatalf("call %d of %d: %v, want %v", i, n, got, want)
				}
			}
		}
		banned := func(d time.Duration) *targets.Throttled {
			return &targets.Throttled{RetryAfter: d, Refusal: targets.Banned}
		}
		for range 100 { // a client that waits for the retry time is never banned
			expect(10, nil)
			expect(10, &targets.Throttled{RetryAfter: time.Second})
			time.Sleep(time.Second)
		}
		expect(10, nil)
		expect(10, &targets.Throttled{RetryAfter: time.Second})
		expect(50, banned(10*time.Minute))

		time.Sleep(5 * time.Minute) // calls within the limit do not extend the ban
		expect(10, banned(5*time.Minute))
		expect(1, banned(10*time.Minute)) // calls above the limit do
		time.Sleep(10*time.Minute - 1)
		expect(1, banned(1))
		time.Sleep(time.Nanosecond)
		expect(10, nil)
		expect(10, &targets.Throttled{RetryAfter: time.Second})
		want := "[{admitted-calls 1020} {refused-calls 1082} {abandoned-calls 0} {bans 1} " +
			"{banned-calls 62}]"
		if got := fmt.Sprint(target.(targets.Counted).Counts()); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	})
}
