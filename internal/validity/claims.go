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

// A noise is the uncertainty of a mean over a run according to queueing theory. Batch means alone
// underestimate it if a run is short relative to the memory of its queue, or if almost no task
// waits.
type noise struct {
	// relax is the number of tasks with the information of one independent task: (1+C²)/(1−ρ)² in
	// heavy traffic, (1+C²)(1+K)² in a queue of K slots that sheds, and at least the number of tasks
	// that wait together, whose waits are sums of the same task times: above the capacity all K of
	// them.
	relax float64
	waits float64 // the share of tasks that wait
}

func noiseOf(o *observe.Run, a *theory.Answer, load float64) noise {
	spread, relax := 1+o.Workload.C2(), Relaxation(o, load, o.Workload.C2())
	if o.Plan.Strategy.Starts != nil { // there is no other wait
		relax = StartsRelaxation(o, a.Throughput)
	}
	return noise{max(relax, spread*a.Throughput*a.MeanWait), a.WaitProb}
}

func (z noise) short(n float64) bool { return n/z.relax < theoryLength }

// of tests the mean of a wait, W. Its variance is about W²(2/P−1), where P is the share that waits.
// In heavy traffic neighbours are correlated: the variance of the mean over n is
// W²(1+C²)(1+1/P)/((1−ρ)²n), which for M/M/1 is within a fifth of Whitt's (Planning queueing
// simulations, 1989).
func (z noise) of(mean float64, value func(*record.Record) (float64, bool)) observe.MeanTest {
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

// beyond tests a quantile of the response by the share of tasks just above it, because many tasks
// of constant times have the same response.
func (z noise) beyond(
	t float64, a *theory.Answer, of func(*record.Record) bool,
) observe.MeanTest {
	at := int64(math.Ceil(t*observe.Second*(1+1e-9))) + 1
	above, _ := a.ResponseTail((float64(at) + 0.5) / observe.Second)
	return z.share(above, func(rec *record.Record) (bool, bool) {
		return rec.Response() > at, rec.Outcome == record.Completed && of(rec)
	})
}

// gaps tests a rate by the time between tasks, whose distribution is known.
func gaps(o *observe.Run, mean float64) observe.MeanTest {
	return observe.MeanTest{Want: mean, Value: func(i int, rec *record.Record) (float64, bool) {
		return float64(rec.Due-o.Trace.At(max(i-1, 0)).Due) / observe.Second, i > 0
	}, Least: func(n float64) float64 { return mean / math.Sqrt(n) },
		Rare: func(n float64) bool { return n < theoryLength }}
}

const (
	// theoryErrors is the number of standard errors of a known size that is not chance.
	theoryErrors = 5
	// theoryAlarms is the accepted share of plans with a false doubt about an exact value.
	theoryAlarms = 0.01
	// theoryLength is the least length of a run that is judged. theoryEvents is the least number of
	// independent events to judge a share. theorySpread is the accepted deviation of the spread of a
	// run's task times from their distribution: if a few long tasks are missing, so are their waits.
	theoryEvents = 5
	theoryLength = 50 // independent tasks, by the same theory
	theorySpread = 0.2
)

// missed returns the number of standard errors from the exact value that is not chance: by
// Student's t of the batches, for the number of runs in the plan and the number of exact values of
// this run, so that at most one plan in a hundred has such a value.
func missed(o *observe.Run) float64 {
	values := len(o.Claims) * max(o.Plan.Among, 1)
	return statistics.Student(observe.Batches, theoryAlarms/float64(values))
}

// CheckExact compares measured values with the exact ones, if the run is long enough. It requires
// the virtual clock, in which only queueing takes time. Under the real clock measured values
// include the strategy's own cost. There oracle-mean-wait-sec, which does not, can be compared with
// theory.
func CheckExact(o *observe.Run, r *result.Result, first int) {
	if !o.Plan.Virtual {
		return
	}
	c2, _ := r.Metric(metric.ServiceC2)
	// Waits are proportional to 1+C², so they may differ by as much as that of the run's own task
	// times does.
	spread := math.Abs((1+c2)/(1+o.Workload.C2()) - 1)
	for _, c := range o.Claims {
		measured, ok := r.Metric(c.Unit)
		if !ok {
			continue
		}
		if c.Test == nil {
			if math.Abs(measured-c.Exact) > c.Allowed {
				r.Doubt(result.Suspect, rundir.CheckTheory,
					"%s is %.4g, the exact value %.4g: chance and the "+
						"ends of the run make no more than %.2g of difference", c.Unit, measured,
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
		if off <= max(missed(o)*se, 1e-9*c.Test.Want) ||
			spread > theorySpread || c.Test.Rare(n) {
			continue
		}
		r.Doubt(result.Suspect, rundir.CheckTheory,
			"%s is %.4g, the exact value %.4g: %.1f standard errors apart, so one of them "+
				"describes another system", c.Unit, measured, c.Exact, off/se)
	}
}

func limit(o *observe.Run, r *result.Result, unit string, exact, allowed float64) {
	r.Add(metric.Theory(unit), exact)
	o.Claims = append(o.Claims, observe.Claim{Unit: unit, Exact: exact, Allowed: allowed})
}

// overloadNoise returns the possible deviation of the throughput of n tasks from the capacity, at a
// load above 1: by the variation of the task times, by the time until all slots stay busy, about
// (1+C²)/(ρ−1)² tasks, and by the end of the last tasks.
func overloadNoise(
	o *observe.Run, r *result.Result, m observe.Measured, load, capacity float64,
) float64 {
	longest, _ := r.Metric(metric.MaxService)
	n, spread := float64(m.N), 1+o.Workload.C2()
	return capacity * (theoryErrors*math.Sqrt(spread/n) + spread/((load-1)*(load-1)*n) +
		longest/m.Seconds())
}

// batchNoise returns the possible deviation of the makespan of n exponential tasks on k slots from
// its mean. While all slots are busy a task ends each 1/k of a mean, and the last j tasks end in
// 1/j. The very last is beyond 12 means once in 160,000 times.
func batchNoise(n, k int, mean float64) float64 {
	variance := float64(max(n-k, 0)) / float64(k) / float64(k)
	for j := range min(k, n) {
		variance += 1 / float64(j+1) / float64(j+1)
	}
	return mean * (theoryErrors*math.Sqrt(variance) + 12)
}
