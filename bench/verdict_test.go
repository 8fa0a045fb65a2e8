package bench

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/poolbench/poolbench/bench/arrivals"
	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/internal/machine"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/observe"
	"github.com/poolbench/poolbench/internal/rundir"
	"github.com/poolbench/poolbench/internal/statistics/theory"
	"github.com/poolbench/poolbench/internal/validity"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/workloads"
)

const (
	ms      = int64(time.Millisecond)
	service = 10 * ms // mean service time
)

type spreads struct {
	nothing
	c2 float64
}

func (s spreads) C2() float64 { return s.c2 }

// queue returns a correct FIFO run with 4 slots and Poisson arrivals on an undisturbed machine.
// Task times are exponential, or hyperexponential with balanced means if c2 > 1.
func queue(clock Clock, seed uint64, n int, load, c2 float64) *observe.Run {
	r := rand.New(rand.NewPCG(seed, 7))
	due, times := make([]int64, n), make([]int64, n)
	p, now := (1+math.Sqrt((c2-1)/(c2+1)))/2, 0.0
	for i := range due {
		now += r.ExpFloat64() / (4 * load)
		time := r.ExpFloat64()
		switch {
		case c2 == 1:
		case r.Float64() < p:
			time /= 2 * p
		default:
			time /= 2 * (1 - p)
		}
		due[i], times[i] = int64(now*float64(service)), int64(time*float64(service))
	}
	return poissonRun(clock, load, c2, simulateFIFO(4, due, times))
}

func poissonRun(clock Clock, load, c2 float64, o *observe.Run) *observe.Run {
	o.Plan.Virtual, o.Plan.Arrival = clock == Virtual, arrivals.MustParse("poisson")
	o.Plan.PerSecond = load * 4 * observe.Second / float64(service)
	o.Mean, o.Workload = time.Duration(service), spreads{c2: c2}
	o.Seen = &machine.WitnessStats{Pressure: machine.UnknownPressure}
	o.Plan.Target = "none"
	for i := range o.Trace.Len() {
		rec := o.Trace.At(i)
		rec.Issue = rec.Due
	}
	return o
}

func judge(t testing.TB, o *observe.Run) *Result {
	t.Helper()
	r, err := (measurement{Run: o}).result()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func wantReason(
	t testing.TB, what string, r *Result, v result.Verdict, check string, words ...string,
) {
	t.Helper()
	var checks []string
	text := ""
	for _, reason := range r.Reasons {
		if reason.Check == check {
			text = reason.String()
		}
		checks = append(checks, reason.Check)
	}
	if r.Verdict != v || !slices.Equal(slices.Compact(checks), []string{check}) {
		t.Errorf("%s: %v for %v, want %v for %q", what, r.Verdict, r.Reasons, v, check)
	}
	for _, w := range words {
		if !strings.Contains(text, w) {
			t.Errorf("%s: %q, want %q in it", what, text, w)
		}
	}
	if got, _ := r.Metric("verdict"); got != float64(v) {
		t.Errorf("%s: the metric says %v", what, got)
	}
}

func wantValid(t testing.TB, what string, r *Result) {
	t.Helper()
	if got, ok := r.Metric("verdict"); r.Verdict != result.Valid || r.Reasons != nil || !ok || got != 0 {
		t.Errorf("%s: %v for %v", what, r.Verdict, r.Reasons)
	}
}

// Correct runs must be VALID for all of 4 × 50 seeds. Random checks have false alarms in 10⁻⁶ of
// the runs, the check for a step in the wait in about 10⁻⁴.
func TestCleanRuns(t *testing.T) {
	seeds := uint64(50)
	if testing.Short() {
		seeds = 5
	}
	for _, name := range []string{"worker_pool", "bounded_queue_shed", "unbounded", "partitioned"} {
		for seed := range seeds {
			r, err := Run(context.Background(),
				Scenario{Strategy: strategies.MustParse(name), Load: Load{Relative: 0.7},
					Stop: Stop{Tasks: 2000, Warmup: 0.1}, Seed: seed, Clock: Virtual})
			if err != nil {
				t.Fatal(err)
			}
			wantValid(t, r.Name, r)
		}
	}
}

func TestCleanQueues(t *testing.T) {
	t.Parallel()
	seeds := uint64(100)
	if testing.Short() {
		seeds = 4
	}
	for seed := range seeds {
		wantValid(t, "C² = 1, load 0.9", judge(t, queue(Real, seed, 20_000, 0.9, 1)))
		wantValid(t, "C² = 16, load 0.5", judge(t, queue(Virtual, seed, 20_000, 0.5, 16)))
	}
}

// The drift check may have 0.5 % false alarms in its hardest case: short runs at heavy load with
// heavy tails.
func TestNoFalseDrift(t *testing.T) {
	alarms, seeds := 0, 400
	if testing.Short() {
		seeds = 80
	}
	for _, c := range []struct {
		load, c2 float64
		n        int
	}{{0.7, 1, 2000}, {0.9, 1, 1000}, {0.9, 1, 5000}, {0.7, 64, 5000}, {0.95, 4, 5000}} {
		for seed := range uint64(seeds) {
			r := &Result{}
			validity.CheckDrift(queue(Virtual, seed, c.n, c.load, c.c2), r, c.n/10)
			alarms += len(r.Reasons)
		}
	}
	if runs := 5 * seeds; 200*alarms > runs {
		t.Errorf("%d of %d stable runs are called not stationary", alarms, runs)
	}
	t.Logf("%d of %d", alarms, 5*seeds)
}

func TestDrift(t *testing.T) {
	seeds := uint64(20)
	if testing.Short() {
		seeds = 5
	}
	for seed := range seeds {
		wantReason(t, "load 1.1", judge(t, queue(Virtual, seed, 20_000, 1.1, 1)), result.Suspect,
			rundir.CheckDrift, "the mean wait is ", "a steady change")
	}
	step := queue(Virtual, 1, 20_000, 0.5, 1)
	for i := 10_000; i < 20_000; i++ {
		rec := step.Trace.At(i)
		rec.Start, rec.End = rec.Start+30*ms, rec.End+30*ms
	}
	r := &Result{}
	validity.CheckDrift(step, r, 0)
	if len(r.Reasons) != 1 || !strings.Contains(r.Reasons[0].Text, "standard errors") {
		t.Errorf("a step: %v", r.Reasons)
	}
	for _, arrival := range []string{"linear", "sine", "batch"} {
		o := queue(Virtual, 1, 20_000, 1.1, 1)
		o.Plan.Arrival = arrivals.MustParse(arrival)
		r := &Result{}
		if validity.CheckDrift(o, r, 0); r.Reasons != nil {
			t.Errorf("%s: %v", arrival, r.Reasons)
		}
	}
}

func TestLawsMakeInvalid(t *testing.T) {
	o := queue(Virtual, 1, 2000, 0.5, 1)
	o.Peak = 5
	wantReason(t, "five in flight", judge(t, o), result.Invalid, rundir.CheckLaw,
		"bound: 5 tasks were in flight")
}

func TestPlan(t *testing.T) {
	o := queue(Virtual, 1, 20_000, 0.5, 1)
	o.Plan.PerSecond *= 1.1
	wantReason(t, "another rate", judge(t, o), result.Invalid, rundir.CheckPlan, "A² =")
	o = queue(Virtual, 1, 20_000, 0.5, 1)
	for i := range o.Trace.Len() {
		o.Trace.At(i).Due = int64(float64(i) * observe.Second / o.Plan.PerSecond)
	}
	r := &Result{}
	validity.CheckPlan(o, r)
	wantReason(t, "constant gaps", addVerdict(r), result.Invalid, rundir.CheckPlan, "not exponential")
	low := 0
	for seed := range uint64(500) {
		r := &Result{}
		validity.CheckPlan(queue(Virtual, seed, 500, 0.5, 1), r)
		if r.Reasons != nil {
			t.Errorf("seed %d: %v", seed, r.Reasons)
		}
		if a2, _ := r.Metric("arrivals-ad"); a2 > 2.492 {
			low++
		}
	}
	if low < 10 || low > 45 { // 25 ± 4 standard deviations
		t.Errorf("%d of 500 plans are beyond the 5 %% point", low)
	}
}

func addVerdict(r *Result) *Result {
	r.Add("verdict", float64(r.Verdict))
	return r
}

// Published points of Stephens 1974, case 0. The approximation is better for rarer values.
func TestAndersonDarlingTail(t *testing.T) {
	for _, c := range []struct{ a2, level, tolerance float64 }{{2.492, 0.05, 0.12},
		{3.070, 0.025, 0.1}, {3.857, 0.01, 0.06}} {
		if p := validity.AndersonDarlingTail(c.a2); math.Abs(p/c.level-1) > c.tolerance {
			t.Errorf("P(A² > %v) = %v, want %v", c.a2, p, c.level)
		}
	}
}

// Arrivals that depend on free slots do not see time averages.
func TestPASTA(t *testing.T) {
	due, times := make([]int64, 2000), make([]int64, 2000)
	for i := range due {
		// each of the four slots is free 1 ms before its next task
		due[i], times[i] = int64(i)*10*ms, 39*ms
	}
	o := poissonRun(Virtual, 0.9, 0, simulateFIFO(4, due, times))
	r := &Result{}
	validity.CheckPASTA(o, r, o.Flow(0))
	wantReason(t, "arrivals that know", addVerdict(r), result.Invalid, rundir.CheckPASTA,
		"0.00 % of the arrivals found all slots taken, but all slots were taken 89.", "standard "+
			"errors")
}

func TestLagVerdict(t *testing.T) {
	late := func(load float64, by func(i int) int64) *Result {
		o := queue(Real, 1, 20_000, load, 1)
		for i := range o.Trace.Len() {
			rec := o.Trace.At(i)
			l := by(i)
			rec.Issue = rec.Due + l
			rec.End += l
			rec.Start += l
		}
		return judge(t, o)
	}
	wantReason(t, "1 ms of 10", late(0.3, func(int) int64 { return ms }), result.Suspect, rundir.CheckLag,
		"1.00 ms on average", "9 % of the mean response")
	wantReason(t, "2 % are late by 10 ms", late(0.3, func(i int) int64 {
		if i%50 == 0 {
			return 10 * ms
		}
		return 0
	}), result.Suspect, rundir.CheckLag, "the p99 of the generator's lateness is 10.0 ms", "due every 8.", "sent at the same time")
	wantReason(t, "20 ms of 30", late(0.3, func(int) int64 { return 20 * ms }), result.Invalid,
		rundir.CheckLag,
		"20.0 ms on average", "not as planned")
	o := queue(Real, 1, 20_000, 0.9, 1)
	for i := range o.Trace.Len() { // a blocking strategy delays the issue without lag
		rec := o.Trace.At(i)
		if rec.Start > rec.Due {
			rec.Issue, rec.Blocked = rec.Start, true
		}
	}
	wantValid(t, "a strategy that blocks", judge(t, o))
}

// A generator that the strategy blocks is not late by itself.
func TestSaturation(t *testing.T) {
	behind := func(from, to int) *observe.Run {
		o := queue(Real, 1, 20_000, 0.5, 1)
		previous := int64(0)
		for i := range o.Trace.Len() {
			rec := o.Trace.At(i)
			if i >= from && i < to {
				rec.Issue, rec.Blocked = max(rec.Due, previous+6*ms), true
				rec.Start, rec.End = rec.Start+rec.Issue-rec.Due, rec.End+rec.Issue-rec.Due
			}
			previous = rec.Issue
		}
		r := &Result{}
		validity.CheckSaturation(o, r, o.Measure(0))
		if len(r.Reasons) == 0 {
			wantValid(t, "no stretch", addVerdict(r))
		}
		o.Plan.Strategy.Name = r.Verdict.String()
		if len(r.Reasons) > 0 &&
			(r.Reasons[0].Check != rundir.CheckSaturation ||
				!strings.Contains(r.Reasons[0].Text, "did not sustain")) {
			t.Errorf("%v", r.Reasons)
		}
		return o
	}
	for _, c := range []struct {
		from, to int
		want     string
	}{{0, 0, "VALID"}, {500, 560, "VALID"}, {500, 1500, "SUSPECT"}, {500, 8000, "INVALID"}} {
		if got := behind(c.from, c.to).Plan.Strategy.Name; got != c.want {
			t.Errorf("behind from task %d to %d: %s, want %s", c.from, c.to, got, c.want)
		}
	}
	o := queue(Real, 1, 20_000, 1.3, 1)
	for i := range o.Trace.Len() {
		// the generator waits for a slot instead of a queue
		rec := o.Trace.At(i)
		rec.Issue, rec.Blocked = rec.Start, i > 0
	}
	r := &Result{}
	if validity.CheckSaturation(o, r, o.Measure(0)); r.Reasons != nil {
		t.Errorf("a strategy that blocks: %v", r.Reasons)
	}
}

type waits struct {
	spreads
	time func(seq uint64) time.Duration
}

func (w waits) Time(seq uint64) time.Duration { return w.time(seq) }

var _ workloads.Timed = waits{}

// A long task or a stalled machine is not a frozen target.
func TestStandstill(t *testing.T) {
	const stop = 500 * ms
	// freeze delays all events after an instant, but no due times.
	freeze := func() (o *observe.Run, from int64) {
		o = queue(Real, 1, 20_000, 0.5, 1)
		var own []time.Duration
		for i := range o.Trace.Len() {
			own = append(own, time.Duration(o.Trace.At(i).Busy))
		}
		o.Workload = waits{spreads{c2: 1}, func(seq uint64) time.Duration { return own[seq] }}
		from = o.Trace.At(10_000).Start + 1
		for i := range o.Trace.Len() {
			rec := o.Trace.At(i)
			if rec.Start < from && rec.End >= from {
				rec.Busy += stop
				o.Service += stop
			}
			if rec.Start >= from {
				rec.Start += stop
			}
			if rec.End >= from {
				rec.End += stop
			}
		}
		return o, from
	}
	o, _ := freeze()
	check := func(o *observe.Run) *Result {
		r := &Result{}
		r.Add("p50-service-sec", 0.007)
		validity.CheckStandstill(o, r)
		return addVerdict(r)
	}
	wantReason(t, "a frozen target", check(o), result.Suspect, rundir.CheckStandstill, "no task ended for 5",
		"target or the strategy")
	o.Workload = spreads{c2: 1} // task times are unknown, so the usual times of the run are used
	wantReason(t, "a frozen target, unknown times", check(o), result.Suspect, rundir.CheckStandstill)
	o = queue(Real, 1, 20_000, 0.5, 1)
	o.Trace.At(19_999).End += stop
	wantReason(t, "frozen at the end", check(o), result.Suspect, rundir.CheckStandstill)
	o.Trace.At(100).End += 2 * stop
	wantValid(t, "a last task that is slow as others were", check(o))
	o, from := freeze()
	o.Seen.Hiccups = &machine.Hiccups{Stalls: []machine.Stall{{From: from, Late: stop}}}
	wantValid(t, "the machine", check(o))
	o, _ = freeze()
	o.Workload = waits{spreads{c2: 1}, func(uint64) time.Duration { return time.Second }}
	wantValid(t, "long tasks", check(o))
}

// A late Done is the strategy's fault unless the machine delayed it.
func TestLateDone(t *testing.T) {
	o := queue(Real, 1, 20_000, 0.5, 1)
	rec := o.Trace.At(5000)
	rec.End += 1000 * ms
	check := func() *Result {
		r := &Result{}
		r.Add("p50-response-sec", 0.01)
		validity.CheckSettling(o, r, 0)
		return addVerdict(r)
	}
	wantReason(t, "a slow collector", check(), result.Suspect, rundir.CheckSettling, "reported "+
		"as done 1.00 s later")
	o.Seen.Hiccups = &machine.Hiccups{
		Stalls: []machine.Stall{{From: rec.End - 1000*ms, Late: 990 * ms}}}
	wantValid(t, "a stall of the machine", check())
}

func TestIntervalOfAnotherQuantile(t *testing.T) {
	usual := metric.Quantiles
	defer func() { metric.Quantiles = usual }()
	at := slices.IndexFunc(usual, func(q metric.Quantile) bool { return q.Name == "p95" })
	p95 := usual[at]
	// no other test uses this load, because forecasts are cached
	r := judge(t, queue(Virtual, 1, 20_000, 0.6875, 1))
	metric.Quantiles = slices.Delete(slices.Clone(usual), at, at+1)
	without := judge(t, queue(Virtual, 1, 20_000, 0.6875, 1))
	metric.Quantiles = usual
	for _, m := range without.Metrics {
		if v, ok := r.Metric(m.Unit); !ok || v != m.Value {
			t.Errorf("with a p95 %s is %v, %v; want %v", m.Unit, v, ok, m.Value)
		}
	}
	value := func(unit string) float64 {
		v, ok := r.Metric(unit)
		if !ok {
			t.Errorf("no %s", unit)
		}
		return v
	}
	exact, err := theory.MMk(theory.Pool{Rate: 0.6875 * 400, MeanService: 0.01, Limit: 4})
	if err != nil {
		t.Fatal(err)
	}
	want, _ := exact.ResponseQuantile(p95.P)
	low, high := value(p95.Low("response")), value(p95.High("response"))
	if v := value(p95.Unit("response")); low >= v || v >= high || low > want || want > high {
		t.Errorf("p95 %v with the interval %v to %v; exact is %v", v, low, high, want)
	}
	if low <= value(metric.P90Response) || high >= value(metric.P99Response) {
		t.Errorf("the interval %v to %v of the p95 reaches the p90 or the p99", low, high)
	}
	for _, unit := range []string{p95.Unit("response"), p95.Low("response"), p95.High("response")} {
		named := func(m observe.MetricInfo) bool { return m.Unit == unit }
		if !slices.ContainsFunc(observe.Metrics(), named) {
			t.Errorf("%s is not documented", unit)
		}
	}
}

func TestLength(t *testing.T) {
	t.Parallel()
	exact, err := theory.MMk(theory.Pool{Rate: 0.7 * 400, MeanService: 0.01, Limit: 4})
	if err != nil {
		t.Fatal(err)
	}
	p99, _ := exact.ResponseQuantile(0.99)
	runs := 200
	if testing.Short() {
		runs = 20
	}
	means, quantiles := 0, 0
	for seed := range uint64(runs) {
		r := judge(t, queue(Virtual, seed, 20_000, 0.7, 1))
		within := func(unit string, v float64) bool {
			low, ok1 := r.Metric(unit + "-low-sec")
			high, ok2 := r.Metric(unit + "-high-sec")
			return ok1 && ok2 && low <= v && v <= high
		}
		if within("mean-wait", exact.MeanWait) {
			means++
		}
		if within("p99-response", p99) {
			quantiles++
		}
		if ess, _ := r.Metric("p99-response-ess"); ess < 200 || ess > 20_000 {
			t.Errorf("seed %d: the p99 is worth %v tasks", seed, ess)
		}
	}
	// 95 % minus 4.5 standard deviations is 176 of 200. Intervals are slightly too narrow because
	// neighbouring batches are correlated.
	if least := 0.95*float64(runs) - 4.5*math.Sqrt(0.95*0.05*float64(runs)); float64(min(means,
		quantiles)) < least {
		t.Errorf("the interval holds the exact mean wait in %d and the p99 in %d of %d runs",
			means, quantiles, runs)
	}
	t.Logf("mean wait %d, p99 %d of %d", means, quantiles, runs)
	r := judge(t, queue(Virtual, 1, 20_000, 0.8, 1))
	// by the variance over 40 seeds, a relative error of 5 % needs 213,000 tasks
	if needed, _ := r.Metric("needed-tasks"); needed < 1.5e5 || needed > 4e5 {
		t.Errorf("a load of 0.8 takes %v tasks, want some 200,000", needed)
	}
	ordered, _ := r.Metric("needed-tasks")
	undeclared := queue(Virtual, 1, 20_000, 0.8, 1)
	undeclared.Plan.Strategy.FIFO = false // without the declaration, the times are the same
	if needed, _ := judge(t, undeclared).Metric("needed-tasks"); needed != ordered {
		t.Errorf("of tasks that happen to be in order: %v tasks, want %v", needed, ordered)
	}
	pushed := queue(Virtual, 1, 20_000, 0.8, 1)
	pushed.Plan.Target = "flaky" // no theory applies, and the run is too short for an estimate
	if needed, ok := judge(t, pushed).Metric("needed-tasks"); !ok || needed != 0 {
		t.Errorf("before a target: %v tasks, want 0", needed)
	}
	due, times := make([]int64, 5000), make([]int64, 5000)
	for i := range due {
		due[i], times[i] = int64(float64(i)*float64(service)/(4*0.99)), int64(service)
	}
	even := poissonRun(Virtual, 0.99, 0, simulateFIFO(4, due, times))
	even.Plan.Arrival = arrivals.MustParse("constant")
	if needed, _ := judge(t, even).Metric("needed-tasks"); needed > 5e4 {
		t.Errorf("equal tasks at equal gaps take %v", needed)
	}
	short := judge(t, queue(Virtual, 3, 600, 0.9, 1))
	wantReason(t, "600 tasks at 0.9", short, result.Suspect, rundir.CheckLength,
		"p99 response of 600 tasks", "±")
	few := judge(t, queue(Virtual, 1, 250, 0.5, 1))
	for _, unit := range []string{"p99-response-sec", "p99-response-low-sec", "p99-response-ess"} {
		if v, ok := few.Metric(unit); ok {
			t.Errorf("%s = %v of 250 tasks", unit, v)
		}
	}
}

// The interval of identical batches must not come from rounding errors.
func TestConstantBatchMeans(t *testing.T) {
	r := runWritten(t, Encoded{Strategy: "worker_pool", Workload: "constant", Target: "none",
		Arrival: "bulk:n=20", Clock: "virtual", Limit: 4, Load: 0.5, Tasks: 20_000, Warmup: 0.1})
	if wait, _ := r.Metric("mean-wait-sec"); wait != 0.02 {
		t.Errorf("mean wait %v", wait)
	}
	if ess, _ := r.Metric("mean-wait-ess"); ess != 18_000 {
		t.Errorf("as %v independent tasks", ess)
	}
	for _, unit := range []string{"mean-wait-low-sec", "mean-response-high-sec"} {
		if v, has := r.Metric(unit); has {
			t.Errorf("%s %v", unit, v)
		}
	}
}

// The tail of task times must include slow calls. Otherwise runs look long enough, and only 206 of
// 240 p99 intervals are right.
func TestTailOfTarget(t *testing.T) {
	for target, want := range map[string]bool{"none": true, "flaky": false} {
		r := runWritten(t, Encoded{Strategy: "retry_in_place", Workload: "exponential",
			Target: target, Arrival: "poisson", Clock: "virtual", Limit: 4, Load: 0.5,
			Tasks: 20_000, Warmup: 0.1, Seed: 1})
		if _, has := r.Metric("p99-response-low-sec"); has != want {
			t.Errorf("target %s: an interval of the p99 %v, want %v", target, has, want)
		}
	}
}
