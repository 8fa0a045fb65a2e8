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

// A server answers requests that come at a rate for a time, so many at once, and the machine may be
// busy meanwhile.
type server struct {
	rate, capacity float64 // per second
	slots          int
	order          string  // in which it takes what waits: "fifo", "lifo" or "random"
	spread         float64 // of its times: 0 is none, 1 exponential
	stalls         float64 // per second, in which nothing begins or ends for 0.3 s in the mean
	cold           float64 // its first second of requests takes so many times as long
	span, drain    time.Duration
}

// record is what an attack without a bound records of it.
func (s server) record(seed uint64) *bench.Recording {
	random := rand.New(rand.NewPCG(seed, 1))
	n := int(s.rate * s.span.Seconds())
	last := int64(s.span + s.drain)
	var stalls []int64 // begin and end
	for at := 0.0; s.stalls > 0 && at < float64(last)/observe.Second; {
		at += random.ExpFloat64() / s.stalls
		length := 0.3 * random.ExpFloat64()
		stalls = append(stalls, int64(at*observe.Second), int64((at+length)*observe.Second))
		at += length
	}
	awake := func(t int64) int64 { // at or after t
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
	free := make([]int64, s.slots) // when each slot is
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

// TestGrowthIsTold: a server that is sent more than it can do is told as one, in whatever order it
// takes requests up, whether or not those that wait longest are given up, on a quiet machine and on
// one that stops a third of the time.
func TestGrowthIsTold(t *testing.T) {
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

// TestOverloadIsTold: a run that is offered more than its slots can do is not VALID, in whatever
// order tasks are served: those that are short are served at once however many wait.
func TestOverloadIsTold(t *testing.T) {
	t.Parallel()
	seeds := uint64(20)
	if testing.Short() {
		seeds = 1
	}
	for seed := range seeds {
		for _, w := range []bench.Written{
			{Strategy: "shortest_first", Workload: "hyperexp:c2=10", Limit: 2, Load: 1.05},
			{Strategy: "partitioned", Workload: "exponential", Limit: 4, Load: 1.2},
			{Strategy: "worker_pool", Workload: "constant", Limit: 4, Load: 1},
			{Strategy: "partitioned", Workload: "exponential", Limit: 4, Load: 0.7},
			{Strategy: "bounded_queue_shed", Workload: "exponential", Limit: 4, Load: 1.01},
			{Strategy: "unbounded", Workload: "exponential", Limit: 4, Load: 1.2},
		} {
			w.Tasks, w.Seed = 10_000, seed // the fewer they are, the less there is to tell it by
			want := w.Load >= 1 && w.Strategy != "bounded_queue_shed" && w.Strategy != "unbounded"
			if r := run(t, scenario(t, w)); r.Drifts() != want {
				t.Errorf("%+v: it grows %v, want %v: %v", w, r.Drifts(), want, r.Reasons)
			}
		}
	}
}

// TestNoGrowthIsNotTold: a server that keeps up is not, however noisy it, its start and the machine
// are: 5 alarms in 1000 are allowed.
func TestNoGrowthIsNotTold(t *testing.T) {
	if race.Enabled {
		t.Skip("package bench has the same runs under the race detector")
	}
	t.Parallel()
	runs, alarms, seeds := 0, 0, uint64(50)
	if testing.Short() {
		seeds = 2
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
						continue // it cannot keep up on such a machine
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
