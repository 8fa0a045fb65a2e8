package targets

import (
	"context"
	"math"
	"sync"

	"github.com/poolbench/poolbench/bench/param"
)

var _ = register(Spec{
	Name: "tenant_quota",
	Summary: "refuses the calls of a tenant above the tenant's own rate, independent of other " +
		"tenants, and reports when the next call would be served",
	Source:     "quotas by tenant or by key, as of AWS API Gateway's usage plans: token buckets",
	RateLimits: true,
	Counts:     counters(),
	Keys: []param.Key{
		{Name: "rate", Kind: param.Float, Default: "100",
			Doc: "calls of a tenant served per second on average, up to 6 decimals"},
		{Name: "burst", Kind: param.Int, Default: "10",
			Doc: "calls of a tenant served at once after a pause, at least 1"},
	},
	New: func(_ uint64, v param.Values) (Target, error) {
		b, err := NewTokenBucket(v.Float("rate"), v.Int("burst"))
		if err != nil {
			return nil, err
		}
		return &tenantQuota{fresh: *b, buckets: map[int32]*TokenBucket{}}, nil
	},
})

// tenantQuota has a TokenBucket per tenant, and deletes full ones. If maxBuckets buckets are in
// use, calls of new tenants are refused as Unavailable.
type tenantQuota struct {
	calls
	clock clock

	mu       sync.Mutex
	fresh    TokenBucket
	buckets  map[int32]*TokenBucket
	sweepAt  int   // number of buckets from which full ones are deleted
	nextFull int64 // no bucket is full before this time, in ns
}

const (
	maxBuckets = 100_000 // 12 MB; bounded because over HTTP any client can choose a tenant
	minSweep   = 1024
)

func (q *tenantQuota) Call(ctx context.Context, seq uint64, work Work) error {
	return q.CallOf(ctx, 0, seq, work)
}

func (q *tenantQuota) CallOf(ctx context.Context, tenant int32, seq uint64, work Work) error {
	if err := q.gone(ctx.Err()); err != nil {
		return err
	}
	if d := q.decide(tenant); !d.Admitted {
		q.refused.Add(1)
		return &Throttled{RetryAfter: d.RetryAfter, Refusal: d.Refusal}
	}
	q.admitted.Add(1)
	return work(ctx, seq)
}

func (q *tenantQuota) decide(tenant int32) Decision {
	q.mu.Lock()
	defer q.mu.Unlock()
	now := q.clock.now()
	if b := q.buckets[tenant]; b != nil {
		return b.Admit(now)
	}
	if len(q.buckets) >= max(q.sweepAt, minSweep) && int64(now) >= q.nextFull {
		q.deleteFull(int64(now))
	}
	if len(q.buckets) == maxBuckets {
		return Decision{Refusal: Unavailable}
	}
	b := new(TokenBucket)
	*b = q.fresh
	q.buckets[tenant] = b
	d := b.Admit(now)
	q.nextFull = min(q.nextFull, b.full.ceil())
	return d
}

// deleteFull runs when the number of buckets has doubled, so the cost per call is constant.
func (q *tenantQuota) deleteFull(now int64) {
	q.nextFull = math.MaxInt64
	for tenant, b := range q.buckets {
		if full := b.full.ceil(); full <= now {
			delete(q.buckets, tenant)
		} else {
			q.nextFull = min(q.nextFull, full)
		}
	}
	q.sweepAt = min(2*len(q.buckets), maxBuckets)
}

// Quota is that of tenant 0.
func (q *tenantQuota) Quota() Quota { return q.QuotaOf(0) }

func (q *tenantQuota) QuotaOf(tenant int32) Quota {
	q.mu.Lock()
	defer q.mu.Unlock()
	b := q.buckets[tenant]
	if b == nil {
		b = &q.fresh
	}
	return b.Quota(q.clock.now())
}
