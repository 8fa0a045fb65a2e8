package pace

import (
	"container/heap"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestQueue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var q queue
		var in []*sleeper
		out := func(s *sleeper) {
			if s.place != -1 {
				t.Fatalf("it has left, and its place is %d", s.place)
			}
			in = slices.DeleteFunc(in, func(other *sleeper) bool { return other == s })
		}
		t.Repeat(map[string]func(*rapid.T){
			"push": func(t *rapid.T) {
				s := &sleeper{at: rapid.Int64Range(0, 20).Draw(t, "at")}
				heap.Push(&q, s)
				in = append(in, s)
			},
			"pop": func(t *rapid.T) {
				if len(in) == 0 {
					t.Skip("empty")
				}
				first := slices.MinFunc(in, func(a, b *sleeper) int { return int(a.at - b.at) })
				s := heap.Pop(&q).(*sleeper)
				if s.at != first.at {
					t.Fatalf("popped %d, the earliest is %d", s.at, first.at)
				}
				out(s)
			},
			"remove": func(t *rapid.T) {
				if len(in) == 0 {
					t.Skip("empty")
				}
				s := rapid.SampledFrom(in).Draw(t, "who")
				heap.Remove(&q, s.place)
				out(s)
			},
			"": func(t *rapid.T) {
				if len(q) != len(in) {
					t.Fatalf("%d in the queue, want %d", len(q), len(in))
				}
				for i, s := range q {
					if s.place != i || s.at < q[(i-1)/2].at {
						t.Fatalf("at %d: place %d, %d after %d", i, s.place, s.at, q[(i-1)/2].at)
					}
				}
			},
		})
	})
}
