package capacity

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/objectives"
)

// A played server bears so many requests a second: above that a queue grows while a probe lasts.
type played struct {
	bears  float64
	late   float64 // share of the probes in which the sender is late
	dies   float64 // at this rate, for good; 0: never
	dead   bool
	most   float64
	last   time.Time
	random *rand.Rand
}

func (p *played) probe(_ context.Context, rate, longer float64, seed uint64) (
	*bench.Result, error,
) {
	if !p.last.IsZero() && time.Since(p.last) < time.Second {
		return nil, errors.New("no rest")
	}
	p.most = max(p.most, rate)
	seconds := 5 * longer
	time.Sleep(time.Duration(seconds * float64(time.Second)))
	p.last = time.Now()
	p.dead = p.dead || p.dies > 0 && rate >= p.dies
	response, lost, lag := 0.02, 0.0, 0.0
	if over := rate/p.bears - 1; over > 0 {
		response += over * seconds
	}
	if p.dead {
		lost = 1
	}
	r := &bench.Result{Seed: seed}
	if p.random.Float64() < p.late {
		lag = 0.2
		response += lag
		r.Doubt(bench.Suspect, "lag", "late")
	}
	for unit, v := range map[string]float64{"p99-response-sec": response, "failed/op": lost,
		"p99-lag-sec": lag} {
		r.Metrics = append(r.Metrics, bench.Metric{Unit: unit, Value: v})
	}
	return r, nil
}

func searched(t *testing.T, p *played, first, most float64) (*ServerAnswer, error) {
	t.Helper()
	list, err := objectives.Parse("p99-response<50ms")
	if err != nil {
		t.Fatal(err)
	}
	p.random = rand.New(rand.NewPCG(1, uint64(1000*p.bears)))
	s := Server{Objectives: list, First: first, Most: most, Rest: time.Second, Probe: p.probe}
	return s.Do(t.Context())
}

// TestServer: the answer holds what the server bears, to 2 % and what half a probe's queue hides,
// with a sender that is often late too, and no probe exceeds the most.
func TestServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for i := range 200 {
			p := &played{bears: 50 * math.Exp2(float64(i)/41), late: float64(i%3) / 5}
			a, err := searched(t, p, 100, 1200)
			if err != nil {
				t.Fatal(err)
			}
			found := a.Outcome(1200)
			switch {
			case a.Stopped != nil && p.late == 0:
				t.Errorf("%v /s: stopped: %v", p.bears, a.Stopped)
			case a.Stopped != nil:
				// a sender late five times in a row says so
			case p.bears > 1200 && (found != AtLeast || a.Met != 1200):
				t.Errorf("%v /s: %v, %+v", p.bears, found, a)
			case p.bears <= 1190 && (found != Between || a.Met > p.bears*1.01 ||
				a.Missed < p.bears || a.Missed > a.Met*1.021):
				t.Errorf("%v /s: %v, %v to %v", p.bears, found, a.Met, a.Missed)
			}
			if p.most > 1200 {
				t.Errorf("%v /s were sent", p.most)
			}
		}
	})
}

// TestServerDies: a server that does not come back is left alone after the second probe of which
// nothing was answered; one that misses everywhere is an answer.
func TestServerDies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, err := searched(t, &played{bears: 1000, dies: 400}, 100, 2000)
		n := len(a.Probes)
		if err != nil || a.Stopped == nil || a.Met != 200 || a.Missed != 400 || n != 4 ||
			a.Outcome(2000) != Unknown {
			t.Errorf("%+v, %v", a, err)
		}
		a, err = searched(t, &played{bears: 1000, dies: 1}, 100, 2000)
		if err != nil || a.Stopped == nil || len(a.Probes) != 2 || a.Outcome(2000) != Unknown {
			t.Errorf("%+v, %v", a, err)
		}
		a, err = searched(t, &played{bears: 1}, 100, 2000)
		if err != nil || a.Outcome(2000) != Nowhere || a.Missed > 2 {
			t.Errorf("%+v, %v", a, err)
		}
		a, err = searched(t, &played{bears: 1000, late: 1}, 100, 2000)
		if err != nil || a.Outcome(2000) != Unknown || a.Stopped == nil ||
			!strings.Contains(a.Stopped.Error(), "too late") {
			t.Errorf("%+v, %v", a, err)
		}
	})
}
