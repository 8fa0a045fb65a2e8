package fleet

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/result"
)

// slow returns a RunFunc that needs the given time.
func slow(takes time.Duration) RunFunc {
	return func(ctx context.Context, sc bench.Scenario, p time.Duration,
		tell func(*bench.Result)) (*bench.Result, error) {
		select {
		case <-time.After(takes):
			return echo(ctx, sc, p, tell)
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// A sweep must get each result once.
func TestServerOutages(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	for name, c := range map[string]struct {
		lost   float64
		meddle func(*network)
	}{
		"restarted": {0, func(n *network) {
			for range 5 {
				time.Sleep(5 * time.Second)
				n.restart(time.Second, false)
			}
		}},
		"replaced": {0, func(n *network) {
			for range 5 {
				time.Sleep(5 * time.Second)
				n.restart(time.Second, true)
			}
		}},
		"away for a minute": {0, func(n *network) {
			time.Sleep(5 * time.Second)
			n.restart(time.Minute, true)
			time.Sleep(5 * time.Second)
			n.restart(time.Minute, false)
		}},
		"lossy": {0.05, func(*network) {}},
		"lossy and restarted": {0.02, func(n *network) {
			for i := range 5 {
				time.Sleep(5 * time.Second)
				n.restart(time.Second, i%2 == 0)
			}
		}},
		"workers come and go": {0, func(n *network) {
			for i := range 5 {
				end := n.worker(string(rune('c'+i)), time.Second)
				time.Sleep(5 * time.Second)
				if err := end(); err != nil {
					n.Error(err)
				}
				n.restart(time.Second, true)
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(n *network) {
				sweep := n.openSweep()
				n.worker("a", time.Second)
				n.worker("b", 900*time.Millisecond)
				// a worker that cannot connect at its start exits
				for sweep.Workers() < 2 {
					time.Sleep(time.Millisecond)
				}
				n.lose(c.lost)
				meddling := make(chan struct{})
				go func() { defer close(meddling); c.meddle(n) }()
				if diff := cmp.Diff(upTo(144), n.runAll(sweep, 144)); diff != "" {
					t.Error(diff, n.stage)
				}
				<-meddling
				n.lose(0)
			})
		})
	}
}

// A sweep without progress must fail, with the missing runs and the reason.
func TestStandstill(t *testing.T) {
	for name, c := range map[string]struct {
		meddle func(n *network, end func() error)
		why    string
	}{
		"the server is gone": {func(n *network, _ func() error) { n.cut() },
			"the NATS server cannot be reached"},
		"the workers are gone": {func(n *network, end func() error) {
			if err := end(); err != nil {
				n.Error(err)
			}
		}, "the workers do not answer any more"},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(n *network) {
				sweep := n.openSweep()
				end := n.worker("a", time.Hour)
				go func() {
					time.Sleep(time.Minute)
					c.meddle(n, end)
				}()
				begun := time.Now()
				_, err := sweep.Run(n.Context(), scenario(7))
				took := time.Since(begun)
				if err == nil || !strings.Contains(err.Error(), c.why) ||
					!strings.Contains(err.Error(), "1 run missing") ||
					took > time.Minute+maxSilent+2*lease {
					t.Errorf("after %v: %v", took, err)
				}
			})
		})
	}
}

// An attack must survive a short restart, and lost or duplicated messages.
func TestAgentsOutages(t *testing.T) {
	for name, c := range map[string]struct {
		lost   float64
		meddle func(*network)
	}{
		"restarted": {0, func(n *network) {
			for i := range 5 {
				time.Sleep(5 * time.Second)
				n.restart(time.Second, i%2 == 0)
			}
		}},
		"away for some seconds": {0, func(n *network) {
			for range 7 { // each time at another moment between two heartbeats
				time.Sleep(2250 * time.Millisecond)
				n.restart(2900*time.Millisecond, true)
			}
		}},
		"lossy": {0.05, func(*network) {}},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(n *network) {
				for _, id := range []string{"a", "b", "c"} {
					n.agent(id)
				}
				n.lose(c.lost)
				meddling := make(chan struct{})
				go func() { defer close(meddling); c.meddle(n) }()
				r, err := n.attack(3).Run(n.Context())
				<-meddling
				n.lose(0)
				if err != nil {
					t.Fatal(err)
				}
				if r.Tasks != 2000 || len(r.Broken) > 0 || r.Verdict == result.Invalid {
					t.Errorf("%d requests, broken laws %q, %v", r.Tasks, r.Broken, r.Reasons)
				}
				for _, g := range r.Agents {
					if g.Lost != "" || len(g.Doubts) > 0 {
						t.Errorf("%s: %s %v", g, g.Lost, g.Doubts)
					}
				}
			})
		})
	}
}

// If the server remains unreachable, the attack must fail and the agents must become free.
func TestAgentsWithoutServer(t *testing.T) {
	inBubble(t, func(n *network) {
		for _, id := range []string{"a", "b"} {
			n.agent(id)
		}
		done := make(chan struct{})
		go func() {
			defer close(done)
			time.Sleep(10 * time.Second)
			n.restart(time.Minute, true)
		}()
		begun := time.Now()
		r, err := n.attack(2).Run(n.Context())
		if took := time.Since(begun); took > 30*time.Second {
			t.Errorf("the attack ends after %v", took)
		}
		if err == nil || !strings.Contains(err.Error(), "the NATS server could not be reached") {
			t.Errorf("%v %+v", err, r)
		}
		<-done
		time.Sleep(5 * time.Second)
		if r, err = n.attack(2).Run(n.Context()); err != nil || r.Tasks != 2000 {
			t.Errorf("the next attack: %v, error %v", r, err)
		}
	})
}
