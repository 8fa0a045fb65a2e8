package capacity

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/poolbench/poolbench/bench"
)

func (s Search) calculate(sc bench.Scenario) (r *bench.Result, known bool, err error) {
	course, follows := sc.PlanKey()
	if s.courses == nil || !follows {
		return nil, false, nil
	}
	once, _ := s.courses.LoadOrStore(course, sync.OnceValues(func() (calculation, error) {
		r, known, err := sc.Calculate()
		return calculation{r, known}, err
	}))
	c, err := once.(func() (calculation, error))()
	if err != nil || !c.known {
		return nil, c.known, err
	}
	own := *c.Result
	own.Name = sc.Name()
	return &own, true, nil
}

type calculation struct {
	*bench.Result
	known bool
}

// confirmations is the number of runs at each end of an answer. It is small because contract tests
// check that the runs of such a strategy follow from their plans.
const confirmations = 3

// confirm runs the strategy's own code at both ends of each calculated answer.
func (s Search) confirm(
	ctx context.Context, cells []*cell, each func(bench.Scenario, *bench.Result, error) error,
) error {
	suite := bench.Suite{Parallel: s.Parallel}
	var of []*cell
	for _, c := range cells {
		if c.err != nil {
			continue
		}
		met, missed := c.bracket()
		for _, p := range c.probes {
			if p.At != met && p.At != missed {
				continue
			}
			for i := range min(p.runs(), confirmations) {
				sc := s.Over.at(c.scenario, s.Over.value(p.At))
				sc.Seed += uint64(i)
				if _, known, _ := s.calculate(sc); known {
					suite.Scenarios, of = append(suite.Scenarios, sc), append(of, c)
				}
			}
		}
	}
	return runOf(ctx, suite, of, each,
		func(ctx context.Context, _ *cell, sc bench.Scenario) (*bench.Result, error) {
			r, err := s.Confirm(ctx, sc)
			if err == nil {
				err = s.differs(sc, r)
			}
			if err != nil {
				return nil, err
			}
			return r, nil
		}, func(i int, _ bench.Scenario, _ *bench.Result) error {
			of[i].confirmed++
			return nil
		})
}

// differs compares as JSON, because a result may have crossed processes.
func (s Search) differs(sc bench.Scenario, r *bench.Result) error {
	want, _, err := s.calculate(sc)
	if err != nil {
		return err
	}
	calculated, err := json.Marshal(want)
	if err != nil {
		return err
	}
	run, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if bytes.Equal(run, calculated) {
		return nil
	}
	return fmt.Errorf("%s, seed %d: the run differs from the calculation%s, although the "+
		"strategy declares to be first come, first served and work-conserving", sc.Name(), sc.Seed,
		firstDifference(want, r))
}

func firstDifference(want, got *bench.Result) string {
	for _, m := range want.Metrics {
		if v, ok := got.Metric(m.Unit); !ok || v != m.Value {
			return fmt.Sprintf(": %s is %v instead of %v", m.Unit, v, m.Value)
		}
	}
	return ""
}
