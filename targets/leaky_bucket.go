package targets

import (
	"fmt"
	"math"
	"time"

	"github.com/poolbench/poolbench/bench/param"
)

// With the defaults, 100 per second and a queue of 10, a call waits for a tenth of a second at
// most.
var _ = register(Spec{
	Name: "leaky_bucket",
	Summary: "serves calls one by one at a rate: a burst waits its turn in a short queue, and " +
		"calls that do not fit are refused",
	Source:     "nginx limit_req; GCRA in ITU-T I.371",
	RateLimits: true,
	Rate:       func(v param.Values) float64 { return v.Float("rate") },
	Counts:     counters(delayedCalls),
	Keys: []param.Key{
		{Name: "rate", Kind: param.Float, Default: "100",
			Doc: "calls served per second, up to 6 decimals"},
		{Name: "queue", Kind: param.Int, Default: "10",
			Doc: "calls that may wait for their turn: with 0, a call that comes too early is " +
				"refused"},
	},
	New: func(_ uint64, v param.Values) (Target, error) {
		return limitedBy(NewLeakyBucket(v.Float("rate"), v.Int("queue")))
	},
})

// A LeakyBucket is a Policy that lets calls out at even distances: each is served 1/rate after the
// one before, or when it comes if that is later. Until its turn it waits in a queue with a bounded
// number of slots, and is refused when they are taken.
//
// Which calls are admitted is the TokenBucket's decision for a burst of queue+1, and the same
// arithmetic: with F as there, a call's turn is at max(F, now), and it is admitted if that is no
// more than queue·T away. They differ in serving admitted calls: a token bucket serves a burst at
// once, a leaky bucket never does. A turn is rounded up to a whole nanosecond, the next one is
// counted from the exact instant, so there is no drift. A call that gives up does not give its turn
// back.
type LeakyBucket struct {
	bucket  *TokenBucket
	delayed int64
}

// NewLeakyBucket is an empty bucket. rate is as for NewTokenBucket; queue is at least 0. The error
// names the impossible one.
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
	turn := time.Duration(b.bucket.full.up())
	d := b.bucket.Admit(now)
	if d.Admitted && turn > now {
		d.Wait = turn - now
		b.delayed++
	}
	return d
}

// Quota implements Policy. Its Limit is one call that is served at once and a full queue.
func (b *LeakyBucket) Quota(now time.Duration) Quota { return b.bucket.Quota(now) }

// Counts returns the number of delayed calls.
func (b *LeakyBucket) Counts() []Count { return []Count{{delayedCalls.Name, b.delayed}} }
