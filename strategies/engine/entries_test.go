package engine

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/poolbench/poolbench/strategies"
)

func TestEntries(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	var q entries
	var want []uint64 // sequence numbers in order
	odd := func(e entry) bool { return e.seq%2 == 1 }
	for range 100_000 {
		seq, op := random.Uint64N(1000), random.IntN(20)
		switch {
		case op < 8:
			q.pushBack(entry{seq: seq, task: &strategies.Task{}})
			want = append(want, seq)
		case op < 12:
			q.insert(entry{seq: seq, task: &strategies.Task{}})
			at := slices.IndexFunc(want, func(other uint64) bool { return other >= seq })
			if at < 0 {
				at = len(want)
			}
			want = slices.Insert(want, at, seq)
		case op < 19 && len(want) > 0:
			if e := q.PopFront(); e.seq != want[0] || e.task == nil {
				t.Fatalf("popped %d, want %d", e.seq, want[0])
			}
			want = want[1:]
		case op == 19 && random.IntN(50) == 0:
			q.remove(odd)
			want = slices.DeleteFunc(want, func(seq uint64) bool { return seq%2 == 1 })
		}
		if q.Len != len(want) {
			t.Fatalf("%d entries, want %d", q.Len, len(want))
		}
	}
	for i, seq := range want {
		if q.At(i).seq != seq {
			t.Fatalf("entry %d is %d, want %d", i, q.At(i).seq, seq)
		}
	}
	kept := 0
	for _, e := range q.slots {
		if e.task != nil {
			kept++
		}
	}
	if kept != q.Len {
		t.Errorf("the ring refers to %d tasks, with %d entries", kept, q.Len)
	}
}
