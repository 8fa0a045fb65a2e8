package bench

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/poolbench/poolbench/internal/rundir"
)

// BeginSuites begins with suites, which say all: see Begin.
func (d *Dir) BeginSuites(suites []Suite) error {
	planned := map[runID]bool{}
	sum := sha256.New()
	words := json.NewEncoder(sum)
	for _, s := range suites {
		for i := range s.Runs() {
			sc := s.At(i)
			planned[runID{sc.Name(), sc.Seed}] = true
			if err := words.Encode(sc.Written()); err != nil {
				return err
			}
		}
	}
	return d.Begin(fmt.Sprintf("%d runs, %x", len(planned), sum.Sum(nil)[:6]),
		func(name string, seed uint64) bool {
			return planned[runID{name, seed}]
		})
}

// Begin names the plan of what follows, in a line. A directory that is resumed has to be of the
// same plan, and what it holds in the plan: has tells by name and seed.
func (d *Dir) Begin(plan string, has func(name string, seed uint64) bool) error {
	if d.resumed != nil {
		if err := d.resumed.of(plan, has); err != nil {
			return errors.Join(fmt.Errorf("%s %w", d.path, err), d.abandon())
		}
	}
	if err := d.wrote(rundir.ResultsFile, d.results.line(rundir.Plan.Line(plan))); err != nil ||
		d.resumed == nil {
		return err
	}
	return d.move()
}

// NextSeed is the seed of the first of count repetitions to come: the given one, or, where one of
// those repetitions is there already, the one after all that there are. The same seed again would
// be the same run again. same tells the names of the repetitions.
func (d *Dir) NextSeed(seed uint64, count int, same func(name string) bool) uint64 {
	var taken []uint64
	for name, seeds := range d.there.seeds {
		if same(name) {
			taken = append(taken, seeds...)
		}
	}
	if slices.ContainsFunc(taken, func(s uint64) bool { return s-seed < uint64(count) }) {
		return slices.Max(taken) + 1
	}
	return seed
}

// Continued is the suite with seeds that go on with those that are there.
func (d *Dir) Continued(s Suite) Suite {
	s.Scenarios = slices.Clone(s.Scenarios)
	for i, sc := range s.Scenarios {
		name := sc.Name()
		s.Scenarios[i].Seed = d.NextSeed(sc.withDefaults().Seed, max(s.Count, 1),
			func(n string) bool {
				return n == name
			})
	}
	return s
}

// Kept is the result of an earlier process that a resumed directory holds; nil where there is none.
func (d *Dir) Kept(s Scenario) *Result {
	if d.resumed == nil {
		return nil
	}
	return d.resumed.kept[runID{s.Name(), s.Seed}]
}

// Missing is run for what is not kept.
func (d *Dir) Missing(run RunFunc) RunFunc {
	return func(ctx context.Context, s Scenario) (*Result, error) {
		if r := d.Kept(s); r != nil {
			return r, nil
		}
		return run(ctx, s)
	}
}
