package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/attack"
	"github.com/poolbench/poolbench/bench/finding"
	"github.com/poolbench/poolbench/bench/objectives"
	"github.com/poolbench/poolbench/internal/rundir"
	"github.com/poolbench/poolbench/internal/studies"
	"github.com/poolbench/poolbench/reports/page"
	"github.com/poolbench/poolbench/reports/results"
)

// An execution is what has become of a plan so far.
type execution struct {
	plan       plan
	path       string // of the run directory
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
	headline string          // of the report; "" where it has none
	trust    []string        // how far the numbers can be believed, as the report says it
	// results that are not to be believed, but for those of studies
	invalid int
	cut     error // the signal that ended it early
}

// A record is a run that was written down.
type record struct {
	section      int            // of the plan; else the number of the load
	answers      *attack.Report // of a load; nil for other runs
	id           runID
	*results.Run // as the directory has it, once that is read
}

// A runID tells the runs of one execution apart.
type runID struct {
	name string
	seed uint64
}

// Metric implements objectives.Run.
func (r record) Metric(unit string) (float64, bool) { return r.Value(unit) }

// runScenarios is `poolbench run`.
func (a *app) runScenarios(ctx context.Context, flags words, o runOptions) error {
	if _, err := o.mode(); err != nil {
		return err
	}
	p, err := makePlan(flags, o.file)
	if err != nil {
		return err
	}
	if err := p.useDatabase(o.dsn); err != nil {
		return err
	}
	if err := p.soak(o.soak); err != nil {
		return err
	}
	_, out := studies.Default()
	late := slices.DeleteFunc(out, func(s studies.Study) bool { return s.Apart })
	if len(late) > 0 && len(p) > 0 && p[0].study != nil && !o.quiet {
		a.warn([]string{fmt.Sprintf("the time of a default run is too short for %s: poolbench "+
			"study NAME", strings.Join(names(late, func(s studies.Study) string {
			return s.Name
		}), ", "))})
	}
	return a.runPlan(ctx, p, o)
}

// runPlan runs it into the directory that the options say, or lists what it would run.
func (a *app) runPlan(ctx context.Context, p plan, o runOptions) error {
	for _, s := range p.suites() {
		if err := objectives.Decidable(o.objectives, s.Scenarios...); err != nil {
			return err
		}
	}
	if o.dryRun {
		return a.showPlan(p, o.format)
	}
	view, err := a.look(o.live, p.headline())
	if err != nil {
		return err
	}
	defer func() { a.complainOf(view.close("")) }()
	runner, err := a.runnerFor(o)
	if err != nil {
		return err
	}
	defer runner.close()
	dir, err := a.openDir(o)
	if err != nil {
		return err
	}
	defer a.unlock(dir)
	p.goOn(dir)
	if err := dir.BeginSuites(p.suites()); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	if err := hold(dir, o.objectives); err != nil {
		return err
	}
	e := &execution{plan: p, path: dir.Path(), planned: p.runs(), objectives: o.objectives,
		expect: o.expect}
	show := newProgress(a.stderr, o.quiet, e.plan)
	show.kept(e.plan, dir)
	ctx, done := interruptible(ctx, show.say)
	defer done()
	writing := a.execute(view.begin(ctx, show.seen, show.tell), e, dir, runner, show)
	show.close()
	report, writing := a.drawReport(e, writing)
	a.complainOf(view.close(report))
	shown := a.showOutcome(e, o.format, report)
	if !o.quiet {
		a.showDoubts(e)
	}
	return ended(shown, e.codes(writing))
}

// hold writes the objectives into the directory.
func hold(dir *bench.Dir, all objectives.List) error {
	for _, o := range all {
		if err := dir.Hold(o.Unit, o.Op, o.Bound); err != nil {
			return err
		}
	}
	return nil
}

// read reads the runs of the execution from its directory, which may hold others: of those of one
// name and seed, the last counts. What is not read, after an error, is no record.
func (e *execution) read() error {
	if e.done == 0 {
		return nil
	}
	written := map[runID]*results.Run{}
	all, err := results.ReadDir(e.path)
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
	r, err := page.Load(e.path, studies.Figures)
	if err != nil {
		return err
	}
	e.headline, e.trust = r.Finding()
	return r.Write(e.path)
}

// showHeadline prints what the report begins with, unless studies say it at more length.
func (a *app) showHeadline(e *execution) error {
	if e.headline == "" || len(e.findings) > 0 {
		return nil
	}
	a.say("", e.headline, pageWidth)
	a.say("", strings.Join(e.trust, " · "), pageWidth)
	_, err := fmt.Fprintln(a.stdout)
	return err
}

// drawReport reads what was written, draws the page of it, and returns its path, "" where there is
// none.
func (a *app) drawReport(e *execution, writing error) (path string, _ error) {
	reading := e.read()
	if writing == nil && e.done > 0 {
		path = filepath.Join(e.path, rundir.ReportFile)
		if writing = reading; writing == nil {
			writing = e.draw()
		}
	}
	if writing != nil {
		a.complain(writing)
		return "", writing
	}
	return path, nil
}

// codes are those of the runs, whether a signal cut them short, whether one failed or could not be
// written, and how many are not to be believed, and those of what their results are held to.
func (e *execution) codes(writing error) (codes []int) {
	if e.cut != nil {
		codes = append(codes, interrupted)
	}
	if writing != nil || len(e.failed) > 0 {
		codes = append(codes, unusable)
	}
	if e.invalid > 0 {
		codes = append(codes, undecided)
	}
	for _, j := range e.judged() {
		codes = append(codes, verdictCode(j.Verdict))
	}
	for _, f := range e.findings {
		codes = append(codes, expectedCode(e.expect, f.Verdict))
	}
	return codes
}

// expectedCode is that of a verdict where another was expected. What could not be decided is never
// as expected.
func expectedCode(want, got finding.Verdict) int {
	switch {
	case want == "" || got == want:
		return fine
	case got == finding.Undecided:
		return undecided
	}
	return regression
}

// execute runs the plan into the directory and closes it. The error is about the directory, or
// about a run that cannot be ended; that single runs fail is in e.
func (a *app) execute(
	ctx context.Context, e *execution, dir *bench.Dir, runner *runner, show *progress,
) error {
	defer runner.close()
	runner.tell(func(r *bench.Result) {
		if err := dir.WriteSoFar(r); err != nil {
			show.note(func() { a.complain(err) })
		}
	})
	running, stopped := runner.begin(ctx, show.say)
	for i, s := range e.plan {
		if stopped != nil {
			break
		}
		s.suite.Parallel = runner.parallel()
		stopped = s.suite.Do(running, dir.Missing(runner.run),
			func(sc bench.Scenario, r *bench.Result, err error) error {
				if dir.Kept(sc) == nil {
					defer show.step(sc)
				}
				rec := record{section: i, id: runID{sc.Name(), sc.Seed}}
				return a.take(e, rec, r, dir, show, err)
			})
		if stopped == nil {
			stopped = e.find(i, dir)
		}
	}
	if ctx.Err() != nil {
		e.cut = context.Cause(ctx)
	}
	if stopped == nil {
		stopped = e.sayRates(dir)
	}
	err := dir.End(e.planned, stopped)
	if e.cut != nil && errors.Is(stopped, e.cut) {
		stopped = nil
	}
	return errors.Join(stopped, err)
}

// take writes the result of a run of a section down, or remembers that there is none. Its error
// ends the execution.
func (a *app) take(
	e *execution, rec record, r *bench.Result, dir *bench.Dir, show *progress, err error,
) error {
	var stuck *stuckError
	switch {
	case errors.As(err, &stuck):
		return err
	case err != nil:
		show.note(func() { a.complain(err) })
		return e.fail(dir, rec.id.name, rec.id.seed, err)
	}
	if why := invalid(r); len(why) > 0 {
		if e.plan == nil || e.plan[rec.section].study == nil {
			// a study decides without such runs, or says that it cannot
			e.invalid++
		}
		show.note(func() { a.complain(errors.New(strings.Join(why, "\n"))) })
	}
	if err := dir.Write(r); err != nil {
		return err
	}
	r.Readings, r.Timeline = nil, nil // they are on disk
	e.done++
	e.records, e.section = append(e.records, rec), append(e.section, r)
	return nil
}

// fail remembers a run that gave no result.
func (e *execution) fail(dir *bench.Dir, name string, seed uint64, why error) error {
	e.failed = append(e.failed, rundir.Failure{Name: name, Seed: seed, Reason: why.Error()})
	return dir.Fail(name, seed, why.Error())
}

// find has a study say what its results are, and keeps that with them.
func (e *execution) find(section int, dir *bench.Dir) error {
	study, own := e.plan[section].study, e.section
	e.section = nil
	if study == nil {
		return nil
	}
	f := study.Find(own)
	e.findings = append(e.findings, f)
	return dir.Conclude(f)
}

// showOutcome prints what came out: on stdout the table or the document, on stderr what a reader
// must not miss.
func (a *app) showOutcome(e *execution, format, report string) error {
	if format == "json" {
		return a.json(e.document("run", report))
	}
	if err := a.showHeadline(e); err != nil {
		return err
	}
	if err := a.showFindings(e); err != nil {
		return err
	}
	if len(e.findings) < manyFindings {
		if err := a.showTables(e); err != nil {
			return err
		}
	}
	if err := a.showObjectives(e); err != nil {
		return err
	}
	if missing := e.planned - e.done; missing > 0 {
		why := fmt.Sprintf("%d failed", len(e.failed))
		switch {
		case e.cut != nil:
			why = "interrupted"
		case missing > len(e.failed):
			why = "given up"
		}
		a.complain(fmt.Errorf("%s holds %d of %d runs: %s", e.path, e.done, e.planned,
			why))
	}
	if report == "" {
		return nil
	}
	return a.prose(`Report: %s
  Response counts from the instant a task was due: it is wait and service, and a strategy that blocks hides nothing.
  Compare strategies within one table, at the same load; where theory is exact, the report draws it as a line.
  To compare with another run: poolbench compare OLD %s
`, report, e.path)
}
