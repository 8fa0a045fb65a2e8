package execute

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/cli/flags"
	"github.com/poolbench/poolbench/internal/cli/live"
	"github.com/poolbench/poolbench/internal/cli/options"
	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/directory"
	"github.com/poolbench/poolbench/internal/objectives"
	"github.com/poolbench/poolbench/internal/rundir"
	"github.com/poolbench/poolbench/internal/studies"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/page"
	"github.com/poolbench/poolbench/reports/results"
	"github.com/poolbench/poolbench/strategies"
)

type Execution struct {
	*Host
	Plan       options.Plan
	Dir        *directory.Dir
	Runner     *Runner
	View       *View // nil without viewers
	Show       *Runs
	objectives objectives.List
	Budget     time.Duration // budget for further seeds; 0 means none
	Planned    int           // planned runs; unknown for a search
	Done       int           // written runs
	count      live.Totals   // summary of the written runs
	Records    []Record
	// Results of the current section, for its study. They are kept in memory, because the files of
	// a resumed directory are written only when no earlier result can be lost.
	section []*bench.Result
	Failed  []rundir.Failure
	// number of Failed that are attacks which reached the server, but completed no request
	NoneCompleted int
	Findings      []decide.Finding
	Expect        decide.ClaimVerdict // expected verdict of every finding; "" means any
	Report        string              // path of the report, or ""
	drawn         *page.Report        // nil without a report
	writing       error               // why there is no report
	Headline      string              // headline of the report, or ""
	Trust         []string            // statements of the report on how far the numbers can be trusted
	// number of INVALID results, without those of studies
	invalid int
	Cut     error // signal that ended it early, see SetCut
	begun   time.Time
	cutAt   time.Duration // time from the begin to the signal
}

// Begin returns an error about an unusable address before anything is written.
func Begin(h *Host, o options.RunOptions, title string) (_ *Execution, err error) {
	e := &Execution{Host: h, begun: time.Now(), Show: NewLines(h.Stderr, o.Quiet),
		Runner: New(h, o.Patience)}
	if e.View, err = openView(h.Stderr, o.Live, title); err == nil {
		err = e.Runner.Muster(o.Crew)
	}
	if err == nil {
		e.Dir, err = openDir(h, o)
	}
	if err != nil {
		e.Close()
		return nil, err
	}
	return e, nil
}

func (e *Execution) Close() {
	e.Runner.Close()
	export, stream := e.View.stop(e.ending())
	for _, err := range []error{export, stream, e.View.close(nil)} {
		e.Complain(err)
	}
	if e.Dir != nil {
		e.Complain(e.Dir.Unlock()) // lets other processes write to it
	}
}

// Discard removes the directory if it was created for results and got none.
func (e *Execution) Discard() {
	e.Complain(e.Dir.Discard())
	if latest := filepath.Join(flags.OutRoot, "latest"); dangling(latest) {
		_ = os.Remove(latest) // optional
	}
	_ = os.Remove(flags.OutRoot) // fails if it contains other runs
}

func dangling(path string) bool {
	_, link := os.Readlink(path)
	_, err := os.Stat(path)
	return link == nil && errors.Is(err, fs.ErrNotExist)
}

func (e *Execution) Follow(p options.Plan, quiet bool) {
	e.Plan, e.Planned = p, p.Runs()
	e.Show = NewRuns(e.Stderr, quiet, p)
	e.Show.AddStored(p, e.Dir)
}

func (e *Execution) Hold(all objectives.List) error {
	e.objectives = all
	for _, o := range all {
		if err := e.Dir.Hold(o.Unit, o.Op, o.Bound); err != nil {
			return err
		}
	}
	return nil
}

// The directory may contain other runs. Among runs with the same name and seed, the last counts.
// After an error, unread runs have no record.
func (e *Execution) Read() error {
	if e.Done == 0 {
		return nil
	}
	written := map[RunID]*results.Run{}
	all, err := results.ReadDir(e.Dir.Path())
	if err == nil {
		for i := range all.Runs {
			r := &all.Runs[i]
			if seed, err := strconv.ParseUint(r.Seed, 10, 64); err == nil {
				written[RunID{r.Name, seed}] = r
			}
		}
	}
	for i := range e.Records {
		e.Records[i].Run = written[e.Records[i].ID]
	}
	e.Records = slices.DeleteFunc(e.Records, func(r Record) bool { return r.Run == nil })
	return err
}

func (e *Execution) draw() error {
	r, err := page.Load(e.Dir.Path(), studies.Figures)
	if err != nil {
		return err
	}
	e.Headline, e.Trust = r.Finding()
	e.drawn = r
	r.Vectors = e.Vectors
	return r.Write(e.Dir.Path())
}

func (e *Execution) Finish(writing error) {
	reading := e.Read()
	if writing == nil && e.Done > 0 {
		e.Report = filepath.Join(e.Dir.Path(), rundir.ReportFile)
		if writing = reading; writing == nil {
			writing = e.draw()
		}
	}
	if writing != nil {
		e.Report = ""
	}
	export, stream := e.View.stop(e.ending())
	e.Complain(export) // the results are complete even if the export failed
	e.writing = errors.Join(writing, stream)
	e.Complain(e.writing)
	e.Complain(e.View.close(e.reportOpener()))
}

// reportOpener opens the report as a single file, even if it has several pages. The server of the
// live view ends with the run, so links to other pages would fail.
func (e *Execution) reportOpener() func() (io.ReadCloser, error) {
	if e.Report == "" {
		return nil
	}
	if !e.drawn.Several() {
		return func() (io.ReadCloser, error) { return os.Open(e.Report) }
	}
	whole := sync.OnceValues(func() (string, error) { // once for all viewers
		var html strings.Builder
		err := e.drawn.WriteHTML(&html)
		return html.String(), err
	})
	return func() (io.ReadCloser, error) {
		html, err := whole()
		return io.NopCloser(strings.NewReader(html)), err
	}
}

func (e *Execution) ending() (end live.Totals) {
	end = e.count
	if end.Interrupted = e.Interruption(); len(e.Failed) > 0 {
		end.Error = e.Failed[0].Reason
	}
	return end
}

// The error of Run concerns the directory, or a run that cannot be stopped. Errors of single runs
// are recorded in e.
func (e *Execution) Run(ctx context.Context) error {
	defer e.Runner.Close()
	e.Runner.OnInterim(func(r *bench.Result) {
		if err := e.Dir.WriteSoFar(r); err != nil {
			e.Show.Note(func() { e.Complain(err) })
		}
	})
	var specs []strategies.Spec
	for _, s := range e.Plan {
		for _, sc := range s.Suite.Scenarios {
			specs = append(specs, sc.Strategy.Spec)
		}
	}
	e.Show.Note(func() { e.CleanStores(ctx, specs...) })
	running, stopped := e.Runner.Begin(ctx, e.Show.Println)
	for i, s := range e.Plan {
		if stopped != nil {
			break
		}
		s.Suite.Parallel = e.Runner.Parallel()
		spent := runPace{begun: time.Now(), estimated: s.Suite.Estimate()}
		stopped = e.do(running, i, s.Suite)
		if stopped == nil && s.Open {
			stopped = e.extendRuns(running, i, spent)
		}
		if stopped == nil {
			stopped = e.find(i)
		}
	}
	e.SetCut(ctx)
	if stopped == nil {
		stopped = e.SayRates()
	}
	err := e.Dir.End(e.Planned, stopped)
	if e.Cut != nil && errors.Is(stopped, e.Cut) {
		stopped = nil
	}
	return errors.Join(stopped, err)
}

// do skips the runs that a resumed directory contains.
func (e *Execution) do(ctx context.Context, section int, suite bench.Suite) error {
	return suite.Do(ctx, e.Dir.Missing(e.Runner.Run),
		func(sc bench.Scenario, r *bench.Result, err error) error {
			if e.Dir.Stored(sc) == nil {
				defer e.Show.Step(sc)
			}
			return e.Add(Record{Section: section, ID: RunID{sc.Name(), sc.Seed}}, r, err)
		})
}

// Write frees the data of the result.
func (e *Execution) Write(r *bench.Result) error {
	err := e.Dir.Write(r)
	if err == nil {
		e.count.Count(r.Tasks, r.Metric)
	}
	r.Readings, r.Timeline, r.Responses, r.Slowest, r.Profiles = nil, nil, "", nil, nil
	r.Windows = nil
	return err
}

// An error of Take ends the execution.
func (e *Execution) Add(rec Record, r *bench.Result, err error) error {
	if _, stuck := errors.AsType[*StuckError](err); stuck {
		return err
	}
	if err != nil {
		e.Show.Note(func() { e.Complain(err) })
		return e.Fail(rec.ID.Name, rec.ID.Seed, err)
	}
	if why := invalid(r); len(why) > 0 {
		if e.Plan == nil || e.Plan[rec.Section].Study == nil {
			// a study decides without such runs, or reports that it cannot decide
			e.invalid++
		}
		e.Show.Note(func() { e.Complain(errors.New(strings.Join(why, "\n"))) })
	}
	if err := e.Write(r); err != nil {
		return err
	}
	e.Done++
	e.Records, e.section = append(e.Records, rec), append(e.section, r)
	return nil
}

func (e *Execution) Fail(name string, seed uint64, why error) error {
	e.Failed = append(e.Failed, rundir.Failure{Name: name, Seed: seed, Reason: why.Error()})
	return e.Dir.Fail(name, seed, why.Error())
}

func (e *Execution) SayRates() error {
	for _, line := range options.OwnRates(e.Plan) {
		if err := e.Dir.AddAnswer(line); err != nil {
			return err
		}
	}
	return nil
}

func (e *Execution) find(section int) error {
	study, own := e.Plan[section].Study, e.section
	e.section = nil
	if study == nil {
		return nil
	}
	f := study.Find(own)
	e.Findings = append(e.Findings, f)
	return e.Dir.Conclude(f)
}

// SetCut sets Cut if a signal has ended the context.
func (e *Execution) SetCut(ctx context.Context) {
	e.Cut, e.cutAt = context.Cause(ctx), time.Since(e.begun)
}

// ShowCut prints the first line of interrupted results, because nothing else on standard output
// would distinguish them from complete ones.
func (e *Execution) ShowCut() error {
	if e.Cut == nil {
		return nil
	}
	return e.Prose("PARTIAL: interrupted after %s\n", text.Duration(e.cutAt.Round(time.Second/10)))
}

// Interruption returns the signal that ended the execution early, or "".
func (e *Execution) Interruption() string {
	if e.Cut == nil {
		return ""
	}
	return e.Cut.Error()
}
