package capacity

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/internal/objectives"
	"github.com/poolbench/poolbench/internal/statistics"
	"github.com/poolbench/poolbench/internal/statistics/recursion"
	"github.com/poolbench/poolbench/internal/statistics/theory"

	"github.com/poolbench/poolbench/internal/machine/race"
)

// fromPlan computes a result by the Lindley recursion, without a run.
func fromPlan(_ context.Context, sc bench.Scenario) (*bench.Result, error) {
	queue, follows := sc.FollowsPlan()
	plan, err := sc.Plan()
	if err != nil || !follows {
		return nil, fmt.Errorf("%s: %w", sc.Name(), err)
	}
	var pool recursion.Pool
	pool.Run(plan.Due, plan.Service, sc.Limit, queue)
	responses := pool.Responses()[plan.Warmup:]
	all := float64(len(responses))
	responses = slices.DeleteFunc(responses, func(r int64) bool { return r == recursion.Shed })
	shed := (all - float64(len(responses))) / all
	p99 := statistics.NearestRanks(nil, responses, 0.99)[0]
	return &bench.Result{Name: sc.Name(), Seed: sc.Seed, Metrics: []result.Metric{
		{Unit: "p99-response-sec", Value: float64(p99) / 1e9},
		{Unit: "shed/op", Value: shed}}}, nil
}

// queueing is a scenario whose metric is known from theory at every limit.
type queueing struct {
	written bench.Encoded
	unit    string // of the objective
	at      func(limit int) float64
}

// queueings returns a random queue and a limit near the answer.
func queueings(random *rand.Rand, i int) (q queueing, limit int) {
	limit = 2 + random.IntN(14)
	mean := 0.001 + 0.05*random.Float64()
	rate := float64(limit) * (0.4 + 0.45*random.Float64()) / mean
	pool := func(k int) theory.Pool { return theory.Pool{Rate: rate, MeanService: mean, Limit: k} }
	q.written = bench.Encoded{Strategy: "worker_pool", Target: "none", Arrival: "poisson",
		Rate: rate, Clock: "virtual", Tasks: 20_000, Warmup: 0.1, Limit: 1,
		Seed: random.Uint64N(1 << 30)}
	quantile := func(a *theory.Answer, err error) float64 {
		if err != nil {
			return math.Inf(1) // unstable
		}
		return a.P99()
	}
	spell := fmt.Sprintf("%.9fs", mean)
	q.unit = "p99-response-sec"
	switch i % 4 {
	case 0:
		q.written.Workload = "exponential:mean=" + spell
		q.at = func(k int) float64 { return quantile(theory.MMk(pool(k))) }
	case 1:
		q.written.Workload = "constant:mean=" + spell
		q.at = func(k int) float64 { return quantile(theory.MDk(pool(k))) }
	case 2:
		h := theory.H2{P1: 0.9, Mean1: mean / 1.8, Mean2: 5 * mean}
		q.written.Workload = fmt.Sprintf("mixture:w1=0.9,d1=exp(%.9fs),w2=0.1,d2=exp(%.9fs)",
			h.Mean1, h.Mean2)
		q.at = func(k int) float64 { return quantile(theory.MH2k(rate, h, k)) }
	default:
		q.written.Strategy, q.written.Queue = "bounded_queue_shed", 1+random.IntN(2*limit)
		q.written.Workload = "exponential:mean=" + spell
		q.unit = "shed/op"
		q.at = func(k int) float64 {
			return theory.Must(theory.MMkK(pool(k), q.written.Queue)).ShedProb
		}
	}
	return q, limit
}

// The answer may name two limits if the runs cannot distinguish them.
func TestSmallestLimit(t *testing.T) {
	if race.Enabled {
		t.Skip("package bench has the same runs under the race detector")
	}
	random := rand.New(rand.NewPCG(16, 50))
	two := 0
	cases := 50
	if testing.Short() {
		cases = 3
	}
	for i := range cases {
		q, bound := resolvable(random, i)
		sc, err := q.written.Scenario()
		if err != nil {
			t.Fatal(err)
		}
		s := Search{Scenarios: []bench.Scenario{sc}, Over: Limit, Lo: 1, Hi: 64,
			Objectives: objectives.List{q.objective(t, bound)}}
		answers, err := s.Do(t.Context(), fromPlan, ignore)
		if err != nil {
			t.Fatal(err)
		}
		want := 1
		for q.at(want) >= bound {
			want++
		}
		a := answers[0]
		from, to := a.Missed+1, a.Met
		if from < to {
			two++
		}
		if !(from <= float64(want) && float64(want) <= to && to <= from+1) {
			t.Errorf("case %d, %s with %s < %v at %v/s: the smallest limit is %v to %v, by theory "+
				"%d (there %v, one less %v)", i, q.written.Workload, q.unit, bound,
				q.written.Rate, from, to, want, q.at(want), q.at(want-1))
		}
	}
	t.Logf("%d of %d answers name two limits", two, cases)
}

// resolvable returns a random queue with a bound that separates two neighbouring limits by 3 %, the
// error of the median of 16 p99s.
func resolvable(random *rand.Rand, i int) (q queueing, bound float64) {
	const apart, minShed = 1.03, 0.003
	for {
		q, limit := queueings(random, i)
		best := apart * q.at(limit)
		worse := math.Min(q.at(limit-1), 3*q.at(limit)) / apart
		bound := best + (worse-best)*random.Float64()
		if worse > best && (q.unit != "shed/op" || bound > minShed) {
			return q, bound
		}
	}
}

func (q queueing) objective(t *testing.T, bound float64) objectives.Objective {
	t.Helper()
	text := fmt.Sprintf("p99-response<%.9fs", bound)
	if q.unit == "shed/op" {
		text = fmt.Sprintf("shed<%.12f", bound)
	}
	return list(t, text)[0]
}

// Limits below the one that is met have a slow p99, and larger ones lose tasks.
func TestLimitBetweenObjectives(t *testing.T) {
	for _, c := range []struct {
		list     string
		from, to int // limits at which all objectives are met
		hi       float64
	}{
		{"p99-response<1s,throttled<1%", 4, 4, 64},
		{"p99-response<1s", 5, 6, 64}, // missed by losses on the other side
		{"p99-response<1s,throttled<1%", 23, 23, 200},
		{"p99-response<1s,throttled<1%", 9, 8, 64}, // none
	} {
		s := Search{Scenarios: []bench.Scenario{ofLength(t, "semaphore", bench.Virtual, 1000, 1)},
			Objectives: list(t, c.list), Over: Limit, Lo: 1, Hi: c.hi}
		s.Scenarios[0].Load = bench.Load{PerSecond: 100}
		answers, err := s.Do(t.Context(),
			func(_ context.Context, sc bench.Scenario) (*bench.Result, error) {
				p99, lost := 0.5, 0.0
				if sc.Limit < c.from {
					p99 = 2
				}
				if sc.Limit > c.to {
					lost = 0.02
				}
				return &bench.Result{Name: sc.Name(), Seed: sc.Seed, Metrics: []result.Metric{
					{Unit: "p99-response-sec", Value: p99}, {Unit: "throttled/op", Value: lost}}}, nil
			}, ignore)
		if err != nil {
			t.Fatal(err)
		}
		a, want := answers[0], float64(c.from)
		if c.from > c.to {
			if a.Outcome() != Nowhere {
				t.Errorf("%s: %v, met at %v, want none", c.list, a.Outcome(), a.Met)
			}
		} else if a.Met != want || a.Missed != want-1 {
			t.Errorf("%s: met at %v, missed at %v, want %v and %v", c.list, a.Met, a.Missed, want,
				want-1)
		}
	}
}

// Two pools need a limit of 2, so their range begins there.
func TestLowEnds(t *testing.T) {
	s := Search{Scenarios: []bench.Scenario{scenario(t, "segregated", bench.Virtual, 1000, 1),
		scenario(t, "semaphore", bench.Virtual, 1000, 1)},
		Objectives: list(t, "p99-response<1s"), Over: Limit, Lo: 1, Hi: 64}
	for i, want := range []float64{2, 1} {
		s.Scenarios[i].Load = bench.Load{PerSecond: 100}
		if got := s.first(s.Scenarios[i])[0]; got != want {
			t.Errorf("%v: from %v, want %v", s.Scenarios[i].Strategy, got, want)
		}
	}
	if err := s.Validate(); err != nil {
		t.Error(err)
	}
}
