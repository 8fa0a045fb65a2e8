package validity_test

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/arrivals"
	"github.com/poolbench/poolbench/bench/record"
	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/internal/observe"
	"github.com/poolbench/poolbench/internal/rundir"

	"github.com/poolbench/poolbench/internal/machine/race"
)

// server simulates a server at a constant rate, optionally with stalls.
type server struct {
	rate, capacity float64
	slots          int
	order          string  // order of service: "fifo", "lifo" or "random"
	spread         float64 // spread of the service times: 0 is constant, 1 is exponential
	stalls         float64 // stalls per second; a stall lasts 0.3 s on average
	cold           float64 // factor on the service times of requests in the first second
	span, drain    time.Duration
}

func (s server) record(seed uint64) *bench.Recording {
	random := rand.New(rand.NewPCG(seed, 1))
	n := int(s.rate * s.span.Seconds())
	last := int64(s.span + s.drain)
	var stalls []int64
	for at := 0.0; s.stalls > 0 && at < float64(last)/observe.Second; {
		at += random.ExpFloat64() / s.stalls
		length := 0.3 * random.ExpFloat64()
		stalls = append(stalls, int64(at*observe.Second), int64((at+length)*observe.Second))
		at += length
	}
	awake := func(t int64) int64 { // earliest time from t on without a stall
		for i := 0; i < len(stalls); i += 2 {
			if t >= stalls[i] && t < stalls[i+1] {
				return stalls[i+1]
			}
		}
		return t
	}
	l := record.New(n)
	dues := make([]int64, n)
	for i := range dues {
		dues[i] = int64(float64(i) / s.rate * observe.Second)
		l.Add(dues[i])
	}
	free := make([]int64, s.slots)
	var waiting []int
	settle := func(i int, outcome record.Outcome, end int64) {
		r := l.At(uint64(i))
		r.Issue = awake(dues[i])
		r.Attempt(awake(dues[i]), end-awake(dues[i]))
		r.Settle(outcome, end)
	}
	var busy, at int64
	for next := 0; next < n || len(waiting) > 0; {
		slot := slices.Index(free, slices.Min(free))
		at = awake(max(at, free[slot]))
		if len(waiting) == 0 && next < n {
			at = max(at, awake(dues[next]))
		}
		for ; next < n && awake(dues[next]) <= at; next++ {
			waiting = append(waiting, next)
		}
		pick := 0
		switch s.order {
		case "lifo":
			pick = len(waiting) - 1
		case "random":
			pick = random.IntN(len(waiting))
		}
		i := waiting[pick]
		waiting = slices.Delete(waiting, pick, pick+1)
		takes := float64(s.slots) / s.capacity * observe.Second *
			(1 - s.spread + s.spread*random.ExpFloat64())
		if dues[i] < int64(observe.Second) {
			takes *= cmp.Or(s.cold, 1)
		}
		if free[slot] = awake(at + int64(takes)); free[slot] > last {
			settle(i, record.Abandoned, last)
		} else {
			settle(i, record.Completed, free[slot])
		}
		busy += l.At(uint64(i)).Busy
	}
	return &bench.Recording{Name: "Attack/target=h/clock=real", Seed: seed,
		Arrival: arrivals.MustParse("constant"), Rate: s.rate, Duration: s.span,
		Records: []record.Log{l}, Peak: record.PeakOf([]record.Log{l}), Busy: busy}
}

func (s server) grows(t *testing.T, seed uint64) bool {
	t.Helper()
	r, err := s.record(seed).Result()
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Broken) > 0 {
		t.Fatal(r.Broken)
	}
	return slices.ContainsFunc(r.Reasons, func(r result.Reason) bool {
		return r.Check == rundir.CheckDrift
	})
}

func TestGrowthIsReported(t *testing.T) {
	t.Parallel()
	seeds := uint64(8)
	if testing.Short() {
		seeds = 1
	}
	for name, s := range map[string]server{
		"the finding": {rate: 90, capacity: 50, slots: 3, span: 6 * time.Second},
		"slow growth": {rate: 55, capacity: 50, slots: 3, span: 20 * time.Second},
		"twice":       {rate: 400, capacity: 200, slots: 8, span: 3 * time.Second},
		"six times":   {rate: 300, capacity: 50, slots: 1, span: 10 * time.Second},
		"few answers": {rate: 100, capacity: 10, slots: 1, span: 5 * time.Second},
	} {
		s.drain = 5 * time.Second
		for _, s.order = range []string{"fifo", "random", "lifo"} {
			for _, s.spread = range []float64{0, 0.3} {
				for _, s.stalls = range []float64{0, 0.5, 1.5} {
					for seed := range seeds {
						if !s.grows(t, seed) {
							t.Errorf("%s: %+v, seed %d: not told", name, s, seed)
						}
					}
				}
			}
		}
	}
}

// A strategy may start short tasks at once even if the queue grows.
func TestOverloadIsReported(t *testing.T) {
	t.Parallel()
	seeds := uint64(20)
	if testing.Short() {
		seeds = 1
	}
	for seed := range seeds {
		for i, w := range []bench.Encoded{
			{Strategy: "shortest_first", Workload: "hyperexp:c2=10", Limit: 2, Load: 1.05},
			{Strategy: "partitioned", Workload: "exponential", Limit: 4, Load: 1.2},
			{Strategy: "worker_pool", Workload: "constant", Limit: 4, Load: 1},
			{Strategy: "partitioned", Workload: "exponential", Limit: 4, Load: 0.7},
			{Strategy: "bounded_queue_shed", Workload: "exponential", Limit: 4, Load: 1.01},
			{Strategy: "unbounded", Workload: "exponential", Limit: 4, Load: 1.2},
		} {
			if testing.Short() && i%2 != 0 {
				continue
			}
			w.Tasks, w.Seed = 10_000, seed
			want := w.Load >= 1 && w.Strategy != "bounded_queue_shed" && w.Strategy != "unbounded"
			if r := run(t, scenario(t, w)); r.Drifts() != want {
				t.Errorf("%+v: it grows %v, want %v: %v", w, r.Drifts(), want, r.Reasons)
			}
		}
	}
}

// 5 false alarms in 1000 runs are allowed.
func TestStableServerIsNotReported(t *testing.T) {
	if race.Enabled {
		t.Skip("package bench has the same runs under the race detector")
	}
	t.Parallel()
	runs, alarms, seeds := 0, 0, uint64(50)
	if testing.Short() {
		seeds = 1
	}
	for name, s := range map[string]server{
		"light":    {rate: 30, capacity: 100, slots: 3, span: 10 * time.Second},
		"heavy":    {rate: 90, capacity: 100, slots: 3, span: 20 * time.Second},
		"warm-up":  {rate: 60, capacity: 100, slots: 3, span: 10 * time.Second, cold: 3},
		"few":      {rate: 25, capacity: 50, slots: 1, span: 10 * time.Second},
		"the edge": {rate: 97, capacity: 100, slots: 8, span: 20 * time.Second},
	} {
		s.drain = 5 * time.Second
		for _, s.order = range []string{"fifo", "random", "lifo"} {
			for _, s.spread = range []float64{0, 1} {
				for _, s.stalls = range []float64{0, 0.2} {
					if s.stalls > 0 && name != "light" && name != "few" {
						continue // the server cannot keep up with these stalls
					}
					for seed := range seeds {
						if runs++; s.grows(t, seed) {
							alarms++
							t.Logf("%s: %+v, seed %d", name, s, seed)
						}
					}
				}
			}
		}
	}
	if t.Logf("%d alarms in %d runs", alarms, runs); 200*alarms > runs {
		t.Errorf("%d alarms in %d runs", alarms, runs)
	}
}
