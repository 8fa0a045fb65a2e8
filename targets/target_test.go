package targets_test

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/targets"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func parse(s string) (targets.Variant, error) {
	call, err := param.Parse(s)
	if err != nil {
		return targets.Variant{}, err
	}
	return targets.Resolve(call)
}

func build(t testing.TB, s string) targets.Target {
	t.Helper()
	v, err := parse(s)
	if err != nil {
		t.Fatal(err)
	}
	target, err := v.Spec.Build(1, v.Values)
	if err != nil {
		t.Fatal(err)
	}
	return target
}

func nothing(context.Context, uint64) error { return nil }

func TestEverySpecIsListable(t *testing.T) {
	for _, s := range targets.All() {
		if s.Summary == "" || strings.ContainsAny(s.Summary, "\n|") {
			t.Errorf("%s: summary %q does not fit a line of a table", s.Name, s.Summary)
		}
		for _, k := range s.Keys {
			if k.Doc == "" || k.Default == "" {
				t.Errorf("%s: parameter %s wants a default and a line of documentation", s.Name,
					k.Name)
			}
		}
		build(t, s.Name)
	}
	limiters := 0
	for _, s := range targets.All() {
		if s.RateLimits {
			limiters++
			if _, metered := build(t, s.Name).(targets.Metered); !metered {
				t.Errorf("%s limits a rate and does not say what is left", s.Name)
			}
		}
	}
	if s, err := targets.Lookup("none"); limiters != 6 || err != nil || s.RateLimits {
		t.Errorf("%d targets limit a rate, want 6, and none not among them", limiters)
	}
}

var unitForm = regexp.MustCompile(`^[a-z]+(-[a-z]+)*$`)

func TestCountsAreAsDeclared(t *testing.T) {
	docs := map[string]targets.Counter{}
	for _, s := range targets.All() {
		target := build(t, s.Name)
		counted, is := target.(targets.Counted)
		if is != (len(s.Counts) > 0) {
			t.Errorf("%s is Counted: %v, and declares %v", s.Name, is, s.Counts)
		}
		if !is {
			continue
		}
		for _, c := range s.Counts {
			if known, again := docs[c.Name]; !unitForm.MatchString(c.Name) || c.Doc == "" ||
				again && known != c {
				t.Errorf("%s: the counter %+v is out of form, or elsewhere %+v", s.Name, c, known)
			}
			docs[c.Name] = c
		}
		synctest.Test(t, func(t *testing.T) {
			var wg sync.WaitGroup
			ended, cancel := context.WithCancel(t.Context())
			cancel()
			for i := range uint64(100) {
				wg.Go(func() {
					ctx := t.Context()
					if i%10 == 0 {
						ctx = ended
					}
					_ = target.Call(ctx, i, sleeps(time.Millisecond))
					_ = counted.Counts() // during calls
				})
			}
			wg.Wait()
		})
		counts := counted.Counts()
		if sum := counts[0].Value + counts[1].Value + counts[2].Value; sum != 100 ||
			counts[2].Value != 10 || counts[0].Value == 0 {
			t.Errorf("%s: 100 calls, 10 of them without a client, are counted as %v", s.Name,
				counts)
		}
		for i, c := range counts {
			if len(counts) != len(s.Counts) || c.Name != s.Counts[i].Name {
				t.Fatalf("%s counts %v and declares %v", s.Name, counts, s.Counts)
			}
		}
	}
}

func TestRefusals(t *testing.T) {
	for r, want := range map[targets.Refusal]struct {
		name   string
		status int
	}{targets.TooMany: {"too many calls", 429}, targets.Unavailable: {"unavailable", 503},
		targets.Banned: {"banned", 403}} {
		if r.String() != want.name || r.Status() != want.status ||
			!errors.Is(&targets.Throttled{Refusal: r}, targets.ErrThrottled) {
			t.Errorf("%d is %q with status %d", r, r, r.Status())
		}
	}
}

func TestCanonicalVariants(t *testing.T) {
	for in, want := range map[string]string{
		"none":                             "none",
		"token_bucket":                     "token_bucket",
		"token_bucket:burst=10,rate=100.0": "token_bucket",
		"token_bucket:burst=5,rate=50":     "token_bucket:rate=50,burst=5",
	} {
		if v, err := parse(in); err != nil || v.String() != want {
			t.Errorf("%s is spelt %v, %v; want %s", in, v, err, want)
		}
	}
}

func TestEveryTargetServesTheWorkItWasGiven(t *testing.T) {
	type key struct{}
	ctx, failure := context.WithValue(context.Background(), key{}, 1), errors.New("the work failed")
	for _, s := range targets.All() {
		calls := 0
		err := build(t, s.Name).Call(ctx, 42, func(c context.Context, seq uint64) error {
			calls++
			if c.Value(key{}) != 1 || seq != 42 {
				t.Errorf("%s: the work is number %d, with another context", s.Name, seq)
			}
			return failure
		})
		if calls != 1 || !errors.Is(err, failure) || errors.Is(err, targets.ErrThrottled) {
			t.Errorf("%s: %d calls of the work, error %v", s.Name, calls, err)
		}
	}
}

func TestThrottledRetryAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		target := build(t, "token_bucket:rate=4,burst=2")
		ctx := context.Background()
		time.Sleep(time.Hour) // the clock starts at the first call, with a full bucket
		for range 2 {
			if err := target.Call(ctx, 0, nothing); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(50 * time.Millisecond)
		worked := false
		err := target.Call(ctx, 0, func(context.Context, uint64) error {
			worked = true
			return nil
		})
		var throttled *targets.Throttled
		if !errors.As(err, &throttled) || !errors.Is(err, targets.ErrThrottled) ||
			throttled.RetryAfter != 200*time.Millisecond {
			t.Fatalf("refused with %v, want a retry after 200ms", err)
		}
		if want := "throttled: refused by the target, retry after 200ms"; err.Error() != want ||
			worked {
			t.Errorf("the refusal reads %q, want %q; worked: %v", err, want, worked)
		}
		time.Sleep(throttled.RetryAfter - 1)
		if err := target.Call(ctx, 0, nothing); !errors.As(err, &throttled) ||
			throttled.RetryAfter != 1 {
			t.Errorf("a nanosecond early: %v", err)
		}
		time.Sleep(time.Nanosecond)
		if err := target.Call(ctx, 0, nothing); err != nil {
			t.Errorf("on time: %v", err)
		}
	})
}

func TestEndedContextTakesNoToken(t *testing.T) {
	target := build(t, "token_bucket:rate=0.000001,burst=1")
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if err := target.Call(ended, 0, nothing); !errors.Is(err, context.Canceled) {
		t.Errorf("with an ended context: %v", err)
	}
	if err := target.Call(context.Background(), 0, nothing); err != nil {
		t.Errorf("the token is gone: %v", err)
	}
}

// A target must not hold a lock during the work.
func TestConcurrentCallsShareTheBucket(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		target := build(t, "token_bucket:rate=10,burst=5")
		began := time.Now()
		var served, refused atomic.Int64
		var wg sync.WaitGroup
		for g := range 20 {
			wg.Go(func() {
				for range 50 {
					err := target.Call(context.Background(), uint64(g),
						func(context.Context, uint64) error {
							time.Sleep(20 * time.Millisecond)
							return nil
						})
					switch {
					case err == nil:
						served.Add(1)
					case errors.Is(err, targets.ErrThrottled):
						refused.Add(1)
						time.Sleep(20 * time.Millisecond)
					default:
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
		// Each goroutine calls every 20 ms, last at 980 ms, so 5 + ⌊0.98·10⌋ calls are admitted.
		if elapsed := time.Since(began); elapsed != time.Second || served.Load() != 14 ||
			refused.Load() != 1000-14 {
			t.Errorf("%d served and %d refused in %v", served.Load(), refused.Load(), elapsed)
		}
	})
}

func FuzzParseVariant(f *testing.F) {
	for _, s := range []string{"none", "none:x=1", "token_bucket", "token_bucket:rate=3,burst=1",
		"token_bucket:rate=1e-6", "token_bucket:rate=1e999", "token_bucket:burst=1.5",
		"leaky_bucket:queue=0", "sliding_window:limit=3,window=1ns", "sec_ban:ban=1h,tolerance=0",
		"flaky:spike=lognormal(1ms,4)", "brownout:slope=1e-3", "freeze:stop=0s"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		v, err := parse(s)
		if err != nil {
			if strings.ContainsAny(err.Error(), "\n\r") {
				t.Fatalf("error of several lines: %q", err)
			}
			return
		}
		again, err := parse(v.String())
		if err != nil || again.String() != v.String() {
			t.Fatalf("%q is spelt %q, which reads back as %q, %v", s, v, again, err)
		}
	})
}
