package capacity

import (
	"context"
	"errors"
	"sync"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/objectives"
	"github.com/poolbench/poolbench/internal/rundir"
)

// errGivenUp is the error of a run that is skipped because another run of its cell has failed.
var errGivenUp = errors.New("given up")

func (s Search) search(
	ctx context.Context, cells []*cell, run bench.RunFunc,
	each func(bench.Scenario, *bench.Result, error) error,
) error {
	for {
		batch := s.batch(cells)
		if len(batch) == 0 {
			return nil
		}
		if err := s.round(ctx, batch, run, each); err != nil {
			return err
		}
		searching := 0
		for _, c := range cells {
			if c.err == nil && !c.open() {
				c.refine(s.resolution(), s.probes())
			}
			if c.open() {
				searching++
			}
		}
		if s.Progress != nil {
			s.Progress(searching)
		}
	}
}

type pendingRun struct {
	cell     *cell
	probe    *probe
	test     signTest
	scenario bench.Scenario
}

// batch orders the runs of a round by repetition, so that a slow minute of the machine affects
// every strategy and load.
func (s Search) batch(cells []*cell) (batch []pendingRun) {
	for extra := 0; ; extra++ {
		before := len(batch)
		for _, c := range cells {
			test, err := s.test(c.scenario)
			if err != nil || c.err != nil {
				continue
			}
			for _, p := range c.probes {
				n := p.runs()
				if p.done || n+extra >= test.next(n, c.inLongRun) {
					continue
				}
				sc := s.Over.at(c.scenario, s.Over.value(p.At))
				sc.Seed += uint64(n + extra)
				batch = append(batch, pendingRun{c, p, test, sc})
			}
		}
		if len(batch) == before {
			return batch
		}
	}
}

func (s Search) round(
	ctx context.Context, batch []pendingRun, run bench.RunFunc,
	each func(bench.Scenario, *bench.Result, error) error,
) error {
	suite := bench.Suite{Parallel: s.Parallel}
	var of []*cell
	for _, w := range batch {
		suite.Scenarios, of = append(suite.Scenarios, w.scenario), append(of, w.cell)
	}
	err := runOf(ctx, suite, of, each,
		func(ctx context.Context, c *cell, sc bench.Scenario) (*bench.Result, error) {
			r, calculated, err := s.calculate(sc)
			if calculated {
				c.calculated.Add(1)
				return r, err
			}
			return run(ctx, sc)
		}, func(i int, sc bench.Scenario, r *bench.Result) error {
			batch[i].probe.add(r, s.Objectives)
			return each(sc, r, nil)
		})
	for _, w := range batch {
		if w.cell.err == nil && !w.probe.done && w.probe.runs() > 0 {
			w.cell.err = s.judgeRuns(w)
		}
	}
	return err
}

func (s Search) judgeRuns(w pendingRun) (err error) {
	p := w.probe
	if !w.cell.inLongRun {
		p.Verdict, p.done = w.test.judge(p.Probe)
		return nil
	}
	if len(p.results) < min(w.test.first, s.runs()) {
		return nil
	}
	p.Decisions, p.done, err = s.judge(w.cell, p, p.runs() >= s.runs())
	p.Verdict = verdictOf(p.Decisions)
	if p.done {
		p.results = nil
	}
	return err
}

// runOf runs a suite in which each scenario measures one cell. After a failed run it skips the
// others of the cell.
func runOf(
	ctx context.Context, suite bench.Suite, of []*cell,
	each func(bench.Scenario, *bench.Result, error) error,
	run func(context.Context, *cell, bench.Scenario) (*bench.Result, error),
	done func(i int, sc bench.Scenario, r *bench.Result) error,
) error {
	byWords := map[bench.Encoded]*cell{}
	for i, c := range of {
		byWords[suite.At(i).Encode()] = c // as the suite runs it
	}
	var failed sync.Map // cells
	unlessFailed := func(ctx context.Context, sc bench.Scenario) (*bench.Result, error) {
		c := byWords[sc.Encode()]
		if _, ok := failed.Load(c); ok {
			return nil, errGivenUp
		}
		r, err := run(ctx, c, sc)
		if err != nil {
			failed.Store(c, true)
		}
		return r, err
	}
	next := 0
	return suite.Do(ctx, unlessFailed, func(sc bench.Scenario, r *bench.Result, err error) error {
		i := next
		next++
		switch {
		case errors.Is(err, errGivenUp):
			return nil
		case err != nil:
			of[i].err = errors.Join(of[i].err, err)
			return each(sc, r, err)
		}
		return done(i, sc, r)
	})
}

func (p *probe) add(r *bench.Result, list objectives.List) {
	p.results = append(p.results, r)
	if p.MissedBy == nil {
		p.MissedBy, p.LostBy = make([]int, len(list)), make([]int, len(list))
	}
	for i, o := range list {
		if o.Evaluate(r) == objectives.Missed {
			p.MissedBy[i]++
		}
		if lost, ok := decide.Lost(o.Limit(), r.Metric); ok && lost.Verdict == decide.Missed {
			p.LostBy[i]++
		}
	}
	switch list.Evaluate(r) {
	case objectives.Met:
		p.Met++
	case objectives.Missed:
		p.Missed++
	default:
		p.Untold++
	}
	offered, _ := r.Metric(metric.Offered)
	p.Offered += offered
	waited, _ := r.Metric(metric.Waited)
	p.Waited = max(p.Waited, waited)
	for i, loss := range LossesOf(r) {
		p.Losses[i].Unit = loss.Unit
		p.Losses[i].Value += loss.Value
	}
}

func LossesOf(r *bench.Result) (losses [len(rundir.Lost)]result.Metric) {
	for i, what := range rundir.Lost {
		losses[i].Unit = metric.ShareOf(what)
		losses[i].Value, _ = r.Metric(losses[i].Unit)
	}
	return losses
}
