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
	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/internal/objectives"
)

// played simulates a server. Above its capacity in requests per second, a queue grows.
type played struct {
	capacity float64
	late     float64 // share of the probes in which the sender is late
	noise    float64 // relative standard deviation of the capacity between probes
	slower   float64 // share of the capacity that is lost under overload
	dies     float64 // rate at which the server crashes for good, or 0
	dead     bool
	most     float64
	last     time.Time
	random   *rand.Rand
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
	capacity := p.capacity * (1 + p.noise*p.random.NormFloat64())
	throughput, abandoned, reasons := rate, 0.0, []string(nil)
	if over := rate/capacity - 1; over > 0 {
		response += over * seconds
		if throughput = capacity * (1 - p.slower); over > 0.01 {
			// overloaded runs are slightly late, too
			reasons = append(reasons, "not stationary", "lag")
		}
		abandoned = max(0, over-0.3) // requests that are open after the drain time
	}
	if p.dead {
		lost = 1
	}
	r := &bench.Result{Seed: seed, Tasks: 1000}
	for _, check := range reasons {
		r.Doubt(result.Suspect, check, "as it is here")
	}
	if p.random.Float64() < p.late {
		lag = 0.2
		response += lag
		r.Doubt(result.Suspect, "lag", "late")
	}
	for unit, v := range map[string]float64{"p99-response-sec": response, "failed/op": lost,
		"abandoned/op": abandoned / (1 + abandoned), "max-lag-sec": lag,
		"p99-service-sec": response - lag, "ops/s": throughput} {
		r.Metrics = append(r.Metrics, result.Metric{Unit: unit, Value: v})
	}
	return r, nil
}

func searched(t *testing.T, p *played, first, most float64) (*ServerAnswer, error) {
	t.Helper()
	list, err := objectives.Parse("p99-response<50ms")
	if err != nil {
		t.Fatal(err)
	}
	p.random = rand.New(rand.NewPCG(1, uint64(1000*p.capacity)))
	s := Server{Objectives: list, First: first, Most: most, Rest: time.Second, Probe: p.probe}
	return s.Do(t.Context())
}

// The tolerance covers a queue that is too short to be noticed in half a probe.
func TestServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for i := range 200 {
			p := &played{capacity: 50 * math.Exp2(float64(i)/41), late: float64(i%3) / 5}
			a, err := searched(t, p, 100, 1200)
			if err != nil {
				t.Fatal(err)
			}
			found := a.Outcome(1200)
			switch {
			case a.Stopped != nil && p.late == 0:
				t.Errorf("%v /s: stopped: %v", p.capacity, a.Stopped)
			case a.Stopped != nil:
				// stopped by five late probes in a row
			case p.capacity > 1200 && (found != AtLeast || a.Met != 1200):
				t.Errorf("%v /s: %v, %+v", p.capacity, found, a)
			case p.capacity <= 1190 && (found != Between || a.Met > p.capacity*1.01 ||
				a.Missed < p.capacity || a.Missed > a.Met*1.021):
				t.Errorf("%v /s: %v, %v to %v", p.capacity, found, a.Met, a.Missed)
			}
			if p.most > 1200 {
				t.Errorf("%v /s were sent", p.most)
			}
		}
	})
}

// After the doublings, the search needs about three probes near the capacity and a confirmation.
// Noise or a lower throughput under overload requires more.
func TestServerProbes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, c := range []struct {
			noise, slower float64
			mean          float64 // mean number of probes after the doublings
			most          int     // maximum
			far           float64
		}{
			{0, 0, 4, 8, 0.02}, {0.01, 0, 6.5, 14, 0.05}, {0.03, 0, 8, 20, 0.09},
			{0, 0.3, 9, 12, 0.02},
		} {
			const servers = 200
			sum, seconds := 0, 0.0
			for i := range servers {
				p := &played{capacity: 130 * math.Exp2(float64(i)/75), noise: c.noise,
					slower: c.slower}
				begun := time.Now()
				a, err := searched(t, p, 125, 1000)
				if err != nil {
					t.Fatal(err)
				}
				if a.Stopped != nil {
					continue // two equal probes differed
				}
				seconds += time.Since(begun).Seconds()
				doubling := int(math.Ceil(math.Log2(p.capacity/125))) + 1
				n := len(a.Probes) - doubling
				if sum += n; n > c.most {
					t.Errorf("%+v, %v /s: %d probes beyond the first %d", c, p.capacity, n,
						doubling)
				}
				if off := math.Abs(math.Sqrt(a.Met*a.Missed)/p.capacity - 1); !(off <= c.far) {
					t.Errorf("%+v, %v /s: %v to %v", c, p.capacity, a.Met, a.Missed)
				}
			}
			mean := float64(sum) / servers
			if t.Logf("%+v: %.1f probes and %.0f s", c, mean, seconds/servers); mean > c.mean {
				t.Errorf("%+v: %v probes in the mean", c, mean)
			}
		}
	})
}

// If a rate is met and then missed, the answer must be the next lower rate met in time.
func TestServerForgets(t *testing.T) {
	a := &ServerAnswer{Met: 200, Probes: []ServerProbe{{Rate: 100, Verdict: objectives.Met},
		{Rate: 150, Verdict: objectives.Met, Late: true}, {Rate: 200, Verdict: objectives.Met}}}
	if (Server{}).miss(a, 200); a.Met != 100 || a.Missed != 200 {
		t.Errorf("%v to %v", a.Met, a.Missed)
	}
}

// Lost requests count as slow, except for objectives about completed requests.
func TestServerLost(t *testing.T) {
	for _, c := range []struct {
		objective string
		throttled float64
		want      objectives.Verdict
	}{
		{"p99-response<50ms", 0.009, objectives.Met},
		{"p99-response<50ms", 0.015, objectives.Missed},
		{"p99-response<50ms,throttled<2%", 0.015, objectives.Missed},
		{"completed-p99-response<50ms", 0.015, objectives.Met},
		{"p50-response<50ms", 0.015, objectives.Met},
		{"p50-response<50ms", 0.6, objectives.Missed},
		{"mean-response<50ms", 0.009, objectives.Met},
		{"mean-response<50ms", 0.015, objectives.Missed},
		{"throttled<2%", 0.025, objectives.Missed},
		{"throttled<2%,failed<3%", 0.025, objectives.Missed},
		{"failed<2%", 0.025, objectives.Met},
		{"failed<0.1%", 0.005, objectives.Met},
	} {
		list, err := objectives.Parse(c.objective)
		if err != nil {
			t.Fatal(err)
		}
		s := Server{Objectives: list, First: 1, Most: 2, Probe: func(context.Context, float64,
			float64, uint64) (*bench.Result, error) {
			return &bench.Result{Tasks: 1000, Metrics: []result.Metric{
				{Unit: "p99-response-sec", Value: 0.02}, {Unit: "p50-response-sec", Value: 0.01},
				{Unit: "mean-response-sec", Value: 0.01},
				{Unit: "due-p99-response-sec", Value: 0.03},
				{Unit: "due-p50-response-sec", Value: 0.01},
				{Unit: "throttled/op", Value: c.throttled}, {Unit: "failed/op", Value: 0}}}, nil
		}}
		p, err := s.probe(t.Context(), &ServerAnswer{}, 1, 1)
		if err != nil || p.Verdict != c.want {
			t.Errorf("%s with %g throttled: %v, want %v (%v)", c.objective, c.throttled, p.Verdict,
				c.want, err)
		}
	}
}

// A dead server gives no answer. A slow server gives Nowhere.
func TestServerDies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, err := searched(t, &played{capacity: 1000, dies: 400}, 100, 2000)
		n := len(a.Probes)
		if err != nil || a.Stopped == nil || a.Met != 200 || a.Missed != 400 || n != 4 ||
			a.Outcome(2000) != Unknown {
			t.Errorf("%+v, %v", a, err)
		}
		a, err = searched(t, &played{capacity: 1000, dies: 1}, 100, 2000)
		if err != nil || a.Stopped == nil || len(a.Probes) != 2 || a.Outcome(2000) != Unknown {
			t.Errorf("%+v, %v", a, err)
		}
		a, err = searched(t, &played{capacity: 1}, 100, 2000)
		if err != nil || a.Outcome(2000) != Nowhere || a.Missed > 2 {
			t.Errorf("%+v, %v", a, err)
		}
		a, err = searched(t, &played{capacity: 1000, late: 1}, 100, 2000)
		if err != nil || a.Outcome(2000) != Unknown || a.Stopped == nil ||
			!strings.Contains(a.Stopped.Error(), "cannot keep up") {
			t.Errorf("%+v, %v", a, err)
		}
	})
}
