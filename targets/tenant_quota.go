package targets

import (
	"context"
	"math"
	"sync"

	"github.com/poolbench/poolbench/bench/param"
)

var _ = register(Spec{
	Name: "tenant_quota",
	Summary: "refuses the calls of a tenant above a rate of its own, whatever the others do, " +
		"and reports when the next one would be served",
	Source:     "quotas by tenant or by key, as of AWS API Gateway's usage plans: token buckets",
	RateLimits: true,
	Counts:     counters(),
	Keys: []param.Key{
		{Name: "rate", Kind: param.Float, Default: "100",
			Doc: "calls of a tenant served per second in the long run, up to 6 decimals"},
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

// tenantQuota has a TokenBucket per tenant, initially full. A full bucket equals none, so full ones
// are forgotten when there are many. When mostBuckets are not full, a new tenant is refused as
// Unavailable until one is. A call costs one bucket operation and a map lookup.
type tenantQuota struct {
	calls
	clock clock

	mu      sync.Mutex
	fresh   TokenBucket
	buckets map[int32]*TokenBucket
	sweep   int   // tenants from which on those with full buckets are forgotten
	room    int64 // no bucket is full before that instant
}

const (
	mostBuckets = 100_000 // 12 MB: over HTTP a tenant is what a client says
	leastSwept  = 1024
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

// decide reads the clock under the lock, so that no bucket sees it go back.
func (q *tenantQuota) decide(tenant int32) Decision {
	q.mu.Lock()
	defer q.mu.Unlock()
	now := q.clock.now()
	if b := q.buckets[tenant]; b != nil {
		return b.Admit(now)
	}
	if len(q.buckets) >= max(q.sweep, leastSwept) && int64(now) >= q.room {
		q.forget(int64(now))
	}
	if len(q.buckets) == mostBuckets {
		return Decision{Refusal: Unavailable}
	}
	b := new(TokenBucket)
	*b = q.fresh
	q.buckets[tenant] = b
	d := b.Admit(now)
	q.room = min(q.room, b.full.up())
	return d
}

// forget lets go of the tenants whose buckets are full. It looks again when there are twice as many
// as it leaves, so that a call costs the same however many there are.
func (q *tenantQuota) forget(now int64) {
	q.room = math.MaxInt64
	for tenant, b := range q.buckets {
		if full := b.full.up(); full <= now {
			delete(q.buckets, tenant)
		} else {
			q.room = min(q.room, full)
		}
	}
	q.sweep = min(2*len(q.buckets), mostBuckets)
}

// Quota implements Metered, for tenant 0.
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
