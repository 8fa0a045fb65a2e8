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

// claim adds an exact value to the result, to be judged.
func claim(o *observe.Run, r *result.Result, unit string, exact float64, test observe.MeanTest) {
	r.Add(metric.Theory(unit), exact)
	o.Claims = append(o.Claims, observe.Claim{Unit: unit, Exact: exact, Test: &test})
}

// A noise is how uncertain the mean over a run is, by what is known of queues. Batch means alone
// believe themselves too much where a run is short against the memory of its queue, or where next
// to no task has waited.
type noise struct {
	// relax is how many tasks tell as much as one independent task: in heavy traffic (1+C²)/(1−ρ)²,
	// or, in a queue of K slots that sheds, (1+C²)(1+K)²; but never less than those that wait
	// together, whose waits are sums of the same task times: above the capacity all K of them.
	relax float64
	waits float64 // the share of tasks that wait
}

func noiseOf(o *observe.Run, a *theory.Answer, load float64) noise {
	spread, relax := 1+o.Workload.C2(), Relaxation(o, load, o.Workload.C2())
	if o.Plan.Strategy.Starts != nil { // nothing else is waited for
		relax = StartsRelaxation(o, a.Throughput)
	}
	return noise{max(relax, spread*a.Throughput*a.MeanWait), a.WaitProb}
}

func (z noise) short(n float64) bool { return n/z.relax < theoryLength }

// of tests the mean of a wait, W. Its variance is about W²(2/P−1), P being the share that waits; in
// heavy traffic its neighbours tell the same: the variance of the mean over n is
// W²(1+C²)(1+1/P)/((1−ρ)²n), for M/M/1 that of Whitt (Planning queueing simulations, 1989) to a
// fifth.
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

// share tests the share of tasks of which something is so.
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

// beyond tests a quantile of the response by the share of tasks beyond it, just above it: tasks of
// constant times make responses that many have in common.
func (z noise) beyond(
	t float64, a *theory.Answer, of func(*record.Record) bool,
) observe.MeanTest {
	at := int64(math.Ceil(t*observe.Second*(1+1e-9))) + 1
	above, _ := a.ResponseTail((float64(at) + 0.5) / observe.Second)
	return z.share(above, func(rec *record.Record) (bool, bool) {
		return rec.Response() > at, rec.Outcome == record.Completed && of(rec)
	})
}

// gaps tests a rate by the time between tasks, which is known.
func gaps(o *observe.Run, mean float64) observe.MeanTest {
	return observe.MeanTest{Want: mean, Value: func(i int, rec *record.Record) (float64, bool) {
		return float64(rec.Due-o.Trace.At(max(i-1, 0)).Due) / observe.Second, i > 0
	}, Least: func(n float64) float64 { return mean / math.Sqrt(n) },
		Rare: func(n float64) bool { return n < theoryLength }}
}

const (
	// theoryErrors is how many standard errors of a known size are beyond chance.
	theoryErrors = 5
	// theoryAlarms is the share of plans in which chance may make a doubt of an exact value.
	theoryAlarms = 0.01
	// theoryLength is the shortest run that is judged, theoryEvents are the fewest independent
	// events by which a share is judged, and theorySpread how much the task times of a run may
	// differ in their spread from their distribution: where the few that make it are missing, or
	// too many, their waits are missing as well.
	theoryEvents = 5
	theoryLength = 50 // independent tasks, by the same theory
	theorySpread = 0.2
)

// missed is how many standard errors a measured value is from its exact one, where that is no
// chance: by Student's t of the batches, so far that not one in a hundred plans has such a value,
// of as many runs as the plan has and as many exact values as this run knows.
func missed(o *observe.Run) float64 {
	values := len(o.Claims) * max(o.Plan.Among, 1)
	return statistics.Student(observe.Batches, theoryAlarms/float64(values))
}

// CheckExact holds measured values against the exact ones, where the run tells enough: under the
// virtual clock, in which nothing but queueing takes time. Under the real one a strategy's own cost
// is in what was measured; oracle-mean-wait-sec has none of it, and is what to set beside theory.
func CheckExact(o *observe.Run, r *result.Result, first int) {
	if !o.Plan.Virtual {
		return
	}
	c2, _ := r.Metric(metric.ServiceC2)
	// Waits grow with 1+C²: by as much as that of the run's own task times differs, its waits may.
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

// limit adds an exact value of the whole run to the result, to be judged.
func limit(o *observe.Run, r *result.Result, unit string, exact, allowed float64) {
	r.Add(metric.Theory(unit), exact)
	o.Claims = append(o.Claims, observe.Claim{Unit: unit, Exact: exact, Allowed: allowed})
}

// overloadNoise is how far the throughput of n tasks may be from the capacity that a load above 1
// finds: by chance, as the time that the tasks take varies; until all slots are busy for good,
// which takes some (1+C²)/(ρ−1)² tasks; and while the last tasks end.
func overloadNoise(
	o *observe.Run, r *result.Result, m observe.Measured, load, capacity float64,
) float64 {
	longest, _ := r.Metric(metric.MaxService)
	n, spread := float64(m.N), 1+o.Workload.C2()
	return capacity * (theoryErrors*math.Sqrt(spread/n) + spread/((load-1)*(load-1)*n) +
		longest/m.Seconds())
}

// batchNoise is how far the makespan of n exponential tasks on k slots may be from its mean: while
// all slots are busy a task ends each 1/k of a mean, then the last j in 1/j. The last of them alone
// is beyond 12 means once in 160,000 times.
func batchNoise(n, k int, mean float64) float64 {
	variance := float64(max(n-k, 0)) / float64(k) / float64(k)
	for j := range min(k, n) {
		variance += 1 / float64(j+1) / float64(j+1)
	}
	return mean * (theoryErrors*math.Sqrt(variance) + 12)
}
