package targets_test

import (
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/poolbench/poolbench/bench/dist"
	"github.com/poolbench/poolbench/targets"
)

// oracle is a token bucket in rational numbers.
type oracle struct {
	perNS, burst, tokens, last *big.Rat
}

func newOracle(rate string, burst int) *oracle {
	perSecond, ok := new(big.Rat).SetString(rate)
	if !ok {
		panic("the rate is no number: " + rate)
	}
	b := new(big.Rat).SetInt64(int64(burst))
	return &oracle{
		perNS: perSecond.Quo(perSecond, big.NewRat(1e9, 1)),
		burst: b, tokens: new(big.Rat).Set(b), last: new(big.Rat),
	}
}

func (o *oracle) admit(now time.Duration) (admitted bool, retryAfter *big.Int) {
	t, one := new(big.Rat).SetInt64(int64(now)), big.NewRat(1, 1)
	grown := new(big.Rat).Sub(t, o.last)
	o.tokens.Add(o.tokens, grown.Mul(grown, o.perNS))
	if o.tokens.Cmp(o.burst) > 0 {
		o.tokens.Set(o.burst)
	}
	o.last = t
	if o.tokens.Cmp(one) >= 0 {
		o.tokens.Sub(o.tokens, one)
		return true, new(big.Int)
	}
	missing := one.Sub(one, o.tokens)
	missing.Quo(missing, o.perNS)
	up := new(big.Int).Add(missing.Num(), new(big.Int).Sub(missing.Denom(), big.NewInt(1)))
	return false, up.Div(up, missing.Denom())
}

func bucket(t testing.TB, rate string, burst int) (*targets.TokenBucket, *oracle) {
	t.Helper()
	exact, _ := new(big.Rat).SetString(rate)
	r, _ := exact.Float64()
	b, err := targets.NewTokenBucket(r, burst)
	if err != nil {
		t.Fatal(err)
	}
	return b, newOracle(rate, burst)
}

// The rates have whole and fractional nanoseconds per token.
var rates = []string{"100", "3", "0.1", "0.000001", "7.3", "999999.999999", "333333333",
	"1000000000", "0.333333"}

func checkBucket(t *testing.T, rate string, burst int, gaps []int64) (admitted []time.Duration) {
	t.Helper()
	b, o := bucket(t, rate, burst)
	var now, retry time.Duration
	for i, gap := range gaps {
		now += gapAfter(gap, retry)
		got := admitAndCheck(t, b, now)
		want, after := o.admit(now)
		if got.Admitted != want || after.Cmp(big.NewInt(int64(got.RetryAfter))) != 0 {
			t.Fatalf("rate %s, burst %d, call %d at %d ns: %+v, by the oracle admitted %v, retry "+
				"after %v ns", rate, burst, i, now, got, want, after)
		}
		if retry = got.RetryAfter; got.Admitted {
			admitted = append(admitted, now)
		}
	}
	return admitted
}

// trace mixes random gaps, simultaneous calls and exact retries.
func trace(r *rand.Rand, token float64, n int) []int64 {
	gaps := make([]int64, n)
	for i := range gaps {
		switch r.IntN(4) {
		case 0:
			gaps[i] = 0
		case 1:
			gaps[i] = -1 - r.Int64N(2)
		case 2:
			gaps[i] = int64(min(r.ExpFloat64()*token, 1e15))
		case 3:
			gaps[i] = int64(min(r.ExpFloat64()*token*5, 1e15))
		}
	}
	return gaps
}

func TestTokenBucketEqualsTheOracle(t *testing.T) {
	for i, rate := range rates {
		for j, burst := range []int{1, 2, 10, 1000} {
			r := rand.New(rand.NewPCG(uint64(i), uint64(j)))
			exact, _ := new(big.Rat).SetString(rate)
			perSecond, _ := exact.Float64()
			admitted := checkBucket(t, rate, burst, trace(r, 1e9/perSecond, 2000))
			withinBurstAndRate(t, rate, burst, admitted)
		}
	}
}

// No window may have more than burst + rate·window admissions.
func withinBurstAndRate(t *testing.T, rate string, burst int, admitted []time.Duration) {
	t.Helper()
	// The surplus k − rate·t_k may rise by at most burst−1 above its minimum so far.
	o := newOracle(rate, burst)
	lowest := new(big.Rat)
	for k, at := range admitted {
		surplus := new(big.Rat).SetInt64(int64(at))
		surplus.Sub(new(big.Rat).SetInt64(int64(k)), surplus.Mul(surplus, o.perNS))
		if k == 0 || surplus.Cmp(lowest) < 0 {
			lowest.Set(surplus)
		}
		if n := new(big.Rat).Sub(surplus,
			lowest); n.Cmp(new(big.Rat).Sub(o.burst, big.NewRat(1, 1))) > 0 {
			t.Fatalf("rate %s, burst %d: too many admissions up to number %d at %v",
				rate, burst, k, at)
		}
	}
}

// A client that calls at the retry times must be served burst times at once and then exactly at
// ⌈n/rate⌉ for n = 1, 2, …
func TestTokenBucketServesTheFullRate(t *testing.T) {
	const burst = 10
	for _, rate := range rates {
		b, o := bucket(t, rate, burst)
		var now time.Duration
		token := new(big.Rat).Inv(o.perNS)
		num, den := token.Num(), token.Denom()
		most := 50_000
		if rate == "0.000001" {
			most = 2000 // of 11.6 days each
		}
		for n := range most {
			want := new(big.Int)
			if n >= burst {
				want.Mul(num, big.NewInt(int64(n-burst+1)))
				want.Add(want, den).Sub(want, big.NewInt(1)).Div(want, den)
			}
			if next := time.Duration(want.Int64()); next > now {
				if d := b.Admit(next - 1); d.Admitted || d.RetryAfter != 1 {
					t.Fatalf("rate %s: a nanosecond before admission %d: %+v", rate, n, d)
				}
				now = next
			}
			if d := b.Admit(now); !d.Admitted || d.RetryAfter != 0 {
				t.Fatalf("rate %s: admission %d is due at %v: %+v", rate, n, now, d)
			}
		}
	}
}

func TestTokenBucketRefusesImpossibleParameters(t *testing.T) {
	for in, want := range map[string]string{
		"token_bucket:rate=0": "target token_bucket: rate: must be above 0 and at most " +
			"1000000000 per second, got 0",
		"token_bucket:rate=-1":  "target token_bucket: rate: must be above 0",
		"token_bucket:rate=2e9": "target token_bucket: rate: must be above 0 and at most",
		"token_bucket:rate=0.0000001": "target token_bucket: rate: must have at most 6 " +
			"decimals, got 1e-07",
		"token_bucket:rate=33.3333333": "target token_bucket: rate: must have at most 6 " +
			"decimals, got 33.3333333",
		"token_bucket:rate=5e-324": "target token_bucket: rate: must have at most 6 " +
			"decimals, got 5e-324",
		"token_bucket:burst=0":  "target token_bucket: burst: must be at least 1, got 0",
		"token_bucket:burst=-1": "target token_bucket: burst: must be at least 1, got -1",
		"token_bucket:rate=0.001,burst=10000000": "target token_bucket: burst: a bucket " +
			"of 10000000 at 0.001 per second would take more than 73 years to fill",
		"token_bucket:rate=0.000001,burst=99999999": "target token_bucket: burst: a bucket " +
			"of 99999999 at 0.000001 per second would take more than 73 years to fill",
		"token_bucket:rate=1,burst=9223372036854775807": "target token_bucket: burst: a bucket of",
		"token_bucket:qps=1": `target token_bucket: unknown parameter "qps" ` +
			`(known: rate, burst)`,
		"bucket": `unknown target "bucket" (known: ` + targets.All()[0].Name + ", ",
	} {
		if v, err := parse(in); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, %v; want the error %s", in, v, err, want)
		}
	}
}

func FuzzTokenBucket(f *testing.F) {
	f.Add(uint64(100_000_000), uint16(10), uint64(1), uint64(0))
	f.Add(uint64(1), uint16(1), uint64(2), uint64(1<<60))
	f.Add(uint64(333_333), uint16(3), uint64(3), uint64(12345))
	f.Add(uint64(999_999_999_999_999), uint16(1000), uint64(4), uint64(1))
	f.Fuzz(func(t *testing.T, millionths uint64, burst uint16, seed, start uint64) {
		millionths = 1 + millionths%1e15 // rates from 0.000001 to 10⁹ with six decimals
		rate := float64(millionths) / 1e6
		if _, err := targets.NewTokenBucket(rate, int(burst)); err != nil {
			if burst > 0 && millionths >= 1e5 {
				// at 0.1 per second or more, every uint16 burst fills within the range of Duration
				t.Fatalf("rate %v, burst %d: %v", rate, burst, err)
			}
			return
		}
		gaps := append([]int64{int64(start % (1 << 61))},
			trace(rand.New(rand.NewPCG(seed, 0)), 1e9/rate, 200)...)
		text := dist.FormatFloat(rate)
		withinBurstAndRate(t, text, int(burst), checkBucket(t, text, int(burst), gaps))
	})
}

func BenchmarkTokenBucketAdmit(b *testing.B) {
	bucket, err := targets.NewTokenBucket(3, 10)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	var now time.Duration
	for b.Loop() {
		now += time.Second / 3
		bucket.Admit(now)
	}
}
