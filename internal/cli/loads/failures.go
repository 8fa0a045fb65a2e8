package loads

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"github.com/poolbench/poolbench/bench/attack"
	"github.com/poolbench/poolbench/bench/attack/checks"
	"github.com/poolbench/poolbench/bench/directory"
	"github.com/poolbench/poolbench/internal/cli/cases"
	"github.com/poolbench/poolbench/internal/cli/execution"
	"github.com/poolbench/poolbench/internal/cli/exit"
	"github.com/poolbench/poolbench/internal/files/bounded"
	"github.com/poolbench/poolbench/internal/files/rundir"
	"github.com/poolbench/poolbench/internal/text/junit"
)

// A failing load is one with answers that failed, in rundir.FailuresFile.
type failing struct {
	Name     string          `json:"name"`
	Seed     uint64          `json:"seed"`
	Failures checks.Failures `json:"failures"`
}

// keepFailures writes the first answers that failed beside the results, behind those of before
// where the directory goes on; where none has, there is no file.
func (e *loaded) keepFailures(mode directory.Mode) error {
	all, err := e.failuresBefore(mode)
	if err != nil {
		return err
	}
	for _, r := range e.Records {
		if len(r.Answers.Failures) > 0 {
			all = append(all, failing{r.ID.Name, r.ID.Seed, r.Answers.Failures})
		}
	}
	if all == nil {
		return nil
	}
	return rundir.Replace(e.failuresFile(), func(to io.Writer) error {
		w := json.NewEncoder(to)
		w.SetIndent("", "  ")
		w.SetEscapeHTML(false)
		return w.Encode(all)
	})
}

// failuresBefore are those of a directory that goes on; of another they are removed.
func (e *loaded) failuresBefore(mode directory.Mode) (all []failing, err error) {
	if mode != directory.Append && mode != directory.Resume {
		if err = os.Remove(e.failuresFile()); errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return nil, err
	}
	text, err := bounded.ReadFile(e.failuresFile(), rundir.MostBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &all)
	}
	return all, err
}

func (e *loaded) failuresFile() string {
	return filepath.Join(e.Dir.Path(), rundir.FailuresFile)
}

// mostQuoted is how much of a body is said.
const mostQuoted = 120

// showFailures says of load k why it was stopped, and of each failure what came first.
func (e *loaded) showFailures(k int, row string) {
	var first checks.Failures
	for _, r := range e.Records {
		if r.Section != k {
			continue
		}
		if why := stopped(r); why != "" {
			e.Say("  ", row+": stopped early "+why, Width)
		}
		for _, f := range r.Answers.Failures {
			first.Add(checks.Failures{{What: f.What, Bodies: f.Bodies[:1]}})
		}
	}
	for _, f := range first {
		b := f.Bodies[0]
		text := []rune(b.Text)
		end := ""
		if len(text) > mostQuoted {
			text, end = text[:mostQuoted], "…"
		}
		e.Say("  ", row+": "+f.What+", first by request "+strconv.FormatUint(b.Seq, 10)+": "+
			strconv.Quote(string(text))+end, Width)
	}
	if len(first) > 0 {
		e.Say("  ", "More of them: "+e.failuresFile(), Width)
	}
}

// stopped says why a load ended early by a rule; "" where it did not.
func stopped(r execution.Record) string {
	if why, ok := errors.AsType[*attack.Stopped](r.Answers.Cut); ok {
		return why.Why
	}
	return ""
}

// cases are those of the execution, with the checks of attacks.
func (e *loaded) cases(kind string) *junit.Suite {
	suite := cases.Of(kind, e.Execution)
	for _, r := range e.Records {
		var names []string
		for _, c := range e.loads[r.Section].plan.Checks {
			names = append(names, c.String())
		}
		cases.AddChecks(suite, r, names)
		if why := stopped(r); why != "" {
			cases.AddStopped(suite, r, why)
		}
	}
	return suite
}

// codes are those of the execution, and of loads that were stopped.
func (e *loaded) codes() []exit.Code {
	codes := e.Codes()
	for _, r := range e.Records {
		if stopped(r) != "" {
			codes = append(codes, exit.Regression)
		}
	}
	return codes
}
