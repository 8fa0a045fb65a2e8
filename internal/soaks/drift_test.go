package soaks

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/internal/observe"
)

func TestTails(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{3_000, 50_000, 300_000} {
		var of tails
		var all []int64
		for i := range n {
			v := int64(random.ExpFloat64() * 1e7 * float64(n+i))
			of.add(v)
			all = append(all, v)
		}
		got, ok := of.p99s()
		if !ok {
			t.Fatalf("%d: too few", n)
		}
		full := n / of.size
		for i := range got {
			from, to := i*full/observe.Batches, (i+1)*full/observe.Batches
			batch := slices.Clone(all[from*of.size : to*of.size])
			slices.Sort(batch)
			want := float64(batch[len(batch)*99/100])
			if math.Abs(got[i]/want-1) > 1./16 {
				t.Errorf("%d: the p99 of batch %d is %v, want %v", n, i, got[i], want)
			}
		}
	}
	for bin := range tailBins - 1 {
		if v := tailFrom(bin); v < math.MaxInt64 && tailBin(int64(v)) != bin {
			t.Fatalf("bin %d begins at %v, which is in %d", bin, v, tailBin(int64(v)))
		}
	}
	if last := tailBin(math.MaxInt64); last >= tailBins {
		t.Errorf("the longest time is in bin %d", last)
	}
}

func TestSoakDrift(t *testing.T) {
	const n = 200_000
	for name, c := range map[string]struct {
		growth, failing float64
		want            string
	}{
		"steady":     {0, 0, ""},
		"grows":      {0.3, 0, "not stationary: the p99 response is "},
		"fails more": {0, 0.05, "not stationary: 99."},
	} {
		random := rand.New(rand.NewPCG(3, 4))
		var f Fold
		f.m.N = n
		for i := range n {
			far := float64(i) / n
			if random.Float64() < 0.001+c.failing*far {
				f.done.Add(0)
				continue
			}
			f.done.Add(1)
			f.tail.add(int64(random.ExpFloat64() * 1e7 * (1 + c.growth*far)))
		}
		var r result.Result
		f.judgeSoakDrift(&r)
		got := strings.Trim(fmt.Sprint(r.Reasons), "[]")
		if (c.want == "") != (got == "") || !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		if c.want != "" && (r.Verdict != result.Suspect || len(r.Reasons) != 1) {
			t.Errorf("%s: %v, %v", name, r.Verdict, r.Reasons)
		}
	}
}
