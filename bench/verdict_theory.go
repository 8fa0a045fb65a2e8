package bench

import (
	"math"

	"github.com/poolbench/poolbench/bench/records"
	"github.com/poolbench/poolbench/internal/statistics/samples"
	"github.com/poolbench/poolbench/internal/statistics/theory"
)

// A claim is an exact value beside a measured one, with what it takes to tell whether they agree: a
// value of each task whose mean is known or, of a value of the whole run, how far a run may be from
// it by chance: theoryErrors standard errors, and what a finite run is off by.
type claim struct {
	unit    string // measured; theory-unit is the exact one
	exact   float64
	test    *meanTest // nil for the whole run
	allowed float64
}

// A meanTest is a value of each task, its exact mean, and the least standard error that the mean
// over n tasks can have.
type meanTest struct {
	want  float64
	value func(i int, rec *records.Record) (float64, bool)
	least func(n float64) float64
	// the run is too short for its queue, or the tasks that decide are too few
	rare func(n float64) bool
}

// claim adds an exact value to the result, to be judged.
func (o *observation) claim(r *Result, unit string, exact float64, test meanTest) {
	r.add("theory-"+unit, exact)
	o.claims = append(o.claims, claim{unit: unit, exact: exact, test: &test})
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

func (o *observation) noiseOf(a *theory.Answer, load float64) noise {
	spread, relax := 1+o.workload.C2(), o.relaxation(load, o.workload.C2())
	if o.plan.Strategy.Starts != nil { // nothing else is waited for
		relax = o.startsRelaxation(a.Throughput)
	}
	return noise{max(relax, spread*a.Throughput*a.MeanWait), a.WaitProb}
}

func (z noise) short(n float64) bool { return n/z.relax < theoryLength }

// of tests the mean of a wait, W. Its variance is about W²(2/P−1), P being the share that waits; in
// heavy traffic its neighbours tell the same: the variance of the mean over n is
// W²(1+C²)(1+1/P)/((1−ρ)²n), for M/M/1 that of Whitt (Planning queueing simulations, 1989) to a
// fifth.
func (z noise) of(mean float64, value func(*records.Record) (float64, bool)) meanTest {
	return meanTest{want: mean,
		value: func(_ int, rec *records.Record) (float64, bool) { return value(rec) },
		least: func(n float64) float64 {
			if mean == 0 {
				return 0
			}
			return mean * math.Sqrt(z.relax*(1+1/z.waits)/n)
		}, rare: z.short}
}

// share tests the share of tasks of which something is so.
func (z noise) share(want float64, is func(*records.Record) (yes, counts bool)) meanTest {
	return meanTest{want: want, value: func(_ int, rec *records.Record) (float64, bool) {
		yes, counts := is(rec)
		if yes {
			return 1, counts
		}
		return 0, counts
	}, least: func(n float64) float64 { return math.Sqrt(want * (1 - want) / n * z.relax) },
		rare: func(n float64) bool {
			few := n * min(want, 1-want) / z.relax
			return z.short(n) || (few > 0 && few < theoryEvents)
		}}
}

// beyond tests a quantile of the response by the share of tasks beyond it, just above it: tasks of
// constant times make responses that many have in common.
func (z noise) beyond(t float64, a *theory.Answer, of func(*records.Record) bool) meanTest {
	at := int64(math.Ceil(t*second*(1+1e-9))) + 1
	above, _ := a.ResponseTail((float64(at) + 0.5) / second)
	return z.share(above, func(rec *records.Record) (bool, bool) {
		return rec.Response() > at, rec.Outcome == records.Completed && of(rec)
	})
}

// gaps tests a rate by the time between tasks, which is known.
func (o *observation) gaps(mean float64) meanTest {
	return meanTest{want: mean, value: func(i int, rec *records.Record) (float64, bool) {
		return float64(rec.Due-o.trace.At(max(i-1, 0)).Due) / second, i > 0
	}, least: func(n float64) float64 { return mean / math.Sqrt(n) },
		rare: func(n float64) bool { return n < theoryLength }}
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
func (o *observation) missed() float64 {
	values := len(o.claims) * max(o.plan.Among, 1)
	return samples.Student(batches, theoryAlarms/float64(values))
}

// checkExact holds measured values against the exact ones, where the run tells enough: under the
// virtual clock, in which nothing but queueing takes time. Under the real one a strategy's own cost
// is in what was measured; oracle-mean-wait-sec has none of it, and is what to set beside theory.
func (o *observation) checkExact(r *Result, first int) {
	if !o.plan.Virtual {
		return
	}
	c2, _ := r.Metric("service-c2")
	// Waits grow with 1+C²: by as much as that of the run's own task times differs, its waits may.
	spread := math.Abs((1+c2)/(1+o.workload.C2()) - 1)
	for _, c := range o.claims {
		measured, ok := r.Metric(c.unit)
		if !ok {
			continue
		}
		if c.test == nil {
			if math.Abs(measured-c.exact) > c.allowed {
				r.Doubt(Suspect, checkTheory, "%s is %.4g, the exact value %.4g: chance and the "+
					"ends of the run make no more than %.2g of difference", c.unit, measured,
					c.exact, c.allowed)
			}
			continue
		}
		n := 0.0
		means, ok := o.batchMeans(first, func(i int, rec *records.Record) (float64, bool) {
			v, counts := c.test.value(i, rec)
			if counts {
				n++
			}
			return v, counts
		})
		if !ok {
			continue
		}
		mean, _ := meanAndSD(means[:])
		off := math.Abs(mean-c.test.want) - spread*c.test.want
		se := max(standardError(means[:]), c.test.least(n))
		if off <= max(o.missed()*se, 1e-9*c.test.want) ||
			spread > theorySpread || c.test.rare(n) {
			continue
		}
		r.Doubt(Suspect, checkTheory, "%s is %.4g, the exact value %.4g: %.1f standard errors "+
			"apart, so that one of them is of something else", c.unit, measured, c.exact, off/se)
	}
}

// limit adds an exact value of the whole run to the result, to be judged.
func (o *observation) limit(r *Result, unit string, exact, allowed float64) {
	r.add("theory-"+unit, exact)
	o.claims = append(o.claims, claim{unit: unit, exact: exact, allowed: allowed})
}

// overloadNoise is how far the throughput of n tasks may be from the capacity that a load above 1
// finds: by chance, as the time that the tasks take varies; until all slots are busy for good,
// which takes some (1+C²)/(ρ−1)² tasks; and while the last tasks end.
func (o *observation) overloadNoise(r *Result, m measured, load, capacity float64) float64 {
	longest, _ := r.Metric("max-service-sec")
	n, spread := float64(m.n), 1+o.workload.C2()
	return capacity * (theoryErrors*math.Sqrt(spread/n) + spread/((load-1)*(load-1)*n) +
		longest/m.seconds())
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
