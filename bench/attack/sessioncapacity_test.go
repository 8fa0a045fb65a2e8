package attack_test

import (
	"context"
	"math"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/attack"
	"github.com/poolbench/poolbench/internal/capacity"
	"github.com/poolbench/poolbench/internal/objectives"
)

// A server with k slots and steps of s seconds can serve k/(n·s) sessions of n steps per second.
// The search must find this within its resolution of 2 %, plus the effect of the objective: 1 %
// above the capacity, 10 s give a queue of only 100 ms, and random arrivals queue below the
// capacity.
func TestCapacityOfSessions(t *testing.T) {
	whole := !testing.Short()
	for name, c := range map[string]struct {
		slots, steps int
		took         time.Duration
		think        string
		first        float64
		objective    string
		within       float64
	}{
		"two steps that think": {3, 2, 20 * time.Millisecond, "exp(300ms)", 60, "p99-response<300ms",
			0.04},
		"three steps, one slot": {1, 3, 7 * time.Millisecond, "0s", 40,
			"p99-response<100ms,failed<1%", 0.02},
		"five steps that pause": {4, 5, 11 * time.Millisecond, "100ms", 30,
			"p99-response<100ms,failed<1%", 0.03},
		"one step is a request": {2, 1, 13 * time.Millisecond, "0s", 110,
			"p99-response<100ms,failed<1%", 0.02},
		"below where it is looked": {1, 2, 21 * time.Millisecond, "20ms", 70,
			"p99-response<100ms,failed<1%", 0.02},
	} {
		if !whole && (c.slots > 1 || c.steps > 2) { // only the case with the fewest requests
			continue
		}
		t.Run(name, func(t *testing.T) {
			list, err := objectives.Parse(c.objective)
			if err != nil {
				t.Fatal(err)
			}
			text := "name: capacity\nsteps: [{url: \"http://127.0.0.1/\"}"
			for range c.steps - 1 {
				text += `, {url: "http://127.0.0.1/", think: ` + c.think + "}"
			}
			const probe = 10 * time.Second
			a := attack.Attack{MaxInFlight: attack.Unlimited, Drain: time.Minute}.
				WithSession(session(t, text+"]"))
			thinks := a.Session.MeanThought()
			slots := make(chan struct{}, c.slots)
			runInShop(t, func(http.ResponseWriter, *http.Request) {
				slots <- struct{}{}
				time.Sleep(c.took)
				<-slots
			}, func(t *testing.T, dial func(context.Context, string, string) (net.Conn, error)) {
				slots = make(chan struct{}, c.slots) // created in the bubble
				s := capacity.Server{Objectives: list, First: c.first, Most: 500,
					Rest: time.Second, Of: "sessions",
					Each: float64(c.steps) * float64(probe) / float64(probe+thinks),
					Probe: func(ctx context.Context, rate, longer float64, seed uint64) (
						*bench.Result, error,
					) {
						k := a.Virtual(dial)
						k.Rate, k.Seed = rate, seed
						k.Duration = time.Duration(longer * float64(probe))
						r, err := attack.Run(ctx, k)
						if err != nil {
							return nil, err
						}
						return r.Result, r.Cut
					}}
				found, err := s.Do(t.Context())
				if err != nil || found.Stopped != nil {
					t.Error(err, found.Stopped)
					return
				}
				bears := float64(c.slots) / float64(c.steps) / c.took.Seconds()
				if found.Outcome(500) != capacity.Between ||
					math.Abs(found.Met/bears-1) > c.within ||
					math.Abs(found.Missed/bears-1) > c.within {
					t.Errorf("it bears %.4g sessions a second; found %v to %v", bears, found.Met,
						found.Missed)
				}
				t.Logf("%.4g: %v to %v, %d probes", bears, found.Met, found.Missed,
					len(found.Probes))
				for _, p := range found.Probes {
					if p.Carried > 0 && math.Abs(p.Carried/bears-1) > 0.1 {
						t.Errorf("at %v it carried %v", p.Rate, p.Carried)
					}
				}
			})
		})
	}
}
