package capacity

import (
	"fmt"
	"math"
	"slices"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/advise"
	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/objectives"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/strategies"
)

// The first plan of the recursion decides most values, the second those close to the answer.
var plannedTasks = [...]int{1_000_000, 4_000_000}

const (
	earlyWidth = 1.5 // factor on the width of an interval that is checked again later
	// A run starts with idle slots, which biases it. Its warm-up, a tenth, is two relaxations.
	relaxations = 20
	maxNext     = 10_000_000 // longest suggested run, in tasks
)

// work is the key of scenarios with the same tasks, at any rate
type work bench.Encoded

func workOf(sc bench.Scenario) work {
	w := sc.Encode()
	w.Strategy, w.Limit, w.Queue, w.Load, w.Rate = "", 0, 0, 0, 0
	return work(w)
}

// longRuns caches the short plan of each work, and the last long one.
type longRuns struct {
	first  map[work]*advise.LongRun
	second struct {
		work
		*advise.LongRun
	}
}

func (l *longRuns) at(sc bench.Scenario, list objectives.List, look int) (*advise.LongRun, error) {
	key := workOf(sc)
	known := l.first[key]
	if look > 0 && l.second.LongRun != nil && l.second.work == key {
		known = l.second.LongRun
	} else if look > 0 {
		known = nil
	}
	if known != nil {
		return known, nil
	}
	drawn, err := advise.NewLongRun(sc, list, plannedTasks[look])
	if err != nil {
		return nil, err
	}
	if look == 0 {
		l.first[key] = drawn
	} else {
		l.second.work, l.second.LongRun = key, drawn
	}
	return drawn, nil
}

// judge decides a probe in the long run, as far as its runs allow. done means that more runs cannot
// change the decisions, and last that there will be no more.
func (s Search) judge(c *cell, p *probe, last bool) (of []decide.Decision, done bool, err error) {
	sc := s.Over.at(c.scenario, s.Over.value(p.At))
	long, err := s.long.at(sc, s.ofCompleted(), 0)
	if err != nil {
		return nil, true, err
	}
	of = make([]decide.Decision, len(s.Objectives))
	left := 0
	for i, o := range s.ofCompleted() {
		if lost, ok := decide.Lost(s.Objectives[i].Limit(), meanOf(p.results)); ok {
			of[i] = lost
			if lost.Verdict == decide.Missed {
				p.LostBy[i] = p.runs() // all runs together decide
			}
		} else {
			of[i] = byLaw(o, long, sc, p.results[0])
		}
		if of[i].Verdict == decide.Undecided {
			left++
		}
	}
	if left == 0 || verdictOf(of) == decide.Missed {
		return of, true, nil
	}
	if _, known := long.At(sc, p.results); known {
		for look := range plannedTasks {
			if long, err = s.long.at(sc, s.ofCompleted(), look); err != nil {
				return of, true, err
			}
			figures, _ := long.At(sc, p.results)
			s.decideByFigures(of, figures, long, sc, look == len(plannedTasks)-1,
				text.Rounded(float64(long.Tasks()))+" tasks", long.Tasks(), "")
			if verdictOf(of) != decide.Undecided {
				break
			}
		}
		return of, true, nil
	}
	if len(p.results) < 2 {
		return of, last, nil
	}
	n := p.results[0].Tasks
	s.decideByFigures(of, advise.OfRuns(p.results, s.units()), long, sc, last,
		fmt.Sprintf("%s of %s tasks", text.Count(len(p.results), "run"),
			text.Rounded(float64(n))), n, "--n")
	// more runs would lack the same metrics
	lacks := slices.ContainsFunc(of, func(d decide.Decision) bool { return math.IsNaN(d.Value) })
	return of, last || lacks || verdictOf(of) != decide.Undecided, nil
}

// meanOf looks up means over the runs that report a metric.
func meanOf(runs []*bench.Result) func(unit string) (mean float64, ok bool) {
	return func(unit string) (float64, bool) {
		sum, n := 0.0, 0
		for _, r := range runs {
			if v, ok := r.Metric(unit); ok {
				sum += v
				n++
			}
		}
		return sum / float64(max(n, 1)), n > 0
	}
}

func (s Search) units() (all []string) {
	for _, o := range s.ofCompleted() {
		all = append(all, o.Unit)
	}
	return all
}

// Figures are about completed tasks alone.
func (s Search) ofCompleted() objectives.List {
	list := slices.Clone(s.Objectives)
	for i := range list {
		list[i].Unit, _ = decide.Completed(list[i].Unit)
	}
	return list
}

// decideByFigures decides the undecided objectives by figures from that many consecutive tasks.
// flag is the flag that increases their number, or "".
func (s Search) decideByFigures(
	of []decide.Decision, figures []advise.Figure, long *advise.LongRun, sc bench.Scenario,
	last bool, basis string, tasks int, flag string,
) {
	wider := s.width()
	if !last {
		wider *= earlyWidth
	}
	needed := long.Relaxation(sc) * relaxations
	for i, o := range s.ofCompleted() {
		if of[i].Verdict != decide.Undecided {
			continue
		}
		f := figures[i]
		half := math.Log(f.High/f.Low) / 2
		if !(half < 1) {
			half = 1
		}
		f = f.Wider(wider * (1 + half)) // a wide interval is also skewed
		d := decide.Decision{Value: f.Mid, Low: f.Low, High: f.High,
			Verdict: decide.Interval(o.Limit(), f.Low, f.High)}
		switch {
		case !f.Known():
			d.Reason = "no value in " + basis
		case f.Low == f.High:
			d.Reason = fmt.Sprintf("%s in %s", text.Metric(o.Unit, f.Mid), basis)
		default:
			d.Reason = fmt.Sprintf("%.4g %% CI %s to %s, %s", 100*s.confidence(),
				text.Metric(o.Unit, f.Low), text.Metric(o.Unit, f.High), basis)
		}
		tooShort := needed > float64(tasks) && (isLatency(o.Unit) || !math.IsInf(needed, 1))
		takes := float64(tasks)
		if d.Verdict == decide.Met && tooShort {
			d.Verdict = decide.Undecided
			d.Reason += ", too short for this load"
			takes = needed
		} else if d.Verdict == decide.Undecided && f.Known() {
			half = math.Log(f.High/f.Low) / 2
			off := math.Log(f.Mid / o.Bound)
			takes = max(needed, 1.2*takes*half*half/(off*off))
		}
		if d.Verdict == decide.Undecided && flag != "" && takes > float64(tasks) &&
			takes <= maxNext {
			d.Next = fmt.Sprintf("%s %d", flag, roundUp(takes/(1-sc.Stop.Warmup)))
		}
		of[i] = d
	}
}

// width is relative to an interval of 95 %.
func (s Search) width() float64 {
	z := func(confidence float64) float64 { return math.Sqrt2 * math.Erfinv(confidence) }
	return z(s.confidence()) / z(defaultConfidence)
}

func roundUp(n float64) int {
	unit := math.Pow(10, math.Floor(math.Log10(n))-1)
	return int(math.Ceil(n/unit-1e-9) * unit)
}

func byLaw(
	o objectives.Objective, long *advise.LongRun, sc bench.Scenario, run *bench.Result,
) decide.Decision {
	if v, ok := exact(run, o.Unit, long.Mean()); ok {
		return decide.Decision{Verdict: decide.Interval(o.Limit(), v, v), Value: v, Low: v, High: v,
			Reason: text.Metric(o.Unit, v) + " by theory"}
	}
	_, has := run.Metric(o.Unit)
	why := long.Unstable(sc)
	if has && why != "" && grows(o.Unit, sc.Strategy.Spec) {
		inf := math.Inf(1)
		return decide.Decision{Verdict: decide.Interval(o.Limit(), inf, inf), Value: inf, Low: inf,
			High: inf, Reason: "unstable: " + why}
	}
	return decide.Decision{Value: math.NaN(), Low: math.NaN(), High: math.NaN()}
}

func exact(run *bench.Result, unit string, mean float64) (v float64, ok bool) {
	if unit == metric.MeanResponse {
		wait, known := run.Metric(metric.TheoryMeanWait)
		return wait + mean, known
	}
	return run.Metric(metric.Theory(unit))
}

// If tasks do not start in the order of arrival, only the mean surely grows with the queue.
func grows(unit string, spec strategies.Spec) bool {
	switch unit {
	case metric.MeanResponse, metric.MeanWait:
		return true
	}
	return isLatency(unit) && spec.FIFO
}

func isLatency(unit string) bool {
	return metric.IsOf(unit, metric.Response) || metric.IsOf(unit, metric.Wait)
}

func verdictOf(of []decide.Decision) decide.Verdict {
	verdicts := make([]decide.Verdict, len(of))
	for i, d := range of {
		verdicts[i] = d.Verdict
	}
	return decide.All(verdicts...)
}
