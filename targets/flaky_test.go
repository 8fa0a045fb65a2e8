package targets_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/poolbench/poolbench/targets"
)

type outcome struct {
	failed, worked bool
	took           time.Duration
}

func outcomes(
	t *testing.T, s string, seed uint64, seqs []uint64,
) (all []outcome, counts []targets.Count) {
	t.Helper()
	v, err := parse(s)
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		target, err := v.Spec.Build(seed, v.Values)
		if err != nil {
			t.Fatal(err)
		}
		for _, seq := range seqs {
			var f outcome
			began := time.Now()
			err := target.Call(t.Context(), seq, func(context.Context, uint64) error {
				f.worked = true
				return nil
			})
			f.failed, f.took = errors.Is(err, targets.ErrFault), time.Since(began)
			if err != nil && !f.failed || f.failed == f.worked ||
				errors.Is(err, targets.ErrThrottled) {
				t.Fatalf("call %d: %v, worked: %v", seq, err, f.worked)
			}
			all = append(all, f)
		}
		counts = target.(targets.Counted).Counts()
	})
	return all, counts
}

// Slow and failing must be independent.
func TestFlakyIsAFunctionOfSeedAndNumber(t *testing.T) {
	const n = 20_000
	const spelling = "flaky:errors=0.1,spikes=0.2,spike=100ms"
	up, down := make([]uint64, n), make([]uint64, n)
	for i := range uint64(n) {
		up[i], down[i] = i, n-1-i
	}
	forth, counts := outcomes(t, spelling, 1, up)
	back, _ := outcomes(t, spelling, 1, down)
	other, _ := outcomes(t, spelling, 2, up)
	failed, slow, both, same := 0, 0, 0, 0
	for i, f := range forth {
		if f != back[n-1-i] {
			t.Fatalf("call %d: %+v, and the other way round %+v", i, f, back[n-1-i])
		}
		if f.took != 0 && f.took != 100*time.Millisecond {
			t.Fatalf("call %d took %v", i, f.took)
		}
		if f.failed {
			failed++
		}
		if f.took > 0 {
			slow++
		}
		if f.failed && f.took > 0 {
			both++
		}
		if f == other[i] {
			same++
		}
	}
	for _, c := range []struct {
		what  string
		count int
		p     float64
	}{{"failed", failed, 0.1}, {"slow", slow, 0.2}, {"failed and slow", both, 0.02},
		{"alike with another seed", same, (0.01 + 0.81) * (0.04 + 0.64)}} {
		if sd := math.Sqrt(n * c.p * (1 - c.p)); math.Abs(float64(c.count)-n*c.p) > 5*sd {
			t.Errorf("%d of %d calls %s, want %.0f ± %.0f", c.count, n, c.what, n*c.p, sd)
		}
	}
	want := fmt.Sprintf("[{admitted-calls %d} {refused-calls 0} {abandoned-calls 0} "+
		"{delayed-calls %d} {failed-calls %d}]", n, slow, failed)
	if got := fmt.Sprint(counts); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// Poison tasks must be refused without a retry time and not change the faults of other tasks.
func TestFlakyPoison(t *testing.T) {
	const n, share = 20_000, 0.05
	const spelling = "flaky:errors=0.1,spikes=0.2,spike=100ms"
	up := make([]uint64, n)
	for i := range uint64(n) {
		up[i] = i
	}
	clean, _ := outcomes(t, spelling, 1, up)
	poison := func(seed uint64) (seqs map[uint64]bool) {
		seqs = map[uint64]bool{}
		synctest.Test(t, func(t *testing.T) {
			v, err := parse(spelling + ",poison=0.05")
			if err != nil {
				t.Fatal(err)
			}
			target, err := v.Spec.Build(seed, v.Values)
			if err != nil {
				t.Fatal(err)
			}
			for range 2 {
				for seq := range uint64(n) {
					began := time.Now()
					worked := false
					err := target.Call(t.Context(), n-1-seq, func(context.Context, uint64) error {
						worked = true
						return nil
					})
					took := time.Since(began)
					var refusal *targets.Throttled
					if errors.As(err, &refusal) {
						if *refusal != (targets.Throttled{Refusal: targets.Unavailable}) ||
							took != 0 || worked {
							t.Fatalf("call %d: %+v after %v, worked: %v", n-1-seq,
								*refusal, took, worked)
						}
						seqs[n-1-seq] = true
					} else if got := (outcome{errors.Is(err, targets.ErrFault), worked,
						took}); seqs[n-1-seq] || seed == 1 && got != clean[n-1-seq] {
						t.Fatalf("call %d: %+v; poison: %v, without poison %+v", n-1-seq, got,
							seqs[n-1-seq], clean[n-1-seq])
					}
				}
			}
			refused := target.(targets.Counted).Counts()[1]
			if refused.Value != int64(2*len(seqs)) {
				t.Errorf("%+v, want %d", refused, 2*len(seqs))
			}
		})
		return seqs
	}
	one, two := poison(1), poison(2)
	failed, both := 0, 0
	for seq := range one {
		if two[seq] {
			both++
		}
		if clean[seq].failed {
			failed++
		}
	}
	for _, c := range []struct {
		what  string
		count int
		p     float64
	}{{"poison", len(one), share}, {"poison with another seed", len(two), share},
		{"poison with both", both, share * share},
		{"poison that would have failed", failed, share * 0.1}} {
		if sd := math.Sqrt(n * c.p * (1 - c.p)); math.Abs(float64(c.count)-n*c.p) > 5*sd {
			t.Errorf("%d of %d tasks are %s, want %.0f ± %.0f", c.count, n, c.what, n*c.p, sd)
		}
	}
}

func TestFlakyExtremes(t *testing.T) {
	seqs := []uint64{0, 1, 2, 3, math.MaxUint64}
	for s, want := range map[string]outcome{
		"flaky:errors=0,spikes=0":            {worked: true},
		"flaky:errors=1,spikes=0":            {failed: true},
		"flaky:errors=0,spikes=1,spike=10ms": {worked: true, took: 10 * time.Millisecond},
		"flaky:errors=1,spikes=1,spike=10ms": {failed: true, took: 10 * time.Millisecond},
	} {
		all, _ := outcomes(t, s, 7, seqs)
		for i, f := range all {
			if f != want {
				t.Errorf("%s: call %d: %+v, want %+v", s, seqs[i], f, want)
			}
		}
	}
}

func TestFlakyDrawsForEachCall(t *testing.T) {
	const spelling = "flaky:errors=0.3,spikes=0.2,spike=100ms"
	seqs, same := make([]uint64, 2000), make([]uint64, 2000)
	for i := range seqs {
		seqs[i] = uint64(i)
	}
	want, _ := outcomes(t, spelling, 3, seqs)
	got, _ := outcomes(t, spelling+",draw=call", 3, same)
	if !slices.Equal(got, want) {
		t.Error("2000 calls of task 0 do not meet what the first of 2000 tasks do")
	}
	once, _ := outcomes(t, spelling, 3, same)
	if slices.ContainsFunc(once, func(o outcome) bool { return o != once[0] }) {
		t.Error("calls of one task meet different things")
	}
}
