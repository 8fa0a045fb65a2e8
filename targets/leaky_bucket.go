package targets

import (
	"fmt"
	"math"
	"time"

	"github.com/poolbench/poolbench/bench/param"
)

var _ = register(Spec{
	Name: "leaky_bucket",
	Summary: "serves calls one by one at a rate: a burst waits in a short queue, and further " +
		"calls are refused",
	Source:     "nginx limit_req; GCRA in ITU-T I.371",
	RateLimits: true,
	Rate:       func(v param.Values) float64 { return v.Float("rate") },
	Counts:     counters(delayedCalls),
	Keys: []param.Key{
		{Name: "rate", Kind: param.Float, Default: "100",
			Doc: "calls served per second, up to 6 decimals"},
		{Name: "queue", Kind: param.Int, Default: "10",
			Doc: "length of the queue; 0: refuse a call that comes too early"},
	},
	New: func(_ uint64, v param.Values) (Target, error) {
		return limitedBy(NewLeakyBucket(v.Float("rate"), v.Int("queue")))
	},
})

// A LeakyBucket is a Policy that serves calls at distances of at least 1/rate. Calls wait in a
// bounded queue, and are refused if the queue is full. It admits the same calls as a TokenBucket
// with burst queue+1. The turn of a call that gives up is lost.
type LeakyBucket struct {
	bucket  *TokenBucket
	delayed int64
}

// NewLeakyBucket returns an empty bucket. rate is as for NewTokenBucket. queue is at least 0.
func NewLeakyBucket(rate float64, queue int) (*LeakyBucket, error) {
	if queue < 0 || queue == math.MaxInt {
		return nil, fmt.Errorf("queue: must be at least 0 and at most %d, got %d",
			math.MaxInt-1, queue)
	}
	b, err := newBucket(rate, uint64(queue)+1, "queue")
	if err != nil {
		return nil, err
	}
	return &LeakyBucket{bucket: b}, nil
}

// Admit implements Policy.
func (b *LeakyBucket) Admit(now time.Duration) Decision {
	turn := time.Duration(b.bucket.full.ceil())
	d := b.bucket.Admit(now)
	if d.Admitted && turn > now {
		d.Wait = turn - now
		b.delayed++
	}
	return d
}

// Quota implements Policy. Its Limit includes one call that is served at once.
func (b *LeakyBucket) Quota(now time.Duration) Quota { return b.bucket.Quota(now) }

// Counts returns the number of delayed calls.
func (b *LeakyBucket) Counts() []Count { return []Count{{delayedCalls.Name, b.delayed}} }
