package validity

import (
	"math"

	"github.com/poolbench/poolbench/bench/record"
	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/observe"
	"github.com/poolbench/poolbench/internal/rundir"
	"github.com/poolbench/poolbench/internal/statistics"
	"github.com/poolbench/poolbench/internal/statistics/theory"
)

func claim(o *observe.Run, r *result.Result, unit string, exact float64, test observe.MeanTest) {
	r.Add(metric.Theory(unit), exact)
	o.Claims = append(o.Claims, observe.Claim{Unit: unit, Exact: exact, Test: &test})
}

// noise determines standard errors by queueing theory. Batch means alone underestimate them in
// short runs, and if almost no task waits.
type noise struct {
	// relax is the number of tasks with as much information as one independent task. It is at least
	// the mean number of waiting tasks, whose waits are sums of the same task times.
	relax float64
	waits float64 // share of tasks that wait
}

func noiseOf(o *observe.Run, a *theory.Answer, load float64) noise {
	spread, relax := 1+o.Workload.C2(), Relaxation(o, load, o.Workload.C2())
	if o.Plan.Strategy.Starts != nil { // tasks wait only for the rate limit
		relax = StartsRelaxation(o, a.Throughput)
	}
	return noise{max(relax, spread*a.Throughput*a.MeanWait), a.WaitProb}
}

func (z noise) short(n float64) bool { return n/z.relax < theoryLength }

// The variance of the mean of n waits is W²(1+C²)(1+1/P)/((1−ρ)²n), where P is the share of tasks
// that wait. For M/M/1 this is within 20 % of Whitt, Planning queueing simulations, 1989.
func (z noise) meanWait(mean float64, value func(*record.Record) (float64, bool)) observe.MeanTest {
	return observe.MeanTest{Want: mean,
		Value: func(_ int, rec *record.Record) (float64, bool) { return value(rec) },
		Least: func(n float64) float64 {
			if mean == 0 {
				return 0
			}
			return mean * math.Sqrt(z.relax*(1+1/z.waits)/n)
		}, Rare: z.short}
}

func (z noise) share(want float64, is func(*record.Record) (yes, counts bool)) observe.MeanTest {
	return observe.MeanTest{Want: want, Value: func(_ int, rec *record.Record) (float64, bool) {
		yes, counts := is(rec)
		if yes {
			return 1, counts
		}
		return 0, counts
	}, Least: func(n float64) float64 { return math.Sqrt(want * (1 - want) / n * z.relax) },
		Rare: func(n float64) bool {
			few := n * min(want, 1-want) / z.relax
			return z.short(n) || (few > 0 && few < theoryEvents)
		}}
}

// quantile compares the share of tasks above the response quantile, because many tasks with
// constant service times can have exactly that response.
func (z noise) quantile(
	t float64, a *theory.Answer, of func(*record.Record) bool,
) observe.MeanTest {
	at := int64(math.Ceil(t*observe.Second*(1+1e-9))) + 1
	above, _ := a.ResponseTail((float64(at) + 0.5) / observe.Second)
	return z.share(above, func(rec *record.Record) (bool, bool) {
		return rec.Response() > at, rec.Outcome == record.Completed && of(rec)
	})
}

// gaps tests a rate by the gaps between due times, whose distribution is known.
func gaps(o *observe.Run, mean float64) observe.MeanTest {
	return observe.MeanTest{Want: mean, Value: func(i int, rec *record.Record) (float64, bool) {
		return float64(rec.Due-o.Trace.At(max(i-1, 0)).Due) / observe.Second, i > 0
	}, Least: func(n float64) float64 { return mean / math.Sqrt(n) },
		Rare: func(n float64) bool { return n < theoryLength }}
}

const (
	// theoryErrors is the largest deviation, in standard errors, that counts as chance.
	theoryErrors = 5
	theoryAlarms = 0.01
	// theoryEvents is the smallest number of independent events to judge a share, theoryLength of
	// independent tasks to judge a run. theorySpread is the accepted relative deviation of the
	// run's own 1+C².
	theoryEvents = 5
	theoryLength = 50
	theorySpread = 0.2
)

// criticalDeviation returns the deviation, in standard errors, from which a value is judged wrong,
// with Bonferroni's correction.
func criticalDeviation(o *observe.Run) float64 {
	values := len(o.Claims) * max(o.Plan.Among, 1)
	return statistics.Student(observe.Batches, theoryAlarms/float64(values))
}

// Under the real clock measured values include the strategy's overhead, so CheckExact skips them.
func CheckExact(o *observe.Run, r *result.Result, first int) {
	if !o.Plan.Virtual {
		return
	}
	c2, _ := r.Metric(metric.ServiceC2)
	// waits are proportional to 1+C², so they may deviate as much as the run's own 1+C² does
	spread := math.Abs((1+c2)/(1+o.Workload.C2()) - 1)
	for _, c := range o.Claims {
		measured, ok := r.Metric(c.Unit)
		if !ok {
			continue
		}
		if c.Test == nil {
			if math.Abs(measured-c.Exact) > c.Allowed {
				r.Doubt(result.Suspect, rundir.CheckTheory,
					"%s is %.4g, and the exact value is %.4g: chance and the ends of the run "+
						"explain a difference of at most %.2g", c.Unit, measured,
					c.Exact, c.Allowed)
			}
			continue
		}
		means, count, ok := o.BatchMeans(first, c.Test.Value)
		if !ok {
			continue
		}
		n := float64(count)
		mean, _ := observe.MeanAndSD(means[:])
		off := math.Abs(mean-c.Test.Want) - spread*c.Test.Want
		se := max(observe.StandardError(means[:]), c.Test.Least(n))
		if off <= max(criticalDeviation(o)*se, 1e-9*c.Test.Want) ||
			spread > theorySpread || c.Test.Rare(n) {
			continue
		}
		r.Doubt(result.Suspect, rundir.CheckTheory,
			"%s is %.4g, and the exact value is %.4g: a difference of %.1f standard errors is "+
				"not chance", c.Unit, measured, c.Exact, off/se)
	}
}

func claimLimit(o *observe.Run, r *result.Result, unit string, exact, allowed float64) {
	r.Add(metric.Theory(unit), exact)
	o.Claims = append(o.Claims, observe.Claim{Unit: unit, Exact: exact, Allowed: allowed})
}

// overloadNoise returns the possible deviation of the throughput from the capacity at a load above
// 1. All slots stay busy after about (1+C²)/(ρ−1)² tasks.
func overloadNoise(
	o *observe.Run, r *result.Result, m observe.Totals, load, capacity float64,
) float64 {
	longest, _ := r.Metric(metric.MaxService)
	n, spread := float64(m.N), 1+o.Workload.C2()
	return capacity * (theoryErrors*math.Sqrt(spread/n) + spread/((load-1)*(load-1)*n) +
		longest/m.Seconds())
}

// batchNoise returns the possible deviation of the makespan of n exponential tasks on k slots. The
// last task exceeds 12 means with probability 1/160,000.
func batchNoise(n, k int, mean float64) float64 {
	variance := float64(max(n-k, 0)) / float64(k) / float64(k)
	for j := range min(k, n) {
		variance += 1 / float64(j+1) / float64(j+1)
	}
	return mean * (theoryErrors*math.Sqrt(variance) + 12)
}
