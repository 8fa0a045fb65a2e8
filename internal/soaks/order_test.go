package soaks

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/poolbench/poolbench/bench/record"
)

// Records must leave in order of due time, then arrival, if they are late by up to slack. Later
// ones must not be lost. Only tasks due within slack may be held.
func TestOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for _, late := range []time.Duration{0, time.Millisecond, 999 * time.Millisecond, time.Minute} {
		type known struct{ at, due int64 }
		var all []known
		for i := range 50_000 {
			due := int64(i/2) * int64(time.Millisecond)
			all = append(all, known{due + random.Int64N(int64(late)+1), due})
		}
		slices.SortStableFunc(all, func(a, b known) int { return cmp.Compare(a.at, b.at) })
		var o order
		var got []record.Record
		to := func(r *record.Record) { got = append(got, *r) }
		for i := 0; i < len(all); {
			var chunk []record.Record
			for range min(1+random.IntN(4096), len(all)-i) {
				chunk = append(chunk, record.Record{Due: all[i].due, Busy: int64(i)})
				i++
			}
			o.pass(chunk, to)
			if n := len(o.held); n > 2001 {
				t.Errorf("late by %v: %d are held", late, n)
			}
		}
		o.release(math.MaxInt64, to)
		seen := map[int64]bool{}
		for i, r := range got {
			seen[r.Busy] = true
			if p := got[max(i-1, 0)]; i > 0 && late < time.Second &&
				(p.Due > r.Due || p.Due == r.Due && p.Busy > r.Busy) {
				t.Fatalf("late by %v: %v comes before %v", late, p, r)
			}
		}
		if len(seen) != len(all) || len(got) != len(all) || len(o.held) > 0 {
			t.Errorf("late by %v: %d of %d came out, %d different", late, len(got), len(all),
				len(seen))
		}
	}
}
