package capacity

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/internal/objectives"
	"github.com/poolbench/poolbench/internal/statistics/theory"
	"github.com/poolbench/poolbench/strategies"
)

func scenario(
	t testing.TB, strategy string, clock bench.Clock, tasks int, seed uint64,
) bench.Scenario {
	t.Helper()
	c, err := param.Parse(strategy)
	if err != nil {
		t.Fatal(err)
	}
	v, err := strategies.Resolve(c)
	if err != nil {
		t.Fatal(err)
	}
	return bench.Scenario{Strategy: v, Limit: 4, Clock: clock, Seed: seed,
		Stop: bench.Stop{Tasks: tasks, Warmup: 0.1}}
}

// ofLength sets a drain time, so that the search is about runs of this length, not the long run.
func ofLength(
	t testing.TB, strategy string, clock bench.Clock, tasks int, seed uint64,
) bench.Scenario {
	t.Helper()
	sc := scenario(t, strategy, clock, tasks, seed)
	sc.Drain = time.Hour
	return sc
}

func list(t testing.TB, text string) objectives.List {
	t.Helper()
	l, err := objectives.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// made returns a synthetic run whose mean wait misses or meets one second.
func made(sc bench.Scenario, missed bool) *bench.Result {
	wait := 0.5
	if missed {
		wait = 1.5
	}
	return &bench.Result{Name: sc.Name(), Seed: sc.Seed,
		Metrics: []result.Metric{{Unit: "mean-wait-sec", Value: wait},
			{Unit: "offered-ops/s", Value: 100 * sc.Load.Relative}}}
}

func ignore(bench.Scenario, *bench.Result, error) error { return nil }

func isNaN(v float64) bool { return math.IsNaN(v) }

// If all seeds have the same critical load, the first runs at each load must suffice.
func TestSharp(t *testing.T) {
	for _, edge := range []float64{0.1001, 0.2, 0.5, 0.7777, 1.19} {
		s := Search{Scenarios: []bench.Scenario{ofLength(t, "semaphore", bench.Virtual, 100, 1)},
			Objectives: list(t, "mean-wait<1s"), Lo: 0.1, Hi: 1.2}
		answers, err := s.Do(t.Context(),
			func(_ context.Context, sc bench.Scenario) (*bench.Result, error) {
				return made(sc, sc.Load.Relative >= edge), nil
			}, ignore)
		if err != nil {
			t.Fatal(err)
		}
		a := answers[0]
		width := a.Missed - a.Met
		if a.Outcome() != Between || a.Met >= edge || a.Missed < edge || width > 0.012 &&
			width > 0.01*a.Missed {
			t.Errorf("edge %v: %v to %v (%v)", edge, a.Met, a.Missed, a.Outcome())
		}
		if a.Runs() != 6*len(a.Probes) || len(a.Probes) > s.probes() || a.Runs() > s.MaxRuns() {
			t.Errorf("edge %v: %d runs at %d loads", edge, a.Runs(), len(a.Probes))
		}
		for _, p := range a.Probes {
			if math.Abs(p.Offered-100*p.At) > 1e-9 {
				t.Errorf("offered at %v: %v", p.At, p.Offered)
			}
		}
	}
}

func TestOneSided(t *testing.T) {
	s := Search{Scenarios: []bench.Scenario{ofLength(t, "semaphore", bench.Virtual, 100, 1)},
		Objectives: list(t, "mean-wait<1s"), Lo: 0.1, Hi: 1.2}
	for _, c := range []struct {
		edge        float64
		want        Outcome
		met, missed float64
	}{{5, AtLeast, 1.2, math.NaN()}, {0.01, Nowhere, math.NaN(), 0.1}} {
		answers, err := s.Do(t.Context(),
			func(_ context.Context, sc bench.Scenario) (*bench.Result, error) {
				return made(sc, sc.Load.Relative >= c.edge), nil
			}, ignore)
		if err != nil {
			t.Fatal(err)
		}
		same := func(a, b float64) bool { return a == b || isNaN(a) && isNaN(b) }
		if a := answers[0]; a.Outcome() != c.want || !same(a.Met, c.met) ||
			!same(a.Missed, c.missed) || len(a.Probes) != grid {
			t.Errorf("edge %v: %+v, %v", c.edge, a, a.Outcome())
		}
	}
}

// Runs without the metric must not decide.
func TestUntold(t *testing.T) {
	s := Search{Scenarios: []bench.Scenario{ofLength(t, "semaphore", bench.Virtual, 100, 1)},
		Objectives: list(t, "short-mean-response<1s"), Lo: 0.1, Hi: 1.2}
	answers, err := s.Do(t.Context(), func(_ context.Context, sc bench.Scenario) (*bench.Result,
		error) {
		return made(sc, false), nil
	}, ignore)
	if err != nil {
		t.Fatal(err)
	}
	if a := answers[0]; a.Outcome() != Unknown || !isNaN(a.Met) || !isNaN(a.Missed) ||
		a.Untold() != a.Runs() {
		t.Errorf("%+v, %v", a, a.Outcome())
	}
}

// The answer must be the highest critical load, with a list of missed loads below it.
func TestNotMonotone(t *testing.T) {
	s := Search{Scenarios: []bench.Scenario{ofLength(t, "semaphore", bench.Virtual, 100, 1)},
		Objectives: list(t, "mean-wait<1s"), Lo: 0.1, Hi: 1.2}
	answers, err := s.Do(t.Context(),
		func(_ context.Context, sc bench.Scenario) (*bench.Result, error) {
			load := sc.Load.Relative
			return made(sc, load < 0.2 || load > 0.4 && load < 0.6 || load > 0.8), nil
		}, ignore)
	if err != nil {
		t.Fatal(err)
	}
	if a := answers[0]; a.Met > 0.8 || a.Missed < 0.8 ||
		!slices.Equal(a.MissedBelow, []float64{0.1, 0.54}) {
		t.Errorf("%v to %v, missed below %v", a.Met, a.Missed, a.MissedBelow)
	}
}

// The critical load varies by seed (virtual clock) or by run (real clock). 95 % of the intervals
// must contain its median.
func TestCoverage(t *testing.T) {
	const median = 0.6
	searches := 200
	if testing.Short() {
		searches = 60
	}
	for clock, own := range map[bench.Clock]bool{bench.Virtual: false, bench.Real: true} {
		r := rand.New(rand.NewPCG(4, uint64(clock)))
		held, width := 0, 0.0
		for i := range searches {
			edge := func(seed uint64) float64 {
				// skewed, so that the mean differs from the median
				x := rand.New(rand.NewPCG(seed, uint64(i))).NormFloat64()
				if own {
					x = r.NormFloat64()
				}
				return median * math.Exp(0.05*x)
			}
			s := Search{Scenarios: []bench.Scenario{ofLength(t, "semaphore", clock, 100, 1)},
				Objectives: list(t, "mean-wait<1s"), Lo: 0.1, Hi: 1.2, Resolution: 0.005}
			answers, err := s.Do(t.Context(),
				func(_ context.Context, sc bench.Scenario) (*bench.Result, error) {
					return made(sc, sc.Load.Relative >= edge(sc.Seed)), nil
				}, ignore)
			if err != nil {
				t.Fatal(err)
			}
			a := answers[0]
			if a.Outcome() != Between {
				t.Fatalf("%+v", a)
			}
			if a.Met <= median && median <= a.Missed {
				held++
			}
			width += (a.Missed - a.Met) / float64(searches)
		}
		// three standard deviations: 4.6 % in 200 searches
		least := 0.95 - 3*math.Sqrt(0.95*0.05/float64(searches))
		if share := float64(held) / float64(searches); share < least {
			t.Errorf("%v clock: the interval holds the median in %.1f %% of the searches",
				clock, 100*share)
		}
		if width < 0.01 || width > 0.15 {
			t.Errorf("%v clock: mean width %.4f", clock, width)
		}
		t.Logf("%v clock: %d of %d intervals hold it, mean width %.4f", clock,
			held, searches, width)
	}
}

func TestAgainstTheory(t *testing.T) {
	const mean, limit = 0.010, 4
	cases := []struct {
		objective string
		wait      float64
		seed      uint64
	}{{"mean-wait<=2ms", 0.002, 1}, {"mean-wait<=5ms", 0.005, 1}, {"mean-wait<=5ms", 0.005, 1001},
		{"mean-wait<=5ms", 0.005, 2001}}
	if testing.Short() {
		cases = cases[:1]
	}
	for _, c := range cases {
		exact := crossing(t, mean, limit, c.wait)
		s := Search{Scenarios: []bench.Scenario{scenario(t, "semaphore", bench.Virtual, 2000,
			c.seed)}, Objectives: list(t, c.objective), Lo: 0.3, Hi: 1.1}
		answers, err := s.Do(t.Context(), bench.Run, ignore)
		if err != nil {
			t.Fatal(err)
		}
		a := answers[0]
		t.Logf("%s, seed %d: %v to %v in %d runs, exactly %.4f", c.objective, c.seed, a.Met,
			a.Missed, a.Runs(), exact)
		if a.Outcome() != Between || a.Met > exact || a.Missed < exact || a.Missed-a.Met > 0.15 {
			t.Errorf("%s, seed %d: %v to %v (%v), exactly %.4f", c.objective, c.seed, a.Met,
				a.Missed, a.Outcome(), exact)
		}
	}
}

// Strategies with the same queue must have the same answer.
func TestSameQueue(t *testing.T) {
	s := Search{
		Scenarios: []bench.Scenario{scenario(t, "semaphore", bench.Virtual, 500, 1),
			scenario(t, "worker_pool", bench.Virtual, 500, 1)},
		Objectives: list(t, "p99-response<80ms"), Lo: 0.3, Hi: 1.1, Resolution: 0.05,
	}
	answers, err := s.Do(t.Context(), bench.Run, ignore)
	if err != nil {
		t.Fatal(err)
	}
	a, b := answers[0], answers[1]
	if a.Outcome() != Between || a.Met != b.Met || a.Missed != b.Missed || a.Runs() != b.Runs() {
		t.Errorf("%v to %v in %d runs, and %v to %v in %d", a.Met, a.Missed, a.Runs(), b.Met,
			b.Missed, b.Runs())
	}
}

// crossing returns the load at which an M/M/k queue has the given mean wait.
func crossing(t *testing.T, mean float64, limit int, wait float64) float64 {
	lo, hi := 0.0, 1.0
	for range 60 {
		mid := (lo + hi) / 2
		a, err := theory.MMk(theory.Pool{Rate: mid * float64(limit) / mean,
			MeanService: mean, Limit: limit})
		if err != nil {
			t.Fatal(err)
		}
		if a.MeanWait < wait {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}

func TestCommonSeeds(t *testing.T) {
	s := Search{
		Scenarios: []bench.Scenario{ofLength(t, "semaphore", bench.Virtual, 100, 40),
			ofLength(t, "worker_pool", bench.Virtual, 100, 40)},
		Objectives: list(t, "mean-wait<1s"), Lo: 0.1, Hi: 1.2,
	}
	seeds := map[string][]uint64{}
	_, err := s.Do(t.Context(), func(_ context.Context, sc bench.Scenario) (*bench.Result, error) {
		return made(sc, sc.Load.Relative > 0.5+0.01*float64(sc.Seed%7)), nil
	}, func(sc bench.Scenario, _ *bench.Result, _ error) error {
		seeds[sc.Name()] = append(seeds[sc.Name()], sc.Seed)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, got := range seeds {
		for i, seed := range got {
			if seed != 40+uint64(i) {
				t.Fatalf("%s: seeds %v", name, got)
			}
		}
		other := strings.NewReplacer("semaphore", "worker_pool", "worker_pool",
			"semaphore").Replace(name)
		if !slices.Equal(got, seeds[other]) {
			t.Errorf("%s: seeds %v, and %v for the other strategy", name, got, seeds[other])
		}
	}
}

// The searches of other scenarios must continue.
func TestFailure(t *testing.T) {
	s := Search{
		Scenarios: []bench.Scenario{ofLength(t, "semaphore", bench.Virtual, 100, 1),
			ofLength(t, "worker_pool", bench.Virtual, 100, 1)},
		Objectives: list(t, "mean-wait<1s"), Lo: 0.1, Hi: 1.2, Parallel: 1,
	}
	hangs := errors.New("it hangs")
	var failures int
	answers, err := s.Do(t.Context(),
		func(_ context.Context, sc bench.Scenario) (*bench.Result, error) {
			if sc.Strategy.Spec.Name == "worker_pool" {
				return nil, hangs
			}
			return made(sc, sc.Load.Relative > 0.5), nil
		}, func(_ bench.Scenario, r *bench.Result, err error) error {
			if err != nil {
				failures++
			}
			return nil
		})
	if err != nil {
		t.Fatal(err)
	}
	if a := answers[0]; a.Err != nil || a.Outcome() != Between {
		t.Errorf("%+v", a)
	}
	if b := answers[1]; !errors.Is(b.Err, hangs) || b.Outcome() != Unknown || failures != 1 {
		t.Errorf("%+v, %d failures", b, failures)
	}
}

// The answer must contain the completed runs.
func TestInterrupted(t *testing.T) {
	s := Search{Scenarios: []bench.Scenario{ofLength(t, "semaphore", bench.Virtual, 100, 1)},
		Objectives: list(t, "mean-wait<1s"), Lo: 0.1, Hi: 1.2}
	enough := errors.New("enough")
	runs := 0
	answers, err := s.Do(t.Context(),
		func(_ context.Context, sc bench.Scenario) (*bench.Result, error) {
			return made(sc, sc.Load.Relative > 0.5), nil
		}, func(bench.Scenario, *bench.Result, error) error {
			if runs++; runs == 6*grid+2 {
				return enough
			}
			return nil
		})
	if a := answers[0]; !errors.Is(err, enough) || a.Met != 0.32 || a.Missed != 0.54 ||
		a.Runs() != runs {
		t.Errorf("%v: %+v", err, a)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if answers, err := s.Do(ctx, bench.Run, ignore); !errors.Is(err, context.Canceled) ||
		answers[0].Outcome() != Unknown {
		t.Errorf("%v: %+v", err, answers)
	}
}

func TestValidate(t *testing.T) {
	good := Search{Scenarios: []bench.Scenario{scenario(t, "semaphore", bench.Virtual, 100, 1)},
		Objectives: list(t, "mean-wait<1s"), Lo: 0.1, Hi: 1.2}
	if err := good.Validate(); err != nil {
		t.Fatal(err)
	}
	for want, spoil := range map[string]func(*Search){
		"no objective is given": func(s *Search) {
			s.Objectives = nil
		},
		"no scenario is given":               func(s *Search) { s.Scenarios = nil },
		"range 2 to 1.2: want two numbers":   func(s *Search) { s.Lo = 2 },
		"range 0 to 1.2: want two numbers":   func(s *Search) { s.Lo = 0 },
		"range NaN to 1.2: want two numbers": func(s *Search) { s.Lo = math.NaN() },
		"load 2000: want":                    func(s *Search) { s.Hi = 2000 },
		"resolution 1e-05: want": func(s *Search) {
			s.Resolution = 1e-5
		},
		"confidence 1: want": func(s *Search) { s.Confidence = 1 },
		"5 runs at a load are too few for this confidence,": func(s *Search) { s.Runs = 5 },
	} {
		s := good
		spoil(&s)
		if err := s.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
		if _, err := s.Do(t.Context(), bench.Run, ignore); err == nil {
			t.Errorf("%s: it searches nevertheless", want)
		}
	}
}

func TestResult(t *testing.T) {
	s := Search{Scenarios: []bench.Scenario{scenario(t, "semaphore", bench.Virtual, 100, 1)},
		Objectives: list(t, "p99-response<50ms,shed<1%"), Lo: 0.1, Hi: 1.2, Confidence: 0.9}
	r := s.Result(Answer{Scenario: s.Scenarios[0], Met: 0.7, Missed: math.NaN(),
		Probes: []Probe{{At: 0.1}, {At: 0.7, Met: 6,
			Losses: LossesOf(&bench.Result{Metrics: []result.Metric{
				{Unit: "shed/op", Value: 0.2}}})}}})
	const name = "Capacity/strategy=semaphore/workload=exponential/target=none/arrival=poisson/limit=4/load=0.1..1.2/n=100/clock=virtual/confidence=0.9/objective=p99-response<50ms,shed<1%"
	if r.Name != name || r.Tasks != 6 ||
		fmt.Sprint(r.Metrics) != "[{capacity-met-load 0.7} {capacity-probes 2} "+
			"{shed/op 0.2} {throttled/op 0} {failed/op 0} {abandoned/op 0}]" {
		t.Errorf("%+v", r)
	}
	s.Over, s.Confidence = Rate, 0
	if r := s.Result(Answer{Scenario: s.Scenarios[0], Met: 70,
		Missed: 80}); !strings.Contains(r.Name, "/rate=0.1..1.2/") ||
		r.Metrics[1].Unit != "capacity-missed-rate" {
		t.Errorf("%+v", r)
	}
}
