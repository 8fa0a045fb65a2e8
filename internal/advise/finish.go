package advise

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/internal/objectives"
	"github.com/poolbench/poolbench/workloads"
)

func (s *search) answer(ctx context.Context, options []Option) (*Answer, error) {
	if err := s.stressBest(ctx, options); err != nil {
		return nil, err
	}
	best := options[0]
	more, unstable := []Option{}, []Option{}
	for _, o := range options[1:] {
		if o.Unstable == "" {
			more = append(more, o)
		} else {
			unstable = append(unstable, o)
		}
	}
	s.recordDropped(unstable, seeds)
	a := &Answer{Objectives: s.wanted, Recommendation: best, RunnersUp: more,
		Replayed: s.recursionCovers, Recorded: s.traffic != nil && s.traffic.recorded}
	a.Verdict = map[objectives.Verdict]Verdict{objectives.Met: Meets,
		objectives.Undecided: Undecided, objectives.Missed: NothingMeets}[best.Verdict]
	for i := range a.RunnersUp {
		o := &a.RunnersUp[i]
		o.Regret = o.Promise.Mid/best.Promise.Mid - 1
		o.Same = o.Limit == best.Limit && equalFigures(o.Figures, best.Figures)
	}
	if s.stop.Tasks > 0 && s.stop.Tasks < s.sample.Stop.Tasks &&
		s.sample.Load.Arrival.Tasks() > 0 {
		a.Ran, a.Record = s.stop.Tasks, s.sample.Stop.Tasks
	}
	if err := s.neighbours(ctx, a); err != nil {
		return nil, err
	}
	if a.Verdict != Meets {
		s.missing(a)
	}
	a.Simplest = simplest(a)
	a.Recommendation.QueueWhy = s.queueReason(&a.Recommendation)
	a.Work = s.work
	a.NotLooked, a.Tasks = s.notConsidered, s.simulatedTasks
	return a, ctx.Err()
}

// stressBest sorts the options and stresses the best until the first maxKept have been tried, or
// twice as many in all. Options that were not tried become undecided.
func (s *search) stressBest(ctx context.Context, options []Option) error {
	for range 2 * maxKept {
		slices.SortStableFunc(options, better)
		i := slices.IndexFunc(options, func(o Option) bool { return !o.tried })
		if i < 0 || i >= maxKept {
			return nil
		}
		o := &options[i]
		o.tried = true
		if err := s.stress(ctx, o); err != nil {
			return err
		}
		if err := s.confirm(ctx, o); err != nil {
			return err
		}
	}
	for i := range options {
		if o := &options[i]; !o.tried && o.Verdict == objectives.Met {
			o.Verdict = objectives.Undecided
		}
	}
	slices.SortStableFunc(options, better)
	return nil
}

func (s *search) neighbours(ctx context.Context, a *Answer) error {
	best := a.Recommendation
	at := func(limit int) (*Option, error) {
		if s.isExact(best.behaviour) {
			return s.measurePool(ctx, best.behaviour, limit)
		}
		return s.measure(ctx, best.behaviour, limit, seeds)
	}
	var err error
	if best.Limit > 1 {
		if a.Below, err = at(best.Limit - 1); err != nil {
			return err
		}
	}
	a.Above, err = at(2 * best.Limit)
	return err
}

// confirm makes an option undecided if a run of real work in real time misses the objective. A run
// that is not VALID changes nothing.
func (s *search) confirm(ctx context.Context, o *Option) error {
	if s.question.Scenario.Workload.Spec.New == nil ||
		s.question.Scenario.Workload.Spec.Kind == workloads.Wait {
		return nil
	}
	sc := s.scenario(trial{o.Strategy, unstressed(o.Limit, o.Queue)})
	if sc.Stop.Tasks == 0 || sc.Stop.Tasks > confirmTasks {
		sc.Stop.Tasks, sc.Stop.Duration = confirmTasks, 0
	}
	sc.Workload, sc.Clock = s.question.Scenario.Workload, bench.Real
	var failed error
	err := bench.Suite{Scenarios: []bench.Scenario{sc}}.Do(ctx, s.run,
		func(_ bench.Scenario, r *bench.Result, err error) error {
			switch failed = err; {
			case err != nil:
			case r.Verdict != result.Valid:
				failed = fmt.Errorf("%s, mainly %s", r.Verdict, r.Reasons[0].Check)
			default:
				f := (&codeReading{results: []*bench.Result{r}}).figure(s.wanted[0].Unit)
				o.Confirmed = &f
				if f.judge(s.wanted[0]) == objectives.Missed && o.Verdict == objectives.Met {
					o.Verdict = objectives.Undecided
				}
			}
			return nil
		})
	if failed != nil {
		s.fail(o.Strategy.String()+" in real time", failed)
	}
	return err
}

const confirmTasks = 2000

func (s *search) missing(a *Answer) {
	o := a.Recommendation
	if s.isExact(o.behaviour) {
		if limit := s.sufficientLimit(&o); limit > 0 {
			a.Missing = append(a.Missing, Missing{"limit", float64(limit)})
		}
		if rate := s.work.Rate * s.largestLoad(&o, 0, 1); rate > 0 {
			a.Missing = append(a.Missing, Missing{"rate", rate})
		}
	}
	if f := o.Promise; f.Known() && f.judge(s.wanted[0]) != objectives.Met {
		a.Missing = append(a.Missing, Missing{"objective", f.High})
	}
}

func (s *search) sufficientLimit(o *Option) int {
	low := s.question.limitAtMost()
	limit := smallest(low, searchFactor*low, low, func(limit int) bool {
		return s.meets(o, setting{limit: limit, load: 1, service: 1})
	})
	if limit > searchFactor*low {
		return 0
	}
	return limit
}

const searchFactor = 8

func (s *search) described() WorkSummary {
	d := WorkSummary{Rate: s.sample.Load.PerSecond, C2: math.NaN(), GapC2: math.NaN()}
	w, err := s.sample.Workload.Spec.Build(s.sample.Seed, s.sample.Workload.Values)
	if err == nil {
		d.Mean, d.C2 = w.Mean().Seconds(), w.C2()
	}
	if t := s.traffic; t != nil {
		var services, gaps []float64
		for _, one := range t.samples {
			for i := range one.due {
				if i > 0 {
					gaps = append(gaps, float64(one.due[i]-one.due[i-1])/1e9)
				}
				if t.recorded {
					services = append(services, float64(one.service[i])/1e9)
				}
			}
		}
		if t.recorded {
			d.Mean, d.C2 = moments(services)
		}
		if t.busier > 1 {
			d.Busier = t.busier
		}
		if gap, c2 := moments(gaps); gap > 0 {
			d.GapC2 = c2
			if d.Rate == 0 || t.recorded {
				d.Rate = 1 / gap
			}
		}
	}
	d.Busy = d.Rate * d.Mean
	return d
}

func moments(values []float64) (mean, c2 float64) {
	mean, variance := stat.PopMeanVariance(values, nil)
	if !(mean > 0) {
		return 0, 0
	}
	return mean, variance / (mean * mean)
}
