package targets_test

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/poolbench/poolbench/bench/dist"
	"github.com/poolbench/poolbench/targets"
)

// leakyOracle computes turns as rational numbers.
type leakyOracle struct {
	between *big.Rat // time between turns, in nanoseconds
	queue   int
	turns   []*big.Rat
}

func newLeakyOracle(rate string, queue int) *leakyOracle {
	perSecond, _ := new(big.Rat).SetString(rate)
	return &leakyOracle{between: perSecond.Quo(big.NewRat(1e9, 1), perSecond), queue: queue}
}

// admit returns the wait of an admitted call, or the time until the next turn.
func (o *leakyOracle) admit(now time.Duration) (admitted bool, wait, retryAfter time.Duration) {
	t := new(big.Rat).SetInt64(int64(now))
	var first *big.Rat // first of the waiting calls
	waiting := 0
	for _, turn := range o.turns {
		if turn.Cmp(t) > 0 {
			if waiting++; first == nil {
				first = turn
			}
		}
	}
	next := new(big.Rat).Set(t)
	if n := len(o.turns); n > 0 {
		if after := new(big.Rat).Add(o.turns[n-1], o.between); after.Cmp(next) > 0 {
			next = after
		}
	}
	if next.Cmp(t) == 0 || waiting < o.queue {
		o.turns = append(o.turns, next)
		return true, up(next) - now, 0
	}
	if first == nil { // without a queue, the next turn
		first = next
	}
	return false, 0, up(first) - now
}

func up(r *big.Rat) time.Duration {
	n := new(big.Int).Add(r.Num(), new(big.Int).Sub(r.Denom(), big.NewInt(1)))
	return time.Duration(n.Div(n, r.Denom()).Int64())
}

func checkLeakyBucket(t *testing.T, rate string, queue int, gaps []int64) (served []time.Duration) {
	t.Helper()
	perSecond, err := strconv.ParseFloat(rate, 64)
	if err != nil {
		t.Fatal(err)
	}
	b, err := targets.NewLeakyBucket(perSecond, queue)
	if err != nil {
		t.Fatal(err)
	}
	o := newLeakyOracle(rate, queue)
	var now, retry time.Duration
	var delayed int64
	for i, gap := range gaps {
		now += gapAfter(gap, retry)
		got := admitAndCheck(t, b, now)
		admitted, wait, after := o.admit(now)
		if got.Admitted != admitted || got.Wait != wait || got.RetryAfter != after {
			t.Fatalf("rate %s, queue %d, call %d at %d: %+v, by the oracle admitted %v after %d, "+
				"or a retry after %d", rate, queue, i, now, got, admitted, wait, after)
		}
		if retry = got.RetryAfter; admitted {
			served = append(served, now+wait)
		}
		if wait > 0 {
			delayed++
		}
	}
	if counts := b.Counts(); counts[0].Value != delayed {
		t.Fatalf("rate %s, queue %d: %v, want %d", rate, queue, counts, delayed)
	}
	return served
}

func TestLeakyBucketEqualsTheOracle(t *testing.T) {
	for i, rate := range rates {
		for j, queue := range []int{0, 1, 10, 100} {
			perSecond, _ := strconv.ParseFloat(rate, 64)
			served := checkLeakyBucket(t, rate, queue, trace(rand.New(rand.NewPCG(uint64(i), uint64(j))),
				1e9/perSecond, 500))
			// Consecutive turns are at least 1/rate apart, minus 1 ns of rounding.
			between := newLeakyOracle(rate, 0).between
			for k := 1; k < len(served); k++ {
				if least := new(big.Rat).Sub(between,
					big.NewRat(1, 1)); new(big.Rat).SetInt64(int64(served[k]-served[k-1])).Cmp(
					least) < 0 {
					t.Fatalf("rate %s, queue %d: served at %d and %d", rate, queue,
						served[k-1], served[k])
				}
			}
		}
	}
}

// Only the leaky bucket spaces the eleven admitted calls.
func TestLeakyBucketShapesABurst(t *testing.T) {
	for name, c := range map[string]struct {
		spacing time.Duration
		counts  string
	}{
		"leaky_bucket:rate=100,queue=10": {10 * time.Millisecond,
			"[{admitted-calls 11} {refused-calls 2} {abandoned-calls 0} {delayed-calls 10}]"},
		"token_bucket:rate=100,burst=11": {0,
			"[{admitted-calls 11} {refused-calls 2} {abandoned-calls 0}]"},
	} {
		synctest.Test(t, func(t *testing.T) {
			target, began := build(t, name), time.Now()
			var mu sync.Mutex
			var served []time.Duration
			var wg sync.WaitGroup
			for range 13 {
				wg.Go(func() {
					err := target.Call(t.Context(), 0, func(context.Context, uint64) error {
						mu.Lock()
						defer mu.Unlock()
						served = append(served, time.Since(began))
						return nil
					})
					var refusal *targets.Throttled
					if err != nil && (!errors.As(err, &refusal) ||
						*refusal != targets.Throttled{RetryAfter: 10 * time.Millisecond}) {
						t.Error(err)
					}
				})
			}
			wg.Wait()
			for i, at := range served {
				if at != time.Duration(i)*c.spacing {
					t.Errorf("%s: call %d served after %v", name, i, at)
				}
			}
			if got := fmt.Sprint(target.(targets.Counted).Counts()); got != c.counts {
				t.Errorf("%s: %s, want %s", name, got, c.counts)
			}
		})
	}
}

func TestLeakyBucketTurnIsLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		target, began := build(t, "leaky_bucket:rate=10,queue=2"), time.Now()
		if err := target.Call(t.Context(), 0, nothing); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		if err := target.Call(ctx, 1, nothing); !errors.Is(err, context.DeadlineExceeded) ||
			time.Since(began) != 50*time.Millisecond {
			t.Errorf("after %v: %v", time.Since(began), err)
		}
		if err := target.Call(t.Context(), 2, nothing); err != nil ||
			time.Since(began) != 200*time.Millisecond {
			t.Errorf("served after %v: %v", time.Since(began), err)
		}
		if got, want := fmt.Sprint(target.(targets.Counted).Counts()),
			"[{admitted-calls 2} {refused-calls 0} {abandoned-calls 1} {delayed-calls 2}]"; got !=
			want {
			t.Errorf("%s, want %s", got, want)
		}
	})
}

func FuzzLeakyBucket(f *testing.F) {
	f.Add(uint64(100_000_000), uint16(10), uint64(1), uint64(0))
	f.Add(uint64(1), uint16(0), uint64(2), uint64(1<<60))
	f.Add(uint64(333_333), uint16(3), uint64(3), uint64(12345))
	f.Fuzz(func(t *testing.T, millionths uint64, queue uint16, seed, start uint64) {
		millionths = 1e5 + millionths%(1e15-1e5) // rates from 0.1 to 10⁹ with six decimals
		rate := float64(millionths) / 1e6
		gaps := append([]int64{int64(start % (1 << 61))},
			trace(rand.New(rand.NewPCG(seed, 0)), 1e9/rate, 100)...)
		checkLeakyBucket(t, dist.FormatFloat(rate), int(queue%100), gaps)
	})
}
