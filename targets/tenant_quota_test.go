package targets_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/poolbench/poolbench/targets"
)

func quotas(t testing.TB, s string) targets.Tenanted {
	t.Helper()
	return build(t, s).(targets.Tenanted)
}

func callOf(t testing.TB, q targets.Tenanted, tenant int32) *targets.Throttled {
	t.Helper()
	err := q.CallOf(t.Context(), tenant, 0, nothing)
	refused, _ := errors.AsType[*targets.Throttled](err)
	if err != nil && refused == nil {
		t.Fatal(err)
	}
	return refused
}

// Each tenant must be served as by a token_bucket of its own.
func TestTenantQuota(t *testing.T) {
	for _, c := range []struct {
		rate    float64
		burst   int
		tenants []int32
		gap     time.Duration // mean between calls
	}{
		{100, 10, []int32{0, 1, 2, 3, 4, 5, 6, 7}, time.Millisecond},
		{3, 1, []int32{0}, 100 * time.Millisecond},
		{0.1, 2, []int32{-1, math.MinInt32, math.MaxInt32}, time.Second},
		{7.3, 4, []int32{5, 5, 5, 5, 5, 5, 5, 9}, 20 * time.Millisecond},
	} {
		synctest.Test(t, func(t *testing.T) {
			q := quotas(t, fmt.Sprintf("tenant_quota:rate=%v,burst=%d", c.rate, c.burst))
			alone := map[int32]*targets.TokenBucket{}
			r, began, served := rand.New(rand.NewPCG(1, 2)), time.Now(), map[int32]int{}
			for range 2000 {
				if r.IntN(4) > 0 { // one call in four is simultaneous with the previous call
					time.Sleep(time.Duration(r.Int64N(2 * int64(c.gap))))
				}
				tenant := c.tenants[r.IntN(len(c.tenants))]
				if alone[tenant] == nil {
					alone[tenant], _ = targets.NewTokenBucket(c.rate, c.burst)
				}
				now := time.Since(began)
				if got, want := q.QuotaOf(tenant), alone[tenant].Quota(now); got != want {
					t.Fatalf("%+v: tenant %d has left %+v, want %+v", c, tenant, got, want)
				}
				want, got := alone[tenant].Admit(now), callOf(t, q, tenant)
				if (got == nil) != want.Admitted || got != nil &&
					*got != (targets.Throttled{RetryAfter: want.RetryAfter}) {
					t.Fatalf("%+v: tenant %d at %v: %v, want %+v", c, tenant, now, got, want)
				}
				if got == nil {
					served[tenant]++
				}
			}
			for tenant, n := range served { // at most burst + rate × time
				most := float64(c.burst) + c.rate*time.Since(began).Seconds()
				if float64(n) > most {
					t.Errorf("%+v: tenant %d is served %d times, more than %v", c, tenant, n, most)
				}
			}
		})
	}
}

func TestTenantQuotaAtOneInstant(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := quotas(t, "tenant_quota:rate=1,burst=3")
		var served [5]atomic.Int64
		var wg sync.WaitGroup
		for tenant := range served {
			for range 2 * tenant {
				wg.Go(func() {
					if callOf(t, q, int32(tenant)) == nil {
						served[tenant].Add(1)
					}
				})
			}
		}
		wg.Wait()
		for tenant := range served {
			if n := served[tenant].Load(); n != int64(min(2*tenant, 3)) {
				t.Errorf("tenant %d: %d of %d served", tenant, n, 2*tenant)
			}
		}
		if got, want := fmt.Sprint(q.(targets.Counted).Counts()),
			"[{admitted-calls 11} {refused-calls 9} {abandoned-calls 0}]"; got != want {
			t.Errorf("%s, want %s", got, want)
		}
	})
}

// At most 100,000 tenants may have buckets that are not full.
func TestTenantQuotaForgets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := quotas(t, "tenant_quota:rate=1,burst=1")
		for tenant := range int32(100_000) {
			if r := callOf(t, q, tenant); r != nil {
				t.Fatalf("tenant %d: %v", tenant, r)
			}
			if tenant == 49_999 {
				time.Sleep(time.Second / 2)
			}
		}
		unavailable := targets.Throttled{Refusal: targets.Unavailable}
		for at, wait := range []time.Duration{0, time.Second/2 - 1} {
			time.Sleep(wait)
			if r := callOf(t, q, -1); r == nil || *r != unavailable {
				t.Errorf("%d: one tenant too many: %v", at, r)
			}
			if r := callOf(t, q, 0); r == nil || r.RetryAfter <= 0 {
				t.Errorf("%d: a known tenant without a token: %v", at, r)
			}
		}
		time.Sleep(time.Nanosecond) // the first half is full again
		for tenant := range int32(50_000) {
			if r := callOf(t, q, -1-tenant); r != nil {
				t.Fatalf("a new tenant: %v", r)
			}
		}
		if r := callOf(t, q, 99_999); r == nil || r.RetryAfter != time.Second/2 {
			t.Errorf("a tenant of the second half: %v", r)
		}
		if r := callOf(t, q, -60_000); r == nil || *r != unavailable {
			t.Errorf("one tenant too many: %v", r)
		}
	})
}

func TestTenantQuotaOverHTTP(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		worked := 0
		h := targets.Handler(build(t, "tenant_quota:rate=0.1,burst=2"),
			func(context.Context, uint64) error { worked++; return nil })
		ask := func(field string) *http.Response {
			r := httptest.NewRequest(http.MethodGet, "/", nil)
			if field != "" {
				r.Header.Set("X-Tenant-ID", field)
			}
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			return w.Result()
		}
		for _, c := range []struct {
			tenant string
			status int
			left   string
		}{
			{"7", 200, `"default";r=1;t=10`}, {"7", 200, `"default";r=0;t=10`},
			{"7", 429, `"default";r=0;t=10`}, {"-3", 200, `"default";r=1;t=10`},
			{"", 200, `"default";r=1;t=10`}, {"0", 200, `"default";r=0;t=10`}, {"", 429, ""},
			{"acme", 400, ""}, {"2147483648", 400, ""}, {"7, 8", 400, ""},
		} {
			r := ask(c.tenant)
			if got := r.Header.Get("RateLimit"); r.StatusCode != c.status ||
				c.left != "" && got != c.left {
				t.Errorf("tenant %q: %d with %s", c.tenant, r.StatusCode, got)
			}
			if got, want := r.Header.Get("Retry-After"),
				map[int]string{429: "10"}[c.status]; got != want {
				t.Errorf("tenant %q: come again after %q, want %q", c.tenant, got, want)
			}
		}
		if got, want := text(t, ask("acme")),
			"X-Tenant-Id: want a whole number such as 3, got \"acme\"\n"; got != want ||
			worked != 5 {
			t.Errorf("%q, want %q; worked %d times", got, want, worked)
		}
		plain := targets.Handler(build(t, "none"), nothing)
		w := httptest.NewRecorder()
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Header.Set(targets.TenantField, "acme")
		if plain.ServeHTTP(w, r); w.Code != 200 {
			t.Errorf("a target without tenants asks for them: %d", w.Code)
		}
	})
}
