package engine

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/poolbench/poolbench/strategies"
)

// A slice is the reference. Free slots must contain no references.
func TestRing(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 7))
	for range 100 {
		var q ring[Waiting]
		var want []Waiting
		for range 500 {
			switch op := random.IntN(5); {
			case op < 3:
				w := Waiting{Task: new(strategies.Task), Came: time.Duration(len(want))}
				q.pushBack(w)
				want = append(want, w)
			case len(want) == 0:
			case op == 3:
				if got := q.PopFront(); got != want[0] {
					t.Fatalf("popFront gave %v of %v", got, want)
				}
				want = want[1:]
			default:
				if got := q.popBack(); got != want[len(want)-1] {
					t.Fatalf("popBack gave %v of %v", got, want)
				}
				want = want[:len(want)-1]
			}
			if q.Len != len(want) {
				t.Fatalf("the ring has %d, want %d", q.Len, len(want))
			}
			for i, w := range want {
				if *q.At(i) != w {
					t.Fatalf("at %d: %v, want %v", i, *q.At(i), w)
				}
			}
		}
		tasks := emptied(&q, nil)
		for i, w := range want {
			if tasks[i] != w.Task {
				t.Fatalf("empty gave another task at %d", i)
			}
		}
		for i, slot := range q.slots {
			if slot != (Waiting{}) {
				t.Fatalf("the empty ring still has %v in slot %d", slot, i)
			}
		}
	}
}
