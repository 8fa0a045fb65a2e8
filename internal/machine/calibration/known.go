package calibration

import (
	"fmt"
	"math"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/arrivals"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/statistics/theory"
)

type Case struct {
	Name     string // A1 … A6, as in the documentation of Known
	What     string // short description
	Scenario bench.Scenario
	Count    int // number of repetitions whose mean is judged; 0 means 1
	Checks   []Check
}

type Check struct {
	Unit string  `json:"unit"`
	Want float64 `json:"known"`
	// relative; four standard deviations over seeds at this number of tasks
	Tolerance float64 `json:"tolerance"`
	// whether Want is the mean of independent simulations
	Simulated bool `json:"simulated,omitempty"`
}

type Verdict struct {
	Check
	Got float64 `json:"measured"` // NaN if the runs do not have the metric
}

func (v Verdict) Holds() bool { return math.Abs(v.Got/v.Want-1) <= v.Tolerance }

// Judge compares the mean over the runs with the known values.
func (c Case) Judge(runs ...*bench.Result) (verdicts []Verdict) {
	for _, check := range c.Checks {
		sum := 0.0
		for _, r := range runs {
			v, ok := r.Metric(check.Unit)
			if !ok {
				v = math.NaN()
			}
			sum += v
		}
		verdicts = append(verdicts, Verdict{check, sum / float64(len(runs))})
	}
	return verdicts
}

// Known returns the experiments at a share of their full size, in (0, 1]. The tolerances apply to
// that size. At full size they are 0.6 to 7.1 %, and 33 million tasks are simulated.
//
//	A1  exponential tasks on 4 slots at load 0.8, through four strategies that must agree: M/M/4
//	A2  constant tasks: M/D/4
//	A3  hyperexponential tasks with C² = 16 at load 0.7: M/H2/4
//	A4  4 slots that shed at load 1: Erlang's B, whatever the distribution
//	A5  a ticker and a token bucket at 80 of 100 per second: shifted M/D/1
//	A6  short and long tasks on 4 slots: pooled, separated, and partitioned
//
// If no formula is known, the value comes from independent simulation, with an uncertainty well
// within the tolerance.
func Known(size float64) []Case {
	k := known{size}
	return append(append(k.open(), k.rates()...), append(k.separation(), k.closed(), k.batch())...)
}

type known struct{ size float64 }

const (
	slots = 4
	mean  = 0.010 // seconds
)

// load 0 means no arrivals. At full size the scenario has n tasks without the warm-up.
func (k known) scenario(strategy, workload string, n, load float64) bench.Scenario {
	s, err := bench.Encoded{
		Strategy: strategy, Workload: workload, Target: "none", Arrival: "poisson",
		Clock: "virtual",
		Limit: slots, Tasks: int(n * k.size / 0.9), Warmup: 0.1, Seed: 1,
	}.Scenario()
	if err != nil {
		panic("calibration: " + err.Error())
	}
	s.Load.Relative = load
	return s
}

func (k known) check(unit string, want, percent float64) Check {
	return Check{Unit: unit, Want: want, Tolerance: percent / 100 / math.Sqrt(k.size)}
}

func (k known) simulated(unit string, want, percent float64) Check {
	c := k.check(unit, want, percent)
	c.Simulated = true
	return c
}

func pool(load float64) theory.Pool {
	return theory.Pool{Rate: load * slots / mean, MeanService: mean, Limit: slots}
}

func quantile(q func(float64) (float64, bool), p float64) float64 {
	t, ok := q(p)
	if !ok {
		panic("calibration: theory does not know this quantile")
	}
	return t
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(fmt.Sprintf("calibration: %v", err))
	}
	return v
}

func (k known) open() (cases []Case) {
	mm4 := must(theory.MMk(pool(0.8)))
	for _, strategy := range []string{"worker_pool", "semaphore", "weighted_semaphore",
		"errgroup_limit"} {
		s := k.scenario(strategy, "exponential:mean=10ms", 2e6, 0.8)
		cases = append(cases,
			Case{Name: "A1", What: "M/M/4 at load 0.8", Scenario: s, Checks: []Check{
				k.check(metric.MeanWait, mm4.MeanWait, 3.9),
				k.check(metric.Waited, mm4.WaitProb, 1.0),
				k.check(metric.P50Response, quantile(mm4.ResponseQuantile, 0.5), 1.5),
				k.check(metric.P99Response, quantile(mm4.ResponseQuantile, 0.99), 3.6)}})
	}
	md4 := must(theory.MDk(pool(0.8)))
	s := k.scenario("worker_pool", "constant:mean=10ms", 2e6, 0.8)
	cases = append(cases, Case{Name: "A2", What: "M/D/4 at load 0.8", Scenario: s, Checks: []Check{
		k.check(metric.MeanWait, md4.MeanWait, 2.7), k.check(metric.Waited, md4.WaitProb, 0.9),
		k.check(metric.P99Response, quantile(md4.ResponseQuantile, 0.99), 2.9)}})
	mh4 := must(theory.MH2k(pool(0.7).Rate, must(theory.BalancedH2(mean, 16)), slots))
	s = k.scenario("worker_pool", "hyperexp:mean=10ms,c2=16", 1e7, 0.7)
	cases = append(cases, Case{Name: "A3", What: "M/H2/4, C² = 16, at load 0.7",
		Scenario: s, Checks: []Check{
			k.check(metric.MeanWait, mh4.MeanWait, 5.5), k.check(metric.Waited, mh4.WaitProb, 1.2),
			k.check(metric.P99Response, quantile(mh4.ResponseQuantile, 0.99), 5.2)}})
	loss := must(theory.MGkk(pool(1)))
	for _, w := range []struct {
		name, what string
		percent    float64
	}{{"constant:mean=10ms", "M/D/4/4", 0.7}, {"exponential:mean=10ms", "M/M/4/4", 0.8},
		{"hyperexp:mean=10ms,c2=16", "M/H2/4/4", 2.2}} {
		s = k.scenario("bounded_queue_shed", w.name, 1e6, 1)
		s.Queue = bench.NoQueue
		cases = append(cases, Case{Name: "A4", What: w.what + " at load 1", Scenario: s,
			Checks: []Check{k.check(metric.Shed, loss.ShedProb, w.percent)}})
	}
	return cases
}

// rates returns A5: tasks that take almost no time, at a rate limit of 100 per second. The delay by
// a ticker is (W + U − D)⁺ and by a bucket (W − (b−1)·D)⁺. W is the wait in M/D/1 with a tick as
// the service time D, b is the size of the bucket, and U is uniform on a tick.
func (k known) rates() (cases []Case) {
	for _, c := range []struct {
		strategy, what  string
		mean, late, p99 float64 // mean and p99 in ms, late as a share
		percent         [3]float64
	}{
		{"ticker_limited:rate=100", "a ticker of 10 ms at 80 a second", 16.330, 0.693615, 98.74,
			[3]float64{2.5, 0.6, 4.2}},
		{"token_bucket:rate=100,burst=5", "a bucket of 5 at 80 of 100 a second", 3.5888, 0.154625,
			63.56, [3]float64{7.1, 3.6, 6.5}},
	} {
		s := k.scenario(c.strategy, "constant:mean=100ns", 2e6, 0)
		s.Limit, s.Queue, s.Load.PerSecond = 1000, 1_000_000, 80
		cases = append(cases, Case{Name: "A5", What: c.what, Scenario: s, Checks: []Check{
			k.check(metric.MeanWait, c.mean/1000, c.percent[0]),
			k.check(metric.Waited, c.late, c.percent[1]),
			k.check(metric.P99Wait, c.p99/1000, c.percent[2])}})
	}
	return cases
}

// separation returns A6: 95 % of the tasks take 1 ms, the others 50 ms, at 927.536 per second.
func (k known) separation() (cases []Case) {
	for _, c := range []struct {
		strategy, what   string
		short, p99, long float64 // in ms
		percent          float64
		exact            bool
	}{
		{"worker_pool", "short and long tasks in one pool", 14.064, 92.4, 63.07, 6.5, false},
		{"segregated:short=1,long=3", "apart: 1 slot for the short, 3 for the long", 4.70732,
			19.242, 72.863, 3.1, true},
		{"partitioned:quantum=1ms", "in steps of 1 ms", 1.6432, 5.41, 86.13, 2.7, false},
	} {
		s := k.scenario(c.strategy, "bimodal:p=0.05,short=1ms,long=50ms", 2e6, 0)
		s.Queue, s.Load.PerSecond = 10_000_000, 927.536
		short := k.simulated(metric.ShortMeanResponse, c.short/1000, c.percent)
		short.Simulated = !c.exact
		cases = append(cases, Case{Name: "A6", What: c.what, Scenario: s, Checks: []Check{short,
			k.simulated(metric.ShortP99Response, c.p99/1000, 2.5*c.percent),
			k.simulated(metric.LongMeanResponse, c.long/1000, 2.5*c.percent)}})
	}
	return cases
}

func (k known) closed() Case {
	s := k.scenario("worker_pool", "exponential:mean=10ms", 2e6, 0)
	s.Load.Arrival = arrivals.MustParse("closed:clients=12,think=exp(20ms)")
	loop := must(theory.MMkN(theory.Closed{Clients: 12, Think: 2 * mean,
		MeanService: mean, Limit: slots}))
	// the standard deviations are 0.7 and 1.5 % at 200,000 tasks
	return Case{Name: "closed", What: "M/M/4//12, thinking for 2 means",
		Scenario: s, Checks: []Check{
			k.check(metric.Throughput, loop.Throughput, 0.7/math.Sqrt(10)),
			k.check(metric.MeanResponse, loop.MeanResponse, 1.5/math.Sqrt(10))}}
}

// The standard deviation of the makespan is about √n/k = 7.9 mean task times.
func (k known) batch() Case {
	s := k.scenario("worker_pool", "exponential:mean=10ms", 2e6, 0)
	s.Load.Arrival, s.Stop = arrivals.MustParse("batch"), bench.Stop{Tasks: 1000}
	want := must(theory.BatchMakespan(1000, mean, slots))
	count := max(10, int(400*k.size))
	return Case{Name: "batch", What: "1000 exponential tasks at once", Scenario: s,
		Count: count, Checks: []Check{
			{Unit: metric.Makespan, Want: want,
				Tolerance: 4 * math.Sqrt(1000) / slots * mean / want / math.Sqrt(float64(count))}}}
}
