package cli

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/directory"
	"github.com/poolbench/poolbench/bench/finding"
	"github.com/poolbench/poolbench/bench/objectives"
	"github.com/poolbench/poolbench/internal/cli/question"
	"github.com/poolbench/poolbench/internal/files/rundir"
	"github.com/poolbench/poolbench/internal/studies"
	"github.com/poolbench/poolbench/reports/page"
	"github.com/poolbench/poolbench/reports/results"
)

// An execution is what has become of a plan so far, and what it takes place in.
type execution struct {
	*host
	plan       question.Plan
	dir        *directory.Dir
	runner     *runner
	view       *viewing // nil: nobody looks on
	show       *progress
	objectives objectives.List
	planned    int // runs; of a search nobody knows
	done       int // runs that were written down
	records    []record
	// of the section under way, for its study. They are not read from the directory: one that is
	// resumed gets its files when nothing that it held would be lost
	section  []*bench.Result
	failed   []rundir.Failure
	findings []finding.Finding
	expect   finding.Verdict // of every finding; "": any
	report   string          // its path; "" where there is none
	writing  error           // why there is none
	headline string          // of the report; "" where it has none
	trust    []string        // how far the numbers can be believed, as the report says it
	// INVALID results, but for those of studies
	invalid int
	cut     error // the signal that ended it early
}

// begin begins what the options say, under a title for those who look on. An address that cannot
// be had is an error before anything is written.
func begin(h *host, o question.RunOptions, title string) (_ *execution, err error) {
	e := &execution{host: h, show: newLines(h.Stderr, o.Quiet),
		runner: newRunner(h, o.Patience)}
	defer func() {
		if err != nil {
			e.close()
		}
	}()
	if e.view, err = look(h.Stderr, o.Live, title); err != nil {
		return nil, err
	}
	if err = e.runner.muster(o.Crew); err != nil {
		return nil, err
	}
	e.dir, err = openDir(h, o)
	return e, err
}

// close ends what the execution has begun.
func (e *execution) close() {
	e.runner.close()
	e.Complain(e.view.close(""))
	if e.dir != nil {
		e.Complain(e.dir.Unlock()) // and lets others write to it
	}
}

// follow has the progress be that of the plan, with what an earlier process has done of it.
func (e *execution) follow(p question.Plan, quiet bool) {
	e.plan, e.planned = p, p.Runs()
	e.show = newProgress(e.Stderr, quiet, p)
	e.show.kept(p, e.dir)
}

// hold has the scenarios be held to the objectives, and writes these into the directory.
func (e *execution) hold(all objectives.List) error {
	e.objectives = all
	for _, o := range all {
		if err := e.dir.Hold(o.Unit, o.Op, o.Bound); err != nil {
			return err
		}
	}
	return nil
}

// Read reads the runs of the execution from its directory, which may hold others: of those of one
// name and seed, the last counts. What is not read, after an error, is no record.
func (e *execution) Read() error {
	if e.done == 0 {
		return nil
	}
	written := map[runID]*results.Run{}
	all, err := results.ReadDir(e.dir.Path())
	if err == nil {
		for i := range all.Runs {
			r := &all.Runs[i]
			if seed, err := strconv.ParseUint(r.Seed, 10, 64); err == nil {
				written[runID{r.Name, seed}] = r
			}
		}
	}
	for i := range e.records {
		e.records[i].Run = written[e.records[i].id]
	}
	e.records = slices.DeleteFunc(e.records, func(r record) bool { return r.Run == nil })
	return err
}

// draw draws the page of the directory, and keeps what it begins with.
func (e *execution) draw() error {
	r, err := page.Load(e.dir.Path(), studies.Figures)
	if err != nil {
		return err
	}
	e.headline, e.trust = r.Finding()
	return r.Write(e.dir.Path())
}

// finish reads what was written, draws the page of it, and shows that to those who look on.
func (e *execution) finish(writing error) {
	reading := e.Read()
	if writing == nil && e.done > 0 {
		e.report = filepath.Join(e.dir.Path(), rundir.ReportFile)
		if writing = reading; writing == nil {
			writing = e.draw()
		}
	}
	if e.writing = writing; writing != nil {
		e.Complain(writing)
		e.report = ""
	}
	e.Complain(e.view.close(e.report))
}

// run runs the plan into the directory and closes it. The error is about the directory, or about a
// run that cannot be ended; that single runs fail is in e.
func (e *execution) run(ctx context.Context) error {
	defer e.runner.close()
	e.runner.tell(func(r *bench.Result) {
		if err := e.dir.WriteSoFar(r); err != nil {
			e.show.note(func() { e.Complain(err) })
		}
	})
	running, stopped := e.runner.begin(ctx, e.show.say)
	for i, s := range e.plan {
		if stopped != nil {
			break
		}
		s.Suite.Parallel = e.runner.parallel()
		stopped = s.Suite.Do(running, e.dir.Missing(e.runner.run),
			func(sc bench.Scenario, r *bench.Result, err error) error {
				if e.dir.Kept(sc) == nil {
					defer e.show.step(sc)
				}
				return e.take(record{section: i, id: runID{sc.Name(), sc.Seed}}, r, err)
			})
		if stopped == nil {
			stopped = e.find(i)
		}
	}
	if ctx.Err() != nil {
		e.cut = context.Cause(ctx)
	}
	if stopped == nil {
		stopped = e.sayRates()
	}
	err := e.dir.End(e.planned, stopped)
	if e.cut != nil && errors.Is(stopped, e.cut) {
		stopped = nil
	}
	return errors.Join(stopped, err)
}

// Write writes a result down, and forgets what is on disk then.
func (e *execution) Write(r *bench.Result) error {
	err := e.dir.Write(r)
	r.Readings, r.Timeline, r.Responses, r.Slowest = nil, nil, "", nil
	return err
}

// take writes the result of a run of a section down, or remembers that there is none. Its error
// ends the execution.
func (e *execution) take(rec record, r *bench.Result, err error) error {
	var stuck *stuckError
	switch {
	case errors.As(err, &stuck):
		return err
	case err != nil:
		e.show.note(func() { e.Complain(err) })
		return e.fail(rec.id.name, rec.id.seed, err)
	}
	if why := invalid(r); len(why) > 0 {
		if e.plan == nil || e.plan[rec.section].Study == nil {
			// a study decides without such runs, or says that it cannot
			e.invalid++
		}
		e.show.note(func() { e.Complain(errors.New(strings.Join(why, "\n"))) })
	}
	if err := e.Write(r); err != nil {
		return err
	}
	e.done++
	e.records, e.section = append(e.records, rec), append(e.section, r)
	return nil
}

// fail remembers a run that gave no result.
func (e *execution) fail(name string, seed uint64, why error) error {
	e.failed = append(e.failed, rundir.Failure{Name: name, Seed: seed, Reason: why.Error()})
	return e.dir.Fail(name, seed, why.Error())
}

// sayRates writes these lines down, for the report.
func (e *execution) sayRates() error {
	for _, line := range question.OwnRates(e.plan) {
		if err := e.dir.Say(line); err != nil {
			return err
		}
	}
	return nil
}

// find has a study say what its results are, and keeps that with them.
func (e *execution) find(section int) error {
	study, own := e.plan[section].Study, e.section
	e.section = nil
	if study == nil {
		return nil
	}
	f := study.Find(own)
	e.findings = append(e.findings, f)
	return e.dir.Conclude(f)
}

// interruption is the signal that ended the execution early; "" for none.
func (e *execution) interruption() string {
	if e.cut == nil {
		return ""
	}
	return e.cut.Error()
}
