package show

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/poolbench/poolbench/bench/attack"
	"github.com/poolbench/poolbench/bench/attack/checks"
	"github.com/poolbench/poolbench/internal/cli/execute"
	"github.com/poolbench/poolbench/internal/cli/terminal"
	"github.com/poolbench/poolbench/internal/directory"
	"github.com/poolbench/poolbench/internal/junit"
	"github.com/poolbench/poolbench/internal/rundir"
	"github.com/poolbench/poolbench/internal/text"
)

// keepFailures writes the failures to a file in the run directory. For a resumed run it adds them
// to the earlier ones. Without failures there is no file.
func (e *loadSeries) keepFailures(mode directory.Mode) error {
	all, err := e.failuresBefore(mode)
	if err != nil {
		return err
	}
	for _, r := range e.Records {
		if failed := failedOf(r.Answers); failed != nil {
			all = append(all, rundir.FailedRun{Name: r.ID.Name, Seed: r.ID.Seed, Failures: failed})
		}
	}
	if all == nil {
		return nil
	}
	return rundir.WriteFailures(e.failuresFile(), all)
}

func failedOf(r *attack.Report) (all []rundir.FailedAnswers) {
	for _, c := range r.Statuses {
		if code, err := strconv.Atoi(c.What); err == nil && code >= 200 && code < 400 ||
			err != nil && c.What == "OK" {
			continue
		}
		all = append(all, rundir.FailedAnswers{What: "status " + c.What, Count: c.N})
	}
	for _, c := range r.Errors {
		all = append(all, rundir.FailedAnswers{What: c.What, Count: c.N})
	}
	for _, f := range r.Failures {
		at := slices.IndexFunc(all, func(o rundir.FailedAnswers) bool { return o.What == f.What })
		if at < 0 {
			at = len(all)
			all = append(all, rundir.FailedAnswers{What: f.What})
		}
		for _, b := range f.Bodies {
			all[at].Bodies = append(all[at].Bodies, rundir.FailedBody(b))
		}
	}
	slices.SortStableFunc(all, func(a, b rundir.FailedAnswers) int {
		return cmp.Compare(b.Count, a.Count)
	})
	return all
}

// failuresBefore returns the failures in a directory that is resumed or appended to. Otherwise it
// removes them.
func (e *loadSeries) failuresBefore(mode directory.Mode) (all []rundir.FailedRun, err error) {
	if mode == directory.Append || mode == directory.Resume {
		return rundir.ReadFailures(e.failuresFile())
	}
	if err = os.Remove(e.failuresFile()); errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return nil, err
}

func (e *loadSeries) failuresFile() string {
	return filepath.Join(e.Dir.Path(), rundir.FailuresFile)
}

const maxQuoted = 200

func (e *loadSeries) showFailures(k int, row string) {
	var first checks.Failures
	for _, r := range e.section(k) {
		if why := r.Stopped(); why != "" {
			e.Paragraph("  ", row+": stopped early "+why, Width)
		}
		for _, f := range r.Answers.Failures {
			first.Add(checks.Failures{{What: f.What, Bodies: f.Bodies[:1]}})
		}
	}
	for _, f := range first {
		b := f.Bodies[0]
		said := []rune(text.OneLine(b.Text))
		if len(said) > maxQuoted {
			said = append(said[:maxQuoted:maxQuoted], '…')
		} else if len(said) == 0 {
			said = []rune("an empty body")
		}
		e.Paragraph("  ", row+": "+f.What+", first by request "+strconv.FormatUint(b.Seq, 10)+": "+
			string(said), Width)
	}
	if len(first) > 0 {
		e.Paragraph("  ", "Further failures: "+e.failuresFile(), Width)
	}
}

func (e *loadSeries) cases(kind string) *junit.Suite {
	suite := execute.TestSuite(kind, e.Execution)
	for _, r := range e.Records {
		execute.AddChecks(suite, r, text.Texts(e.loads[r.Section].plan.Checks, checks.Check.String))
		if why := r.Stopped(); why != "" {
			execute.AddStopped(suite, r, why)
		}
	}
	return suite
}

func (e *loadSeries) codes() []terminal.ExitCode {
	codes := e.Codes()
	for _, r := range e.Records {
		if r.Stopped() != "" {
			codes = append(codes, terminal.Regression)
		}
	}
	return codes
}
