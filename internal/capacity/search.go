package capacity

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/advise"
	"github.com/poolbench/poolbench/internal/directory"
	"github.com/poolbench/poolbench/internal/objectives"
	"github.com/poolbench/poolbench/internal/text"
)

// A Search finds the capacity of each of its scenarios. Zero fields have defaults.
type Search struct {
	// the search sets Over in each, and increases the seed by one for each repetition
	Scenarios  []bench.Scenario
	Objectives objectives.List
	Over       Axis    // the searched quantity
	Lo, Hi     float64 // its range, including both ends
	// smallest gap to halve, as a share of its upper end. 0 is 1 %. For limits and queues it is 1
	Resolution float64
	Confidence float64 // that the capacity is in the interval. 0 is 95 %
	Runs       int     // most repetitions at a load. 0 is 16
	Parallel   int     // virtual-clock runs at once. 0 is GOMAXPROCS

	// If Confirm is not nil, the search calculates the runs whose times follow from their plan
	// (bench.Calculate), in a third of the time, and confirms the ends of each answer by runs of
	// the strategy's own code. Any difference is an Err of the answer.
	Confirm bench.RunFunc

	LeftOut []string // strategies that LeaveOut removed

	// Progress, unless nil, is called after each round with the number of unfinished scenarios.
	Progress func(searching int)

	// Strategies share the calculations of one Do: func() (calculation, error) by bench.PlanKey. It
	// is nil if nothing is calculated.
	courses *sync.Map
	long    longRuns
}

const (
	defaultResolution = 0.01
	defaultConfidence = 0.95
	defaultRuns       = 16
	finest            = 0.001
)

func (s Search) resolution() float64 { return cmp.Or(s.Resolution, defaultResolution) }
func (s Search) confidence() float64 { return cmp.Or(s.Confidence, defaultConfidence) }
func (s Search) runs() int           { return cmp.Or(s.Runs, defaultRuns) }

// Validate reports everything that makes the search impossible, joined. It does not run anything.
func (s Search) Validate() error {
	var c text.Complaints
	c.If(len(s.Objectives) == 0, "no objective is given")
	c.If(len(s.Scenarios) == 0, "no scenario is given")
	c.If(!s.Over.Valid(s.Lo, s.Hi), "range %v to %v: want two %s, the smaller first", s.Lo, s.Hi,
		s.Over.Numbers())
	checkResolution(&c, s.resolution())
	c.If(!(s.confidence() >= 0.5 && s.confidence() < 1),
		"confidence %v: want a share of at least 0.5 and below 1", s.confidence())
	if len(c) > 0 {
		return errors.Join(c...)
	}
	for _, sc := range s.Scenarios {
		for _, load := range []float64{s.lowest(sc), s.Hi} {
			at := s.Over.at(sc, load)
			c.AddOnce(errors.Join(at.Validate(), objectives.Decidable(s.Objectives, at)))
		}
		_, err := s.test(sc)
		c.AddOnce(errors.Join(err, s.Over.check(sc)))
	}
	return errors.Join(c...)
}

func checkResolution(c *text.Complaints, r float64) {
	c.If(!(r >= finest && r < 1), "resolution %v: want a share of at least %v and below 1", r,
		finest)
}

func (s Search) InLongRun() bool {
	return !slices.ContainsFunc(s.Scenarios, func(sc bench.Scenario) bool {
		return !s.inLongRun(sc)
	})
}

func (s Search) inLongRun(sc bench.Scenario) bool {
	return advise.HasLongRun(s.Over.at(sc, s.lowest(sc)), s.Objectives)
}

// Continue continues with the seeds after those in the directory, the same for all scenarios,
// because a seed must be the same work for each.
func (s *Search) Continue(dir *directory.Dir) {
	var next uint64
	for _, sc := range s.Scenarios {
		at := s.withoutAxis(s.Over.at(sc, s.Lo).Name())
		next = max(next, dir.NextSeed(sc.Seed, math.MaxInt,
			func(name string) bool { return s.withoutAxis(name) == at }))
	}
	s.Scenarios = slices.Clone(s.Scenarios)
	for i := range s.Scenarios {
		s.Scenarios[i].Seed = next
	}
}

func (s Search) withoutAxis(name string) string {
	return strings.Join(slices.DeleteFunc(strings.Split(name, "/"), func(part string) bool {
		return strings.HasPrefix(part, s.Over.String()+"=") || s.Over <= Rate &&
			(strings.HasPrefix(part, "load=") || strings.HasPrefix(part, "rate="))
	}), "/")
}

// Plan names everything that determines the runs of the search, in a line.
func (s Search) Plan() string {
	sum := sha256.New()
	fmt.Fprintln(sum, s.Objectives, s.Lo, s.Hi, s.Over, s.resolution(), s.confidence(), s.runs())
	for _, sc := range s.Scenarios {
		fmt.Fprintf(sum, "%+v\n", sc.Encode())
	}
	return fmt.Sprintf("a search over %d scenarios, %x", len(s.Scenarios), sum.Sum(nil)[:6])
}

func (s Search) first(sc bench.Scenario) []float64 {
	return s.Over.first(s.lowest(sc), s.Hi, s.resolution())
}

// LeaveOut removes the scenarios whose strategies lack the searched quantity.
func (s *Search) LeaveOut() {
	s.Scenarios = slices.DeleteFunc(slices.Clone(s.Scenarios), func(sc bench.Scenario) bool {
		if s.Over.suits(sc.Strategy.Spec) == nil {
			return false
		}
		if name := sc.Strategy.String(); !slices.Contains(s.LeftOut, name) {
			s.LeftOut = append(s.LeftOut, name)
		}
		return true
	})
}

// lowest returns the smallest value of the range that is valid for the strategy: two pools, for
// example, need a limit of at least 2.
func (s Search) lowest(sc bench.Scenario) float64 {
	for _, lo := range s.lowEnds() {
		if s.Over.at(sc, lo).Validate() == nil {
			return lo
		}
	}
	return s.Lo
}

// lowEnds returns the values that may be the lower end of a strategy's range.
func (s Search) lowEnds() []float64 {
	const maxNeeded = 16
	all := []float64{s.Lo}
	for lo := s.Lo + 1; s.Over == Limit && lo < min(s.Hi, s.Lo+maxNeeded); lo++ {
		all = append(all, lo)
	}
	return all
}

// Suite calls at for the smallest value of the range that is valid for all its strategies.
func (s Search) Suite(at func(value float64) (bench.Suite, error)) (bench.Suite, error) {
	first, err := at(s.Lo)
	for _, value := range s.lowEnds()[1:] {
		if err == nil {
			break
		}
		if suite, failed := at(value); failed == nil {
			return suite, nil
		}
	}
	return first, err
}

// probes returns the largest number of values to try: the first ones, and then one gap that is
// halved down to the resolution, on two sides of undecided values.
func (s Search) probes() int {
	gap, last := (s.Hi-s.Lo)/(grid-1), s.resolution()*s.Hi
	if s.Over.whole() {
		gap, last = s.Hi-s.Lo, 1
	}
	return grid + 2*max(0, int(math.Ceil(math.Log2(gap/last))))
}

func (s Search) test(sc bench.Scenario) (signTest, error) {
	risk := (1 - s.confidence()) / 2
	if sc.Clock == bench.Real {
		// A load is above or below the capacity, so only one verdict is wrong.
		risk = (1 - s.confidence()) / float64(s.probes())
	}
	return newSignTest(s.runs(), risk)
}

// MaxRuns returns the largest number of runs of the search. It usually needs about a third.
func (s Search) MaxRuns() int { return len(s.Scenarios) * s.probes() * s.runs() }

func (s Search) First() (suite bench.Suite) {
	for _, sc := range s.Scenarios {
		for _, load := range s.first(sc) {
			suite.Scenarios = append(suite.Scenarios, s.Over.at(sc, load))
			if test, err := s.test(sc); err == nil {
				suite.Count = max(suite.Count, test.first)
			}
		}
	}
	suite.Parallel = s.Parallel
	return suite
}

// Do calls each with every result or error of a run, from the caller's goroutine. The first error
// that each returns, or the end of ctx, stops the search. A failed run ends the search for its
// scenario, because it would probably fail at every load. With an error, the answers are partial.
func (s Search) Do(
	ctx context.Context, run bench.RunFunc,
	each func(sc bench.Scenario, r *bench.Result, err error) error,
) ([]Answer, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	if s.Confirm != nil {
		s.courses = new(sync.Map)
	}
	cells := make([]*cell, len(s.Scenarios))
	s.long = longRuns{first: map[work]*advise.LongRun{}}
	for i, sc := range s.Scenarios {
		cells[i] = &cell{scenario: sc, axis: s.Over, inLongRun: s.inLongRun(sc)}
		for _, value := range s.first(sc) {
			cells[i].insert(s.Over.hardness(value))
		}
	}
	err := s.search(ctx, cells, run, each)
	if err == nil && s.Confirm != nil {
		err = s.confirm(ctx, cells, each)
	}
	answers := make([]Answer, len(cells))
	for i, c := range cells {
		answers[i] = c.answer()
	}
	return answers, err
}
