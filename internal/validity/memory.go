package validity

import (
	"math"

	"github.com/poolbench/poolbench/bench/arrivals"
	"github.com/poolbench/poolbench/bench/dist"
	"github.com/poolbench/poolbench/bench/record"
	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/observe"
	"github.com/poolbench/poolbench/internal/statistics/theory"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/targets"
)

// A Memory describes the correlation of a run's tasks and the rarity of the events that determine
// its means. Both determine the number of tasks that an interval needs.
type Memory struct {
	// relaxation time: so many tasks have the information of one independent task. Infinite without
	// a steady state
	Relax float64
	waits float64
	wait  float64 // mean wait relative to the mean service time
	c2    float64 // squared coefficient of variation of the task times
	// E[S⁴]/E[S²]². A task of service time S causes waits proportional to S², so the sampling error
	// of a mean wait grows with tail
	tail float64
	// lower bound of Relax by the plan. 0: unknown
	Planned float64
	brief   float64 // planned p99 wait relative to the mean service time. 0: unknown
	// whether a formula for the variance of the p99 applies if tasks start in order
	Known    bool
	Reorders bool // tasks overtook each other
	sheds    bool
	Forecast *Forecast // nil if the plan does not determine the accuracy
	exact    bool      // the forecast models this strategy, not an equally busy one
	bursty   bool      // arrivals are correlated
}

// p99Width is the ratio of the relative variance of the p99 to relax/n, measured at loads of 0.7 to
// 0.95, C² of 0 to 16 and 1 to 16 slots. For reflected Brownian motion it is 8.9.
const p99Width = 7.8

// P99Variance returns n times the relative variance of the p99 response of n tasks. share is the
// wait's share of the p99. For constant task times the queue's variance is proportional to share²,
// for variable ones an exponent of up to 3 fits better. At loads of 0.5 to 0.95 the result was 0.6
// to 2.0 times the true variance, and 5 times for 64 slots at 0.95.
func (k Memory) P99Variance(relax, share float64) float64 {
	relax *= math.Sqrt(k.clusters())
	return p99Width * (relax*math.Pow(share, 2+min(k.c2, 1)) + (1+k.c2)/2)
}

// Clusters of tasks behind the longest ones increase the number of tasks that a p99 needs by this
// factor.
func (k Memory) clusters() float64 {
	return min(max(math.Pow(k.tail/exponentialTail, 0.25), 1), 3)
}

// MeanWaitVariance returns n times the relative variance of the mean wait of n tasks.
func (k Memory) MeanWaitVariance() float64 {
	rare := 1 + 2/k.waits
	if k.brief == 0 || k.brief >= briefWait {
		rare = min(rare, p99Width)
	}
	return k.Planned * rare
}

// briefWait is the p99 wait relative to the mean service time below which waits are negligible.
const briefWait = 0.25

// Response returns the relaxation time of a response quantile. matters is the smallest relevant
// change of the response relative to the mean service time. Brief waits contribute in proportion to
// their square.
func (k Memory) Response(matters float64) float64 {
	if k.brief == 0 || k.brief >= briefWait*matters {
		return k.Relax
	}
	return min(k.Relax, 1+k.c2+k.Relax*k.brief*k.brief/(matters*matters))
}

// Relaxation returns the relaxation time of a run in tasks. In heavy traffic it is (I+C²)/(1−ρ)²,
// where I is the dispersion of the arrivals (Whitt, Planning queueing simulations, 1989). It is at
// most (1+C²)(1+K)² for a queue of K slots that sheds, and (1+C²)(1+N) for a closed loop of N
// clients. It is infinite if an unbounded queue grows.
func Relaxation(o *observe.Run, load, c2 float64) float64 {
	slack, bursts := 1-load, arrivals.Bursts{Dispersion: 1, Memory: 1}
	if !o.Follows && o.Mean > 0 {
		if b, known := o.Plan.Arrival.Bursts(o.Plan.Rate(o.Mean)); known {
			bursts = arrivals.Bursts{Dispersion: max(b.Dispersion, 1), Memory: b.Memory}
		}
	}
	switch spec, p := o.Plan.Strategy, o.Plan.Params; {
	case o.Bound() == 0:
		slack = 1
	case o.Plan.Arrival.IsClosed():
		clients, _ := o.Plan.Arrival.Spec.Closed(o.Plan.Arrival.Values)
		slack = 1 / math.Sqrt(1+float64(clients.Count))
	case spec.Sheds && spec.Capacity != nil:
		slack = max(math.Abs(slack), 1/float64(1+spec.Capacity(p)-o.Bound()))
	case o.Plan.Patience != nil:
		calls := (bursts.Dispersion + c2) * max(1, o.Plan.Rate(o.Mean)*o.Plan.Patience.Mean().Seconds())
		if slack > 0 {
			calls = min(calls, (bursts.Dispersion+c2)/(slack*slack))
		}
		return max(calls, bursts.Memory)
	case slack <= 0:
		return math.Inf(1)
	case c2 == 0 && o.Plan.Arrival.Spec.Name == "constant" && !o.Follows:
		return 1
	}
	return max((bursts.Dispersion+c2)/(slack*slack), bursts.Memory)
}

// MemoryOf returns the longest relaxation time of the slots, of the pool of a class, and of a rate
// limit.
func MemoryOf(o *observe.Run, r *result.Result, first int, m observe.Totals) Memory {
	s, spec := o.Plan, o.Plan.Strategy
	rate, mean, c2, tail := s.Rate(o.Mean), o.Mean.Seconds(), 0.0, math.NaN()
	d := o.Dist()
	if d != nil {
		tail = dist.Fourth(d) / ((1 + d.C2()) * (1 + d.C2()))
	}
	if o.Workload != nil {
		c2 = o.Workload.C2()
	}
	// without retries the plan contains the times of all tasks, except for the target's
	called := s.Target != "none"
	planned := o.Mean > 0 && c2 < math.Inf(1) && s.Virtual && s.Timeout == 0 &&
		s.Patience == nil &&
		(!called || !spec.Retries && targets.PolicyFor(s.Served) != nil)
	if !planned {
		mean, c2 = m.MeanService()
	}
	if !planned || rate <= 0 {
		rate = m.Rate()
	}
	if math.IsNaN(tail) || called && !planned {
		if own := ownTail(o, first, mean, c2); !(tail >= own) {
			tail = own
		}
	}
	load := rate * mean / float64(o.Slots())
	fifo := inOrder(spec)
	k := Memory{Relax: Relaxation(o, load, c2), c2: c2, tail: tail, sheds: spec.Sheds,
		Known: (fifo || anyOrder(spec)) && !spec.Sheds && o.Poisson() && s.Target == "none" &&
			s.Timeout == 0 && s.Patience == nil,
		Reorders: anyOrder(spec) && overtakes(o, first)}
	k.waits, _ = r.Metric(metric.Waited)
	if wait, ok := r.Metric(metric.MeanWait); ok && mean > 0 {
		k.wait = wait / mean
	}
	if planned && !called {
		k.planWaits(o, rate, mean, float64(m.N))
	}
	k.Relax = max(k.Relax, StartsRelaxation(o, rate), poolRelaxation(o, rate, d))
	full := math.IsInf(k.Relax, 1) && s.Target == "none" && s.Timeout == 0 && s.Patience == nil &&
		s.Rate(o.Mean)*o.Mean.Seconds() >= float64(o.Slots())
	bursts, declared := s.Arrival.Bursts(rate)
	k.bursty = !declared || bursts.Dispersion > 1 || bursts.Memory > 1
	if shed, _ := r.Metric(metric.Shed); shed == 0 &&
		(planned && !called && declared && !o.Follows || full) {
		k.Planned = k.Relax // for any order of starts, because the slots are equally busy
	}
	k.Forecast = ForecastOf(o, float64(m.N), k.Relax)
	k.exact = k.Forecast != nil && (fifo || spec.Bound == nil || spec.ClassPools != nil) &&
		!spec.Splits && spec.Quantum == nil
	if k.exact && !o.Poisson() && mean > 0 {
		k.waits, k.wait = k.Forecast.Waits, k.Forecast.MeanWait/mean
	}
	if k.Planned == 0 || spec.Bound != nil && !fifo && spec.ClassPools == nil {
		k.Relax = max(k.Relax, ownRelaxation(o, first))
	}
	return k
}

// planWaits uses M/M/k, because the distribution of task times hardly affects the share of waiting
// tasks and the scaled mean wait.
func (k *Memory) planWaits(o *observe.Run, rate, mean, n float64) {
	spec := o.Plan.Strategy
	if !o.Poisson() || spec.Starts != nil || spec.ClassPools != nil || spec.Sheds ||
		spec.Bound == nil || rate*mean >= float64(o.Slots()) {
		return
	}
	a, err := theory.MMk(theory.Pool{Rate: rate, MeanService: mean, Limit: o.Slots()})
	if err != nil {
		return
	}
	k.waits, k.wait = a.WaitProb, a.MeanWait/mean*(1+k.c2)/2
	if k.waits*n < negligibleWaits {
		k.Relax = 1 + k.c2 // the responses are independent
	}
	if wait, ok := a.WaitQuantile(0.99); ok && inOrder(spec) {
		k.brief = wait / mean * (1 + k.c2) / 2
	}
}

// TasksFor returns the number of measured tasks for a relative 95 % error share of the p99
// response. ok is false if the plan does not determine it. most limits the length of the forecast,
// in tasks.
func TasksFor(o *observe.Run, share float64, most int) (n float64, ok bool) {
	if _, ok := planOf(o); !ok {
		return 0, false
	}
	d, c2 := o.Dist(), o.Workload.C2()
	rate, mean := o.Plan.Rate(o.Mean), o.Mean.Seconds()
	k := Memory{c2: c2, tail: dist.Fourth(d) / ((1 + c2) * (1 + c2)),
		Relax: Relaxation(o, rate*mean/float64(o.Slots()), c2)}
	k.planWaits(o, rate, mean, minBeyond/0.01)
	k.Relax = max(k.Relax, StartsRelaxation(o, rate), poolRelaxation(o, rate, d))
	if math.IsInf(k.Relax, 1) {
		return 0, false
	}
	f := forecastOf(o, math.MaxFloat64, k.Relax, most)
	if f == nil {
		return z95 * z95 * k.P99Variance(k.Relax, 1) / (share * share), true
	}
	n, ok = f.TasksFor(metric.P99Response, share)
	if !ok {
		return 0, false
	}
	return max(n, k.TasksForQuantile(0.99)), true
}

func inOrder(spec strategies.Spec) bool {
	return spec.FIFO && spec.WorkConserving && spec.Quantum == nil
}

func anyOrder(spec strategies.Spec) bool {
	return !spec.FIFO && spec.Bound != nil && spec.Quantum == nil
}

// overtakes reports whether a task started before one that was due earlier.
func overtakes(o *observe.Run, first int) bool {
	if o.Trace == nil {
		return false
	}
	last := int64(math.MinInt64)
	for _, rec := range o.Trace.From(first) {
		if rec.Attempts == 0 {
			continue
		}
		if rec.Start < last {
			return true
		}
		last = rec.Start
	}
	return false
}

// A limit on the rate of starts acts as a server of constant service time.
func StartsRelaxation(o *observe.Run, rate float64) float64 {
	starts := o.Plan.Strategy.Starts
	if starts == nil {
		return 0
	}
	slack := max(1-rate/starts(o.Plan.Params).PerSecond, 0)
	return 1 / (slack * slack)
}

// poolRelaxation counts in tasks of all classes. It returns 0 without class pools.
func poolRelaxation(o *observe.Run, rate float64, d dist.Dist) (most float64) {
	branches := o.Classes(d)
	if o.Pools == nil || branches == nil {
		return 0
	}
	for i, b := range branches {
		slots := o.SlotsOf(observe.BothClasses[i])
		if slots == 0 {
			continue
		}
		slack := 1 - rate*b.P*dist.MeanNS(b.Dist)/observe.Second/float64(slots)
		if slack <= 0 {
			return math.Inf(1)
		}
		most = max(most, (1+b.Dist.C2())/(slack*slack)/b.P)
	}
	return most
}

// ownRelaxation returns half the variance of batch means over the variance for independent tasks.
// That ratio is up to twice the relaxation time.
func ownRelaxation(o *observe.Run, first int) float64 {
	if o.Trace == nil {
		return 0
	}
	mean, square, n := 0.0, 0.0, 0.0
	for _, rec := range o.Trace.From(first) {
		if rec.Outcome == record.Completed {
			n++
			v := float64(rec.Response()) / observe.Second
			off := v - mean
			mean += off / n
			square += off * (v - mean)
		}
	}
	means, _, ok := o.BatchMeans(first, func(_ int, rec *record.Record) (float64, bool) {
		return float64(rec.Response()) / observe.Second, rec.Outcome == record.Completed
	})
	if !ok || square == 0 {
		return 0
	}
	_, sd := observe.MeanAndSD(means[:])
	return sd * sd * n / observe.Batches / (square / n) / 2
}

func ownTail(o *observe.Run, first int, mean, c2 float64) float64 {
	sum, n := 0.0, 0.0
	for i := first; o.Trace != nil && i < o.Trace.Len(); i++ {
		if rec := o.Trace.At(i); rec.Attempts > 0 {
			sum += math.Pow(float64(rec.Busy)/observe.Second/mean, 4)
			n++
		}
	}
	if n == 0 || mean == 0 {
		return 1
	}
	return sum / n / ((1 + c2) * (1 + c2))
}

// Numbers of independent tasks that an interval needs until its stretches are approximately normal,
// measured by TestCoverage -sweep.
const (
	meanMemories = 600.
	p50Memories  = 200.
	p90Memories  = 400.
	p99Memories  = 800.
	tailTasks    = 120 // tasks per unit of tail
	waitWidth    = 82  // limits the half-width of the interval of a mean wait to 25 %
	minBeyond    = 50  // tasks beyond a quantile

	negligibleWaits = 0.01 // expected number of waiting tasks below which waits are ignored
	exponentialTail = 6    // E[S⁴]/E[S²]² of exponential task times
)

// The relative variance of the mean of n waits is about relax(1+2/P)/n, where P is the share of
// tasks that wait.
func (k Memory) TasksForMeanWait() float64 {
	return max(meanMemories*k.Relax, waitWidth*k.Relax*(1+2/k.waits), tailTasks*k.tail)
}

func (k Memory) tasksForMeanResponse() float64 {
	if own := k.c2; own > 4*k.wait*k.wait*k.Relax*(1+2/k.waits) {
		return max(meanMemories*k.Relax, tailTasks/4*k.tail)
	}
	return k.TasksForMeanWait()
}

func (k Memory) TasksForQuantile(p float64) float64 {
	memories, relax := p50Memories, k.Relax // brief waits affect the median as well
	switch {
	case p >= 0.95:
		memories = p99Memories * k.clusters()
	case p > 0.75:
		memories = p90Memories
	}
	if p > 0.75 {
		// Waits affect the share of tasks beyond the quantile more if task times are similar (C²
		// small), or if most tasks are short (C² large).
		relax = k.Response(min(math.Sqrt(k.c2), 1/k.c2))
	}
	return max(memories*relax, minBeyond/(1-p))
}
