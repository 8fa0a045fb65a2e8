package strategies

import (
	"math/rand/v2"
	"testing"
	"time"
)

// TestRing compares a ring with a slice over random programs, and looks for tasks that it still
// refers to.
func TestRing(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 7))
	for range 100 {
		var q ring[waiting]
		var want []waiting
		for range 500 {
			switch op := random.IntN(5); {
			case op < 3:
				w := waiting{task: new(Task), came: time.Duration(len(want))}
				q.pushBack(w)
				want = append(want, w)
			case len(want) == 0:
			case op == 3:
				if got := q.popFront(); got != want[0] {
					t.Fatalf("popFront gave %v of %v", got, want)
				}
				want = want[1:]
			default:
				if got := q.popBack(); got != want[len(want)-1] {
					t.Fatalf("popBack gave %v of %v", got, want)
				}
				want = want[:len(want)-1]
			}
			if q.n != len(want) {
				t.Fatalf("the ring has %d, want %d", q.n, len(want))
			}
			for i, w := range want {
				if *q.at(i) != w {
					t.Fatalf("at %d: %v, want %v", i, *q.at(i), w)
				}
			}
		}
		tasks := emptied(&q, nil)
		for i, w := range want {
			if tasks[i] != w.task {
				t.Fatalf("empty gave another task at %d", i)
			}
		}
		for i, slot := range q.slots {
			if slot != (waiting{}) {
				t.Fatalf("the empty ring still has %v in slot %d", slot, i)
			}
		}
	}
}
