package advise

import (
	"math"
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/objectives"
	"github.com/poolbench/poolbench/internal/rundir"
	"github.com/poolbench/poolbench/strategies"
)

// HasLongRun reports whether the objectives have a value in the long run: open traffic at a steady
// rate, no task that is cut short, and no metric that grows with the length of the run.
func HasLongRun(sc bench.Scenario, wanted objectives.List) bool {
	sc = withDefaults(sc)
	a := sc.Load.Arrival
	return sc.Clock == bench.Virtual && steady(sc) && !a.IsClosed() && a.Stages() == nil &&
		a.Tasks() == 0 && sc.Timeout == 0 && sc.Patience == nil && sc.Drain == 0 && !perRun(wanted)
}

type LongRun struct {
	search *search
	c2     float64 // C² of the arrivals over long stretches: 1 for Poisson
}

// NewLongRun plans that many tasks of the scenario, for which HasLongRun must be true. Bursty
// traffic gets three times as many.
func NewLongRun(sc bench.Scenario, wanted objectives.List, tasks int) (*LongRun, error) {
	sc = withDefaults(sc)
	w, err := sc.Workload.Spec.Build(sc.Seed, sc.Workload.Values)
	if err != nil {
		return nil, err
	}
	sc.Load.PerSecond, sc.Load.Relative = rateOf(sc, w.Mean()), 0
	s := &search{wanted: wanted, sample: sc, models: map[line]*modelReading{}}
	if s.traffic, err = draw(s.sample, tasks, false); err != nil {
		return nil, err
	}
	s.work = WorkSummary{Rate: sc.Load.PerSecond, Mean: w.Mean().Seconds(), C2: w.C2()}
	s.work.Busy = s.work.Rate * s.work.Mean
	s.recursionCovers = s.replayable()
	l := &LongRun{search: s, c2: 1}
	if s.traffic != nil {
		l.c2 = s.traffic.samples[0].dispersion()
	}
	return l, nil
}

func withDefaults(sc bench.Scenario) bench.Scenario {
	return bench.Suite{Scenarios: []bench.Scenario{sc}}.At(0)
}

func rateOf(sc bench.Scenario, mean time.Duration) float64 {
	if sc.Load.Relative != 0 {
		return sc.Load.Relative * float64(sc.Limit) / mean.Seconds()
	}
	return sc.Load.PerSecond
}

// dispersion returns the variance of the sum of a thousand gaps, relative to that of independent
// gaps with C² 1.
func (s sample) dispersion() float64 {
	const stretch = 1000
	var lengths []float64
	for i := stretch; i < len(s.due); i += stretch {
		lengths = append(lengths, float64(s.due[i]-s.due[i-stretch]))
	}
	if len(lengths) < 2 {
		return 1
	}
	_, c2 := moments(lengths)
	return c2 * stretch
}

func (l *LongRun) Tasks() int {
	if l.search.traffic == nil {
		return 0
	}
	return len(l.search.traffic.samples[0].due)
}

func (l *LongRun) Mean() float64 { return l.search.work.Mean }

func (l *LongRun) settingOf(sc bench.Scenario) setting {
	sc = withDefaults(sc)
	t := unstressed(sc.Limit, sc.Queue)
	t.load = rateOf(sc, time.Duration(l.search.work.Mean*float64(time.Second))) / l.search.work.Rate
	return t
}

func (l *LongRun) behaviourOf(v strategies.Variant) behaviour {
	b := behaviourOf(v, l.search.sample.Target)
	b.plain = isPlain(v)
	return b
}

// Unstable returns why the queue grows throughout, or "" if the slots and the pace are sufficient.
func (l *LongRun) Unstable(sc bench.Scenario) string {
	why, _ := l.search.overload(l.behaviourOf(sc.Strategy), l.settingOf(sc))
	return why
}

// Relaxation returns the number of consecutive tasks with as much information as one independent
// task. In heavy traffic it is (c²+C²)/(1−ρ)² (Whitt, Planning queueing simulations, 1989), and for
// a shedding queue of K slots at most (c²+C²)(1+K)². It is 0 if the limit does not determine it.
func (l *LongRun) Relaxation(sc bench.Scenario) float64 {
	t := l.settingOf(sc)
	n := slots(sc.Strategy, t.limit)
	if n == 0 || math.IsInf(l.search.work.C2, 0) {
		return 0
	}
	slack := 1 - l.search.work.Busy*t.load/float64(n)
	if queue, follows := sc.FollowsPlan(); sc.Strategy.Spec.Sheds {
		if slack <= 0 && !follows {
			return 0 // another shedding rule has another relaxation
		}
		slack = max(math.Abs(slack), 1/float64(1+max(queue, 0)))
	}
	if paced := startsOf(sc.Strategy, l.search.sample.Target).PerSecond; paced > 0 {
		slack = min(slack, 1-l.search.work.Rate*t.load/paced)
	}
	if slack <= 0 {
		return math.Inf(1)
	}
	return (l.c2 + l.search.work.C2) / (slack * slack)
}

// Unless byContract, the strategy's own runs must confirm the model.
func (l *LongRun) lineOf(sc bench.Scenario) (_ line, byContract, ok bool) {
	b, t := l.behaviourOf(sc.Strategy), l.settingOf(sc)
	byContract = l.search.isExact(b) && !sc.Strategy.Spec.Retries
	if !b.sheds {
		at, ok := l.search.lineOf(sc.Strategy, t)
		return at, byContract, ok && l.search.recursionCovers
	}
	queue, follows := sc.FollowsPlan()
	limit := slots(sc.Strategy, t.limit)
	return line{limit: limit, queue: queue, load: t.load, service: 1}, byContract,
		byContract && follows && limit > 0
}

// At returns a figure for each objective, for a scenario with the same work. The given runs must
// equal the recursion of their tasks to the digit: the first one if the strategy is a pool by
// contract, otherwise all of at least two. If not, ok is false.
func (l *LongRun) At(sc bench.Scenario, runs []*bench.Result) (figures []Figure, ok bool) {
	at, byContract, ok := l.lineOf(sc)
	if !ok {
		return nil, false
	}
	if byContract {
		runs = runs[:min(1, len(runs))]
	}
	for _, run := range runs {
		if !l.equals(sc, at, run) {
			return nil, false
		}
	}
	m := l.search.model(at)
	for _, w := range l.search.wanted {
		figures = append(figures, m.figure(w.Unit))
	}
	return figures, byContract || len(runs) > 1
}

// equals compares the wanted metrics, and the waits, which differ with any other order of tasks.
func (l *LongRun) equals(sc bench.Scenario, at line, run *bench.Result) bool {
	sc = withDefaults(sc)
	sc.Load.PerSecond, sc.Load.Relative = l.search.work.Rate*at.load, 0
	at.load = 1
	tasks, err := drawSample(sc, run.Seed)
	if err != nil {
		return false
	}
	part := traffic{samples: []sample{tasks}, blocks: 1, warmup: sc.Stop.Warmup}
	b := part.simulate(at)
	units := []string{metric.MeanWait, metric.MaxWait}
	for _, w := range l.search.wanted {
		units = append(units, w.Unit)
	}
	compared := 0
	for _, unit := range units {
		if own, has := run.Metric(unit); has {
			if f := b.batchFigure(unit); f.Known() && !nearlyEqual(own, f.Mid) {
				return false
			}
			compared++
		}
	}
	return compared > 0
}

// OfRuns returns a figure for each metric from two or more runs with independent seeds. Quantiles
// pool the tasks of all runs, because a short run alone is biased. Runs start with idle slots,
// which biases them as well, so the interval extends to the figure of their second halves.
func OfRuns(runs []*bench.Result, units []string) (figures []Figure) {
	whole, late := ownTasks(runs, 0), ownTasks(runs, 0.5)
	for _, unit := range units {
		f := spread((&codeReading{results: runs}).values(unit), 1)
		_, of, isQuantile := quantile(unit)
		if isQuantile && whole != nil && whole.has(of) {
			f = whole.batchFigure(unit).extendedTo(late.batchFigure(unit))
		} else if whole != nil && len(whole.value[unit]) == len(runs) {
			f = f.extendedTo(late.batchFigure(unit))
		}
		figures = append(figures, f)
	}
	return figures
}

func (b *batchReading) has(of string) bool { return of == metric.Response || len(b.service) > 0 }

// ownTasks leaves out the first share of each run. It returns nil if a run has no recorded tasks.
func ownTasks(runs []*bench.Result, from float64) *batchReading {
	b := &batchReading{spans: map[string]*span{}, value: map[string][]float64{}, varianceFactor: 1}
	responses := &span{}
	for _, r := range runs {
		if r.Responses == "" || r.Invalid() {
			return nil
		}
		tasks, err := rundir.UnpackTasks(r.Tasks, r.Responses)
		if err != nil {
			return nil
		}
		var response, wait, service []int64
		for i := int(from * float64(len(tasks.Responses))); i < len(tasks.Responses); i++ {
			v := tasks.Responses[i]
			if v == rundir.NoResponse {
				continue
			}
			response = append(response, v)
			if tasks.Parts != nil {
				own := tasks.Parts[i][len(rundir.PartNames)-1]
				wait, service = append(wait, v-own), append(service, own)
			}
		}
		if len(wait) > 0 {
			b.wait, b.service = append(b.wait, wait), append(b.service, service)
			b.addMeans(wait, service)
		}
		responses.batches = append(responses.batches, response)
	}
	if len(b.service) != len(runs) {
		b.wait, b.service = nil, nil
	}
	b.spans[metric.Response] = responses.ranked()
	return b
}

func (f Figure) extendedTo(to Figure) Figure {
	return Figure{min(f.Low, to.Low), f.Mid, max(f.High, to.High)}
}

func (f Figure) Wider(by float64) Figure {
	if !(f.Low > 0) {
		return Figure{max(0, f.Mid-by*(f.Mid-f.Low)), f.Mid, f.Mid + by*(f.High-f.Mid)}
	}
	return Figure{f.Mid * math.Pow(f.Low/f.Mid, by), f.Mid, f.Mid * math.Pow(f.High/f.Mid, by)}
}
