package targets

import (
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"
	"time"

	"github.com/poolbench/poolbench/bench/dist"
	"github.com/poolbench/poolbench/bench/param"
)

var _ = register(Spec{
	Name: "token_bucket",
	Summary: "refuses calls above a rate, but allows bursts, and reports when the next call " +
		"would be served",
	Source:     "Turner, New directions in communications, 1986; as GCRA in ITU-T I.371",
	RateLimits: true,
	Rate:       func(v param.Values) float64 { return v.Float("rate") },
	Counts:     counters(),
	Keys: []param.Key{
		{Name: "rate", Kind: param.Float, Default: "100",
			Doc: "calls served per second on average, up to 6 decimals"},
		{Name: "burst", Kind: param.Int, Default: "10",
			Doc: "calls served at once after a pause, at least 1"},
	},
	New: func(_ uint64, v param.Values) (Target, error) {
		return limitedBy(NewTokenBucket(v.Float("rate"), v.Int("burst")))
	},
})

// A TokenBucket is a Policy that admits a call if its bucket contains a token, and removes the
// token. The bucket holds up to burst tokens, starts full, and fills continuously at the rate.
//
// Its state is the time F at which the bucket will be full (the theoretical arrival time of GCRA).
// With the time T = 1/rate per token, the bucket contains a token at now if and only if
//
//	F − (burst−1)·T ≤ now
//
// Removing a token sets F to max(F, now) + T. T may not be whole nanoseconds, but T = 10⁹·den/num
// for integers num and den. Times are stored as nanoseconds and a number of num-ths of a
// nanosecond, so there is no drift. Times up to two centuries after the origin are valid.
type TokenBucket struct {
	num      uint64  // numerator of the rate, and denominator of the fractions of a nanosecond
	perToken uint64  // T in num-ths of a nanosecond; at most 10¹⁵
	burst    uint64  // at least 1
	token    instant // T
	reserve  instant // (burst−1)·T
	full     instant // F
}

// ns + frac/num nanoseconds, 0 ≤ frac < num
type instant struct {
	ns   int64
	frac uint64
}

// maxFill is the longest time to fill a bucket, 73 years. It keeps sums of times within an int64.
const maxFill = 1 << 61

// NewTokenBucket returns a full bucket. rate is in calls per second, above 0, at most 10⁹, with up
// to six decimals. burst is at least 1.
func NewTokenBucket(rate float64, burst int) (*TokenBucket, error) {
	if burst < 1 {
		return nil, fmt.Errorf("burst: must be at least 1, got %d", burst)
	}
	return newBucket(rate, uint64(burst), "burst")
}

// key names the size in errors.
func newBucket(rate float64, size uint64, key string) (*TokenBucket, error) {
	if !(rate > 0 && rate <= 1e9) {
		return nil, fmt.Errorf("rate: must be above 0 and at most 1000000000 per second, got %v",
			rate)
	}
	// The shortest decimal of a float64 is the number that the user typed: 0.1 is 1/10.
	num, denom := fraction(rate)
	if denom == 0 || denom > 1e6 {
		return nil, fmt.Errorf("rate: must have at most 6 decimals, got %v", rate)
	}
	b := &TokenBucket{num: num, burst: size}
	b.perToken = denom * uint64(time.Second)
	b.token = b.tokens(1)
	hi, lo := bits.Mul64(b.perToken, size)
	if hi < b.num {
		if fill, _ := bits.Div64(hi, lo, b.num); fill <= maxFill {
			b.reserve = b.tokens(size - 1)
			return b, nil
		}
	}
	return nil, fmt.Errorf("%s: a bucket of %d at %s per second would take more than %.0f years "+
		"to fill", key, size, dist.FormatFloat(rate),
		math.Floor(maxFill/(365.25*24*float64(time.Hour))))
}

// fraction returns the shortest decimal of 0 < x ≤ 1e9 in lowest terms. denom is 0 if it has more
// than 19 decimals, whose fraction has a denominator above 2¹⁹.
func fraction(x float64) (num, denom uint64) {
	whole, decimals, _ := strings.Cut(strconv.FormatFloat(x, 'f', -1, 64), ".")
	num, err := strconv.ParseUint(whole+decimals, 10, 64)
	if err != nil || len(decimals) > 19 {
		return 0, 0
	}
	denom = 1
	for range decimals {
		denom *= 10
	}
	a, b := num, denom
	for b != 0 {
		a, b = b, a%b
	}
	return num / a, denom / a
}

func (b *TokenBucket) tokens(n uint64) instant {
	hi, lo := bits.Mul64(b.perToken, n)
	ns, frac := bits.Div64(hi, lo, b.num)
	return instant{int64(ns), frac}
}

// Admit implements Policy.
func (b *TokenBucket) Admit(now time.Duration) Decision {
	if due := b.due(); due > int64(now) {
		return Decision{RetryAfter: time.Duration(due) - now}
	}
	if b.full.ns < int64(now) { // already full, so the fraction does not matter
		b.full = instant{ns: int64(now)}
	}
	b.full = b.full.plus(b.token, b.num)
	return Decision{Admitted: true}
}

func (b *TokenBucket) due() int64 { return b.full.minus(b.reserve) }

// Quota implements Policy.
func (b *TokenBucket) Quota(now time.Duration) Quota {
	q := Quota{Limit: int(b.burst), Remaining: int(b.burst),
		Window: time.Duration(b.reserve.plus(b.token, b.num).ceil())}
	ahead := b.full.ns - int64(now)
	if ahead < 0 || ahead == 0 && b.full.frac == 0 {
		return q
	}
	// ⌈(F−now)/T⌉ tokens are missing, at least 1. The next token is there at F − (missing−1)·T.
	hi, lo := bits.Mul64(uint64(ahead), b.num)
	lo, carry := bits.Add64(lo, b.full.frac, 0)
	missing, rest := bits.Div64(hi+carry, lo, b.perToken)
	if rest > 0 {
		missing++
	}
	q.Remaining -= int(missing)
	q.Reset = time.Duration(b.full.minus(b.tokens(missing-1))) - now
	return q
}

func (i instant) plus(j instant, num uint64) instant {
	sum := instant{i.ns + j.ns, i.frac + j.frac}
	if sum.frac >= num {
		sum.ns++
		sum.frac -= num
	}
	return sum
}

// minus rounds up to a nanosecond.
func (i instant) minus(j instant) int64 {
	ns := i.ns - j.ns
	if i.frac > j.frac {
		// A positive difference of fractions is rounded up. A negative one borrows a nanosecond,
		// and rounding up returns it.
		ns++
	}
	return ns
}

func (i instant) ceil() int64 { return i.minus(instant{}) }
