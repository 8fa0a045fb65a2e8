package studies

import (
	"container/heap"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/workloads"
)

// rule is a published algorithm for a concurrency limit, written from its source.
type rule interface {
	ended(began, ended time.Duration, inFlight int) float64
}

// congestionAvoidance is TCP's algorithm: each answer adds 1/limit. A late answer cuts the limit,
// at most once for all requests that were in flight (Jacobson, Congestion avoidance and control,
// 1988).
type congestionAvoidance struct {
	limit, most float64
	cut         time.Duration
}

func (r *congestionAvoidance) ended(began, ended time.Duration, inFlight int) float64 {
	switch {
	case began < r.cut:
	case ended-began > 100*time.Millisecond:
		r.limit, r.cut = max(1, 0.9*r.limit), ended
	case inFlight >= int(r.limit):
		r.limit = min(r.most, r.limit+1/r.limit)
	}
	return r.limit
}

// samples sums the tasks of a window of at least 10 tasks and one round trip.
type samples struct {
	sum     float64
	n, most int
}

func (w *samples) complete(began, ended time.Duration, inFlight int, limit float64) bool {
	w.sum += float64(ended - began)
	w.n++
	w.most = max(w.most, inFlight)
	return w.n >= 10 && w.n >= int(limit)
}

// gradient2 is Netflix's Gradient2Limit with an ExpAvgMeasurement of 60 windows, 10 of them
// warm-up.
type gradient2 struct {
	limit, most float64
	window      samples
	long, sum   float64
	n           int
}

func (r *gradient2) ended(began, ended time.Duration, inFlight int) float64 {
	if !r.window.complete(began, ended, inFlight, r.limit) {
		return r.limit
	}
	short, busiest := r.window.sum/float64(r.window.n), float64(r.window.most)
	r.window = samples{}
	if r.n < 10 {
		r.n++
		r.sum += short
		r.long = r.sum / float64(r.n)
	} else {
		const factor = 2. / 61
		r.long = r.long*(1-factor) + short*factor
	}
	if r.long/short > 2 {
		r.long *= 0.95
	}
	if busiest < r.limit/2 {
		return r.limit
	}
	gradient := math.Max(0.5, math.Min(1, 1.5*r.long/short))
	to := r.limit*gradient + 1
	r.limit = math.Max(1, math.Min(r.most, r.limit*0.8+to*0.2))
	return r.limit
}

type vegasLimit struct {
	limit, most    float64
	window         samples
	noLoad         float64
	probes, jitter float64
	random         *rand.Rand
}

func (r *vegasLimit) ended(began, ended time.Duration, inFlight int) float64 {
	if !r.window.complete(began, ended, inFlight, r.limit) {
		return r.limit
	}
	w := r.window
	r.window = samples{}
	rtt, log := w.sum/float64(w.n), math.Max(1, math.Trunc(math.Log10(r.limit)))
	if r.random == nil {
		r.random = rand.New(rand.NewPCG(5, 5))
		r.jitter = 0.5 + r.random.Float64()/2
	}
	if r.probes += float64(w.n); r.probes >= r.jitter*30*r.limit {
		r.jitter, r.probes, r.noLoad = 0.5+r.random.Float64()/2, 0, rtt
		return r.limit
	}
	if r.noLoad == 0 || rtt < r.noLoad {
		r.noLoad = rtt
		return r.limit
	}
	queue := math.Ceil(r.limit * (1 - r.noLoad/rtt))
	if float64(w.most)*2 < r.limit {
		return r.limit
	}
	to := r.limit
	if queue <= log {
		to += 6 * log
	} else if queue < 3*log {
		to += log
	} else if queue > 6*log {
		to -= log
	}
	r.limit = math.Max(1, math.Min(r.most, to))
	return r.limit
}

// gradientController is the algorithm of Envoy's filter, with its defaults.
type gradientController struct {
	limit, most, deferred  float64
	measures               bool
	epoch, nextAt, probeAt time.Duration
	minRTT                 float64
	rtts                   []float64
	lowest                 int
	random                 *rand.Rand
}

func (r *gradientController) median() float64 {
	slices.Sort(r.rtts)
	m := r.rtts[(len(r.rtts)-1)/2]
	r.rtts = nil
	return m
}

func (r *gradientController) ended(began, ended time.Duration, _ int) float64 {
	if r.random == nil {
		r.random = rand.New(rand.NewPCG(5, 5))
		r.measures, r.limit, r.deferred = true, 3, 3
	}
	if !r.measures && ended >= r.nextAt {
		if len(r.rtts) > 0 {
			gradient := math.Max(0.5, math.Min(2, 1.25*r.minRTT/r.median()))
			old, to := r.limit, r.limit*gradient
			r.limit = math.Max(3, math.Min(r.most, math.Trunc(to+math.Sqrt(to))))
			if r.lowest++; old != 3 || r.limit != 3 {
				r.lowest = 0
			}
		}
		for r.nextAt <= ended {
			r.nextAt += 100 * time.Millisecond
		}
	}
	if !r.measures && (ended >= r.probeAt || r.lowest >= 5) {
		r.measures, r.deferred, r.limit, r.epoch, r.rtts = true, r.limit, 3, ended, nil
	}
	if began < r.epoch {
		return r.limit
	}
	r.rtts = append(r.rtts, float64(ended-began))
	if r.measures && len(r.rtts) >= 50 {
		r.minRTT, r.limit, r.measures, r.lowest = r.median(), r.deferred, false, 0
		r.nextAt = ended + 100*time.Millisecond
		r.probeAt = ended + time.Duration(60e9*(1+0.15*r.random.Float64()))
	}
	return r.limit
}

type departure struct{ began, ends time.Duration }

type departures []departure

func (h departures) Len() int           { return len(h) }
func (h departures) Less(i, j int) bool { return h[i].ends < h[j].ends }
func (h departures) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *departures) Push(x any)        { *h = append(*h, x.(departure)) }
func (h *departures) Pop() any {
	last := len(*h) - 1
	d := (*h)[last]
	*h = (*h)[:last]
	return d
}

// simulated is a discrete-event simulation of a scenario with a brownout (knee at 10). It uses no
// strategy, target or clock, and returns the throughput of the whole run.
func simulated(t *testing.T, sc bench.Scenario, r rule, limit float64) (rate float64) {
	next, err := sc.Load.Arrival.Spec.Open(sc.Load.PerSecond, sc.Seed, sc.Load.Arrival.Values)
	if err != nil {
		t.Fatal(err)
	}
	w, err := sc.Workload.Spec.Build(sc.Seed, sc.Workload.Values)
	if err != nil {
		t.Fatal(err)
	}
	work := w.(workloads.Timed)
	var running departures
	waiting, started, now := 0, 0, time.Duration(0)
	start := func() {
		for waiting > 0 && len(running) < int(limit) {
			waiting--
			took := float64(work.Time(uint64(started)))
			started++
			took *= 1 + 0.2*max(0, float64(len(running)+1-10))
			heap.Push(&running, departure{now, now + time.Duration(math.Round(took))})
		}
	}
	due, left := next(), sc.Stop.Tasks
	for left > 0 || len(running) > 0 {
		if left > 0 && (len(running) == 0 || due < running[0].ends) {
			now = due
			waiting++
			due = next()
			left--
			start()
			continue
		}
		d := heap.Pop(&running).(departure)
		now = d.ends
		limit = r.ended(d.began, d.ends, len(running)+1)
		start()
	}
	return float64(sc.Stop.Tasks) / now.Seconds()
}

type fixedRule float64

func (r fixedRule) ended(time.Duration, time.Duration, int) float64 { return float64(r) }

// Each strategy must behave like the published rule in its name. Its regret is the share of
// throughput lost relative to a fixed limit of 10. It must be within 0.05 of the rule's regret.
func TestAdaptiveRules(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	const most = adaptiveMost
	rules := map[string]func() (r rule, initial float64){
		"adaptive_aimd": func() (rule, float64) {
			return &congestionAvoidance{limit: most, most: most}, most
		},
		"adaptive_gradient": func() (rule, float64) {
			return &gradient2{limit: most, most: most}, most
		},
		"adaptive_gradient:initial=10": func() (rule, float64) {
			return &gradient2{limit: 10, most: most}, 10
		},
		"adaptive_vegas": func() (rule, float64) {
			return &vegasLimit{limit: most, most: most}, most
		},
		"adaptive_vegas:initial=10": func() (rule, float64) {
			return &vegasLimit{limit: 10, most: most}, 10
		},
		"adaptive_envoy": func() (rule, float64) { return &gradientController{most: most}, 3 },
	}
	for _, s := range []adaptiveSetting{adaptiveSettings[0], adaptiveSettings[2]} {
		for name, of := range rules {
			for seed := range uint64(2) {
				sc, best := s.cell(name), s.fixed(10)
				sc.Seed, sc.Stop.Warmup = seed+1, 0
				best.Seed, best.Stop.Warmup = sc.Seed, 0
				r, b := runOnce(t, sc), runOnce(t, best)
				rate, _ := r.Metric(metric.Throughput)
				bestRate, _ := b.Metric(metric.Throughput)
				law, initial := of()
				ruleRate := simulated(t, sc, law, initial)
				bestRule := simulated(t, best, fixedRule(10), 10)
				if off := bestRate/bestRule - 1; math.Abs(off) > 1e-3 {
					t.Errorf("%s: a fixed limit has %v/s, simulated %v/s", s.name, bestRate, bestRule)
				}
				regret, want := 1-rate/bestRate, 1-ruleRate/bestRule
				if math.Abs(regret-want) > 0.05 {
					t.Errorf("%s, %s, seed %d: the regret is %.3f, by the rule %.3f", s.name, name,
						sc.Seed, regret, want)
				}
				t.Logf("%s, %s: the regret is %.3f, by the rule %.3f", s.name, name, regret, want)
			}
		}
	}
}
