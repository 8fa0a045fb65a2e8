package capacity

import (
	"math"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/poolbench/poolbench/internal/objectives"
)

// At least nine tenths of the searches, and of the revised estimates during them, end within the
// estimate, in probes and in time, for quiet servers and for noisy ones.
func TestRemaining(t *testing.T) {
	list, err := objectives.Parse("p99-response<50ms")
	if err != nil {
		t.Fatal(err)
	}
	const probe = 5 * time.Second // as played
	synctest.Test(t, func(t *testing.T) {
		for _, c := range []struct{ noise, slower, late, first, most float64 }{
			{0, 0, 0, 100, 800}, {0.01, 0, 0, 100, 800}, {0.03, 0, 0.1, 100, 800},
			{0, 0.3, 0, 100, 800}, {0.01, 0.3, 0.1, 50, 3000}, {0.01, 0, 0, 700, 900},
		} {
			const servers = 60
			first, revised, estimates := 0, 0, 0
			for i := range servers {
				p := &played{noise: c.noise, slower: c.slower, late: c.late,
					capacity: c.first * math.Pow(1.2*c.most/c.first, float64(i)/servers)}
				p.random = rand.New(rand.NewPCG(1, uint64(i)))
				var left []Remaining
				var at []time.Time
				s := Server{Objectives: list, First: c.first, Most: c.most, Rest: 2 * time.Second,
					Before: func(r Remaining) { left, at = append(left, r), append(at, time.Now()) },
					Probe:  p.probe}
				if got, want := s.Expected(), s.remaining(&ServerAnswer{Met: math.NaN(),
					Missed: math.NaN()}, c.first, 1); got != want {
					t.Errorf("%+v, want %+v", got, want)
				}
				a, err := s.Do(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				if a.Stopped != nil {
					continue
				}
				for k, r := range left {
					n, took := len(left)-k, time.Since(at[k])
					least, most := r.Within(probe)
					ok := r.Least <= n && n <= r.Most && least <= took && took <= most
					if k == 0 && ok {
						first++
					}
					if estimates++; ok {
						revised++
					}
				}
			}
			t.Logf("%+v: %d of %d, revised %d of %d", c, first, servers, revised, estimates)
			if 10*first < 9*servers || 10*revised < 9*estimates {
				t.Errorf("%+v: %d of %d searches, %d of %d revised estimates", c, first, servers, revised,
					estimates)
			}
		}
	})
}
