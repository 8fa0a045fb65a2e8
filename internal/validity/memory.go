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

// A Memory describes the correlation of a run's tasks, and the rarity of the events that determine
// its means: by the plan if the strategy's facts suffice, otherwise also by the run's own
// correlation. It determines the number of tasks that an interval needs.
type Memory struct {
	// number of tasks with the information of one independent task; infinite if nothing is stationary
	Relax float64
	waits float64 // share of the tasks that wait
	wait  float64 // mean wait in mean services
	c2    float64 // of the task times
	// E[S⁴]/E[S²]²: a task causes waits proportional to S², so a mean wait is a mean of S², and this
	// many tasks have the information of one task of equal ones
	tail float64
	// lower bound of Relax by the plan; 0: unknown
	Planned float64
	brief   float64 // p99 of the wait in mean services, by the plan; 0: unknown
	// tasks arrive at random and wait only for slots, without refusals: theory knows the scatter of
	// the p99, if they start in order
	Known    bool
	Reorders bool // tasks start, and run whole, in a different order than they arrive
	sheds    bool
	Forecast *Forecast // nil: the plan does not determine the accuracy of its runs
	exact    bool      // the forecast is of this strategy, not only of one that is as busy
	bursty   bool      // arrivals depend on each other
}

// p99Width is the constant of the p99, measured over loads of 0.7 to 0.95, C² of 0 to 16 and 1 to
// 16 slots. For Brownian motion it is 8.9.
const p99Width = 7.8

// P99Variance returns the relative variance of the p99 response of tasks with a memory of relax,
// times their number: the contributions of the queue and of the tasks themselves. The response of
// equal tasks is the wait plus a constant, so the wait's share of the p99 counts by its square.
// With variable tasks their own tail contributes more, and the share counts by the cube, by fit.
// The longest tasks add clusters. With 200 seeds at loads of 0.5 to 0.95, C² of 0 and 1, and 1 to
// 64 slots the result was 0.6 to 2.0 times the true variance, and 5 times for 64 slots at 0.95 with
// C² of 1.
func (k Memory) P99Variance(relax, share float64) float64 {
	relax *= math.Sqrt(k.clusters())
	return p99Width * (relax*math.Pow(share, 2+min(k.c2, 1)) + (1+k.c2)/2)
}

// clusters returns the factor by which a p99 needs more tasks because of the clusters behind the
// longest tasks. It grows with their share of the work.
func (k Memory) clusters() float64 {
	return min(max(math.Pow(k.tail/exponentialTail, 0.25), 1), 3)
}

// MeanWaitVariance returns the variance of the mean wait, by the plan. It grows as fewer tasks
// wait. If few wait because there are many slots, this counts in full. Otherwise it is bounded by
// the width of the p99, because at a low load there are ten times as many memories with the same
// number of waits.
func (k Memory) MeanWaitVariance() float64 {
	rare := 1 + 2/k.waits
	if k.brief == 0 || k.brief >= briefWait {
		rare = min(rare, p99Width)
	}
	return k.Planned * rare
}

// briefWait is the p99 wait, in mean services, below which waits are brief compared with the tasks.
const briefWait = 0.25

// Response returns Relax for a quantile of the response, given the relevant change of the response
// as a share of the mean service. If there are so many slots that waits are brief, the queue hardly
// affects the response, and its memory counts by the square.
func (k Memory) Response(matters float64) float64 {
	if k.brief == 0 || k.brief >= briefWait*matters {
		return k.Relax
	}
	return min(k.Relax, 1+k.c2+k.Relax*k.brief*k.brief/(matters*matters))
}

// Relaxation returns the number of tasks of a run with the information of one independent task, at
// a load of the slots. In heavy traffic it is (I+C²)/(1−ρ)² (Whitt, Planning queueing simulations,
// 1989), where I is the dispersion of the arrivals: bursts add the time in which their queues
// drain. It is at least the memory of the arrivals, and (1+C²)(1+K)² in a queue of K slots that
// sheds. In a closed loop it is (1+C²)(1+N) for N clients, because the loop forgets when all have
// been served. It is infinite if a queue without bound grows.
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
	case slack <= 0:
		return math.Inf(1)
	case c2 == 0 && o.Plan.Arrival.Spec.Name == "constant" && !o.Follows:
		return 1 // nothing is random
	}
	return max((bursts.Dispersion+c2)/(slack*slack), bursts.Memory)
}

// MemoryOf returns the longest memory: of the slots, of the pool of a class, or of a bound on the
// rate of starts.
func MemoryOf(o *observe.Run, r *result.Result, first int, m observe.Measured) Memory {
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
		(!called || !spec.Retries && targets.PolicyFor(s.Served) != nil)
	if !planned {
		mean, c2 = m.MeanService()
	}
	if !planned || rate <= 0 {
		rate = m.Rate()
	}
	if math.IsNaN(tail) || called && !planned { // the tail also contains slow calls
		if own := ownTail(o, first, mean, c2); !(tail >= own) {
			tail = own
		}
	}
	load := rate * mean / float64(o.Slots())
	fifo := inOrder(spec)
	k := Memory{Relax: Relaxation(o, load, c2), c2: c2, tail: tail, sheds: spec.Sheds,
		Known: (fifo || anyOrder(spec)) && !spec.Sheds && o.Poisson() && s.Target == "none" &&
			s.Timeout == 0,
		Reorders: anyOrder(spec) && overtakes(o, first)}
	k.waits, _ = r.Metric(metric.Waited)
	if wait, ok := r.Metric(metric.MeanWait); ok && mean > 0 {
		k.wait = wait / mean
	}
	if planned && !called {
		k.planWaits(o, rate, mean, float64(m.N))
	}
	k.Relax = max(k.Relax, StartsRelaxation(o, rate), poolRelaxation(o, rate, d))
	// under the real clock tasks take the planned time or longer
	full := math.IsInf(k.Relax, 1) && s.Target == "none" && s.Timeout == 0 &&
		s.Rate(o.Mean)*o.Mean.Seconds() >= float64(o.Slots())
	bursts, declared := s.Arrival.Bursts(rate)
	k.bursty = !declared || bursts.Dispersion > 1 || bursts.Memory > 1
	if shed, _ := r.Metric(metric.Shed); shed == 0 &&
		(planned && !called && declared && !o.Follows || full) {
		k.Planned = k.Relax // in any order of starts, because the slots are as busy
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

// planWaits sets the theoretical waits of n tasks that arrive at random: the share that waits and
// the mean wait hardly depend on the distribution.
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
	if k.waits*n < nobody {
		k.Relax = 1 + k.c2 // no task's response depends on another's
	}
	if wait, ok := a.WaitQuantile(0.99); ok && inOrder(spec) {
		k.brief = wait / mean * (1 + k.c2) / 2
	}
}

// TasksFor returns the number of measured tasks that a run of the plan needs for an interval of the
// p99 response with that relative 95 % error. It returns false if the plan does not determine it.
// The forecast has at most most tasks.
func TasksFor(o *observe.Run, share float64, most int) (n float64, ok bool) {
	if _, ok := planOf(o); !ok {
		return 0, false
	}
	d, c2 := o.Dist(), o.Workload.C2()
	rate, mean := o.Plan.Rate(o.Mean), o.Mean.Seconds()
	k := Memory{c2: c2, tail: dist.Fourth(d) / ((1 + c2) * (1 + c2)),
		Relax: Relaxation(o, rate*mean/float64(o.Slots()), c2)}
	k.planWaits(o, rate, mean, leastBeyond/0.01)
	k.Relax = max(k.Relax, StartsRelaxation(o, rate), poolRelaxation(o, rate, d))
	if math.IsInf(k.Relax, 1) {
		return 0, false
	}
	f := forecastOf(o, math.MaxFloat64, k.Relax, most)
	if f == nil {
		return normal * normal * k.P99Variance(k.Relax, 1) / (share * share), true
	}
	long := 100 * f.length
	e, ok := f.Error(metric.P99Response, long)
	if !ok {
		return 0, false
	}
	return max(long*e*e/(share*share), k.TakesQuantile(0.99)), true
}

func inOrder(spec strategies.Spec) bool {
	return spec.FIFO && spec.WorkConserving && spec.Quantum == nil
}

func anyOrder(spec strategies.Spec) bool {
	return !spec.FIFO && spec.Bound != nil && spec.Quantum == nil
}

// overtakes reports whether a task started before one that was due earlier, which does not occur
// without deadlines or with one tenant.
func overtakes(o *observe.Run, first int) bool {
	if o.Trace == nil {
		return false // of a soak, which keeps no task
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

// StartsRelaxation returns the memory of a bound on the rate of starts, a server of constant times,
// or 0 without a bound.
func StartsRelaxation(o *observe.Run, rate float64) float64 {
	starts := o.Plan.Strategy.Starts
	if starts == nil {
		return 0
	}
	slack := max(1-rate/starts(o.Plan.Params).PerSecond, 0)
	return 1 / (slack * slack)
}

// poolRelaxation returns the memory of the slowest class pool, in tasks of all classes, or 0 if
// there is none.
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

// ownRelaxation estimates the memory from the run's own responses: the variance of the means of
// stretches over that of independent tasks. In a pool with a known memory that is up to twice the
// memory (M/M/1 at a load of 0.9: 2.1 times), so only half of it counts here, and only if it
// exceeds the plan's.
func ownRelaxation(o *observe.Run, first int) float64 {
	if o.Trace == nil {
		return 0 // of a soak, which keeps no task
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

// ownTail returns E[S⁴]/E[S²]² of the realised task times, if their distribution is not known.
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

// The number of independent tasks that an interval needs, measured by TestCoverage -sweep, which
// prints how often each interval contains the exact value. Rarer events need more until their
// stretches are approximately normal.
const (
	meanMemories = 600.
	p50Memories  = 200.
	p90Memories  = 400.
	p99Memories  = 800.
	tailTasks    = 120 // tasks for each unit of tail
	waitWidth    = 82  // limits the half-width of the interval of a mean wait to a quarter
	leastBeyond  = 50  // tasks beyond a quantile

	nobody          = 0.01 // expected number of waiting tasks below which none waits
	exponentialTail = 6    // E[S⁴]/E[S²]² of exponential tasks
)

// TakesMeanWait returns the number of tasks that the interval of the mean wait needs. Its relative
// variance over n tasks is about relax(1+2/P)/n, where P is the share that waits.
func (k Memory) TakesMeanWait() float64 {
	return max(meanMemories*k.Relax, waitWidth*k.Relax*(1+2/k.waits), tailTasks*k.tail)
}

// takesMeanResponse returns the number for the mean response: the same, unless the task times
// dominate its variance.
func (k Memory) takesMeanResponse() float64 {
	if own := k.c2; own > 4*k.wait*k.wait*k.Relax*(1+2/k.waits) {
		return max(meanMemories*k.Relax, tailTasks/4*k.tail)
	}
	return k.TakesMeanWait()
}

// TakesQuantile returns the number for a quantile of the response.
func (k Memory) TakesQuantile(p float64) float64 {
	memories, relax := p50Memories, k.Relax // brief waits affect it, too
	switch {
	case p > 0.95:
		memories = p99Memories * k.clusters()
	case p > 0.75:
		memories = p90Memories
	}
	if p > 0.75 {
		// the interval is of the share of tasks beyond the quantile, which waits affect more if the task
		// times are similar: all of them if C² is small, most of them if it is large
		relax = k.Response(min(math.Sqrt(k.c2), 1/k.c2))
	}
	return max(memories*relax, leastBeyond/(1-p))
}
