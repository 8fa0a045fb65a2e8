package directory

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/internal/rundir"
)

// beside is what the names of files end in that are going to replace others.
const beside = ".new"

// A runID tells runs of one directory apart: under the virtual clock two runs of one name and seed
// are one.
type runID struct {
	name string
	seed uint64
}

// resumed is what a directory holds of the plan that is gone on with. Its files are written anew,
// beside the old ones and in the order of the plan; when all that was kept is in them they take
// turn. So a kill loses nothing that was there before, and in the end the files are those of
// a run that was never interrupted.
type resumed struct {
	section
	kept  map[runID]*bench.Result // all that was, but for
	cut   []*bench.Result         // those that were not over
	left  map[runID]bool          // those of them that are still to be written
	moved bool
}

func newResumed(last section) *resumed {
	r := &resumed{section: last, kept: map[runID]*bench.Result{}, left: map[runID]bool{}}
	for _, result := range last.results {
		if isUnfinished(result) {
			r.cut = append(r.cut, result)
			continue
		}
		id := runID{result.Name, result.Seed}
		r.kept[id], r.left[id] = result, true
	}
	return r
}

func isUnfinished(r *bench.Result) bool {
	return slices.ContainsFunc(r.Reasons, func(why result.Reason) bool {
		return why.Check == rundir.CheckUnfinished
	})
}

// of reports in what the directory is not of that plan, or was not begun by this build on this
// machine.
func (r *resumed) of(plan string, has func(name string, seed uint64) bool) error {
	switch i := slices.IndexFunc(r.results, func(k *bench.Result) bool {
		return !has(k.Name, k.Seed)
	}); {
	case !r.begun && len(r.results) == 0:
		return nil
	case i >= 0:
		return fmt.Errorf("was begun with another plan: it holds %s with seed %d, which is not "+
			"in this one", r.results[i].Name, r.results[i].Seed)
	case r.plan == "":
		return errors.New("does not say what its plan was, so it cannot be resumed")
	case r.plan != plan:
		return fmt.Errorf("was begun with another plan: %s, and this one is %s", r.plan, plan)
	}
	if len(r.results) == 0 {
		return nil
	}
	for _, c := range Machine() {
		if was := r.config[c.Key]; was != string(c.Value) {
			return fmt.Errorf("was begun with %s %q, and this is %q: one set of results is of "+
				"one build and one machine", c.Key, was, c.Value)
		}
	}
	return nil
}

// abandon leaves the directory as it was.
func (d *Dir) abandon() error {
	errs := []error{d.closeFiles()}
	for _, name := range dirFiles {
		errs = append(errs, os.Remove(filepath.Join(d.path, name+beside)))
	}
	return errors.Join(errs...)
}

// settle takes note that a run has been written, and lets the new files take the place of the old
// ones when nothing would be lost.
func (d *Dir) settle(id runID) error {
	r := d.resumed
	if r == nil {
		return nil
	}
	delete(r.left, id)
	r.failures = slices.DeleteFunc(r.failures, func(f rundir.Failure) bool {
		return runID{f.Name, f.Seed} == id
	})
	return d.move()
}

// move replaces the old files, the results last.
func (d *Dir) move() error {
	if d.resumed.moved || len(d.resumed.left) > 0 {
		return nil
	}
	for i, name := range slices.Backward(dirFiles[:]) {
		if err := d.files[i].rename(filepath.Join(d.path, name)); err != nil {
			return d.wrote(name, err)
		}
	}
	d.resumed.moved = true
	return nil
}

// carryOver writes what was kept and not come to.
func (d *Dir) carryOver() error {
	for _, result := range d.resumed.results {
		if !d.resumed.left[runID{result.Name, result.Seed}] {
			continue
		}
		if err := d.Write(result); err != nil {
			return err
		}
	}
	for _, f := range slices.Clone(d.resumed.failures) {
		if err := d.Fail(f.Name, f.Seed, f.Reason); err != nil {
			return err
		}
	}
	return d.move()
}

// BeginRest is Begin for what cannot be begun again: a directory that is complete is refused.
func (d *Dir) BeginRest(plan string, has func(name string, seed uint64) bool) error {
	if d.resumed != nil && d.resumed.complete {
		return errors.Join(fmt.Errorf("%s is complete: nothing is left to resume", d.path),
			d.abandon())
	}
	return d.Begin(plan, has)
}

// BeginSuites begins with suites, which say all: see Begin. With goesOn, later seeds of their
// scenarios belong to the plan as well.
func (d *Dir) BeginSuites(suites []bench.Suite, goesOn bool) error {
	planned := map[runID]bool{}
	first := map[string]uint64{}
	sum := sha256.New()
	words := json.NewEncoder(sum)
	for _, s := range suites {
		for i := range s.Runs() {
			sc := s.At(i)
			name := sc.Name()
			planned[runID{name, sc.Seed}] = true
			if _, known := first[name]; !known {
				first[name] = sc.Seed
			}
			if err := words.Encode(sc.Written()); err != nil {
				return err
			}
		}
	}
	return d.Begin(fmt.Sprintf("%d runs, %x", len(planned), sum.Sum(nil)[:6]),
		func(name string, seed uint64) bool {
			from, known := first[name]
			return planned[runID{name, seed}] || goesOn && known && seed >= from
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
	for _, r := range d.resumed.cut {
		if err := d.WriteSoFar(r); err != nil {
			return err
		}
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
func (d *Dir) Continued(s bench.Suite) bench.Suite {
	s.Scenarios = slices.Clone(s.Scenarios)
	for i, sc := range s.Scenarios {
		name := sc.Name()
		s.Scenarios[i].Seed = d.NextSeed(sc.Seed, max(s.Count, 1),
			func(n string) bool {
				return n == name
			})
	}
	return s
}

// Earlier is what a resumed directory has of a run: its result, or what it had when it was cut off;
// nil where there is none.
func (d *Dir) Earlier(name string, seed uint64) (whole, soFar *bench.Result) {
	if d.resumed == nil {
		return nil, nil
	}
	id := runID{name, seed}
	if i := indexOf(d.resumed.cut, id); i >= 0 {
		soFar = d.resumed.cut[i]
	}
	return d.resumed.kept[id], soFar
}

// Kept is the result of an earlier process that a resumed directory holds; nil where there is none.
func (d *Dir) Kept(s bench.Scenario) *bench.Result {
	whole, _ := d.Earlier(s.Name(), s.Seed)
	return whole
}

// Missing is run for what is not kept. A soak that was cut off goes on.
func (d *Dir) Missing(run bench.RunFunc) bench.RunFunc {
	return func(ctx context.Context, s bench.Scenario) (*bench.Result, error) {
		whole, soFar := d.Earlier(s.Name(), s.Seed)
		if whole != nil {
			return whole, nil
		}
		if d.resumed != nil {
			s.Before = soFar
		}
		return run(ctx, s)
	}
}
