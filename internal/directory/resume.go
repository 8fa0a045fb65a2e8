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

const newSuffix = ".new"

// Under the virtual clock, runs with equal name and seed are equal.
type runID struct {
	name string
	seed uint64
}

// The files of a resumed directory are written again, in the order of the plan. They replace the
// old files when they contain all kept results. A kill therefore loses no earlier result, and the
// final files equal those of an uninterrupted run.
type resumed struct {
	section
	kept  map[runID]*bench.Result // complete results
	cut   []*bench.Result         // partial results
	left  map[runID]bool          // kept results not yet written
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

// The directory must have no runs outside of the plan, and be from the same build and machine.
func (r *resumed) checkPlan(plan string, has func(name string, seed uint64) bool) error {
	switch i := slices.IndexFunc(r.results, func(k *bench.Result) bool {
		return !has(k.Name, k.Seed)
	}); {
	case !r.begun && len(r.results) == 0:
		return nil
	case i >= 0:
		return fmt.Errorf("was begun with another plan: it contains %s with seed %d, which is "+
			"not in this plan", r.results[i].Name, r.results[i].Seed)
	case r.plan == "":
		return errors.New("does not contain its plan, so it cannot be resumed")
	case r.plan != plan:
		return fmt.Errorf("was begun with another plan: %s, and this one is %s", r.plan, plan)
	}
	if len(r.results) == 0 {
		return nil
	}
	for _, c := range Machine() {
		if was := r.config[c.Key]; was != string(c.Value) {
			return fmt.Errorf("was begun with %s %q, and this is %q: all results of a directory "+
				"must come from one build and one machine", c.Key, was, c.Value)
		}
	}
	return nil
}

func (d *Dir) abandon() error {
	errs := []error{d.closeFiles()}
	for _, name := range dirFiles {
		errs = append(errs, os.Remove(filepath.Join(d.path, name+newSuffix)))
	}
	return errors.Join(errs...)
}

// markWritten replaces the old files as soon as this loses nothing.
func (d *Dir) markWritten(id runID) error {
	r := d.resumed
	if r == nil {
		return nil
	}
	delete(r.left, id)
	r.failures = slices.DeleteFunc(r.failures, func(f rundir.Failure) bool {
		return runID{f.Name, f.Seed} == id
	})
	return d.replaceOldFiles()
}

// The results file is replaced last.
func (d *Dir) replaceOldFiles() error {
	if d.resumed.moved || len(d.resumed.left) > 0 {
		return nil
	}
	for i, name := range slices.Backward(dirFiles[:]) {
		if err := d.files[i].rename(filepath.Join(d.path, name)); err != nil {
			return d.checkWrite(name, err)
		}
	}
	d.resumed.moved = true
	return nil
}

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
	return d.replaceOldFiles()
}

// BeginRest is Begin for plans that cannot be repeated. It refuses a complete directory.
func (d *Dir) BeginRest(plan string, has func(name string, seed uint64) bool) error {
	if d.resumed != nil && d.resumed.complete {
		return errors.Join(fmt.Errorf("%s is complete: nothing is left to resume", d.path),
			d.abandon())
	}
	return d.Begin(plan, has)
}

// If goesOn is set, later seeds of the suites' scenarios belong to the plan too.
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
			if err := words.Encode(sc.Encode()); err != nil {
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

// A resumed directory must have the same plan, and only runs for which has returns true.
func (d *Dir) Begin(plan string, has func(name string, seed uint64) bool) error {
	if d.resumed != nil {
		if err := d.resumed.checkPlan(plan, has); err != nil {
			return errors.Join(fmt.Errorf("%s %w", d.path, err), d.abandon())
		}
	}
	if err := d.checkWrite(rundir.ResultsFile, d.results.line(rundir.Plan.Line(plan))); err != nil ||
		d.resumed == nil {
		return err
	}
	for _, r := range d.resumed.cut {
		if err := d.WriteSoFar(r); err != nil {
			return err
		}
	}
	return d.replaceOldFiles()
}

// NextSeed returns the given seed or, if one of the repetitions exists, the next one after all
// existing seeds, because an equal seed would repeat the same run.
func (d *Dir) NextSeed(seed uint64, count int, same func(name string) bool) uint64 {
	var taken []uint64
	for name, seeds := range d.existing.seeds {
		if same(name) {
			taken = append(taken, seeds...)
		}
	}
	if slices.ContainsFunc(taken, func(s uint64) bool { return s-seed < uint64(count) }) {
		return slices.Max(taken) + 1
	}
	return seed
}

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

func (d *Dir) Stored(s bench.Scenario) *bench.Result {
	whole, _ := d.Earlier(s.Name(), s.Seed)
	return whole
}

// Missing returns a run function that returns kept results, runs the other scenarios, and resumes
// an interrupted soak.
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
