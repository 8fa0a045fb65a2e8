package execute

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/poolbench/poolbench/internal/capacity"
	"github.com/poolbench/poolbench/internal/cli/flags"
	"github.com/poolbench/poolbench/internal/cli/options"
	"github.com/poolbench/poolbench/internal/cli/terminal"
	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/files"
	"github.com/poolbench/poolbench/internal/junit"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/results"
)

// BeginSuite first writes a file without a verdict, so a killed command does not leave the pass of
// an earlier one. The file may be in the directory out, which the command creates later. A pipe is
// skipped, because it can receive only one document.
func BeginSuite(
	h *Host, o options.RunOptions, kind, title string,
) (*Execution, error) {
	if to := o.JUnit; to.Path != "" && files.Replaces(to.Path) &&
		(o.Out == "" || filepath.Clean(o.Out) != filepath.Dir(to.Path)) {
		s := &junit.Suite{Name: "poolbench " + kind}
		s.Add(undecided("complete", s.Name, "no verdict yet: the command is still running, or "+
			"was killed"))
		if err := to.Write(s.Write); err != nil {
			return nil, err
		}
	}
	return Begin(h, o, title)
}

// TestSuite returns a test case per objective of a scenario, verdict of a run, failed run and
// finding of a study. A missed objective is a failure. An undecided one or an INVALID run is an
// error, because neither is a pass.
func TestSuite(kind string, e *Execution) *junit.Suite {
	s := &junit.Suite{Name: "poolbench " + kind, Output: e.Headline}
	if e.Cut != nil {
		s.Add(undecided("complete", s.Name, "interrupted: "+e.Interruption()))
	}
	for _, f := range e.Failed {
		s.Add(undecided(fmt.Sprintf("run (seed %d)", f.Seed), f.Name, f.Reason))
	}
	for _, j := range e.Judged() {
		s.Add(objective(j))
	}
	for _, r := range e.Records {
		s.Add(verdict(r))
	}
	for _, f := range e.Findings {
		s.Add(findingCase(f, e.Expect))
	}
	return s
}

func undecided(name, class, why string) junit.Case {
	return junit.Case{Name: name, Class: class, Error: &junit.Text{Type: "undecided", Message: why}}
}

func objective(j Decision) junit.Case {
	said := j.Verdict.String() + ": " + j.Evidence(j.Objective.Unit)
	c := junit.Case{Name: j.Objective.String(), Class: j.First.Run.Name}
	switch j.Verdict {
	case decide.Met:
		c.Output = said
	case decide.Missed:
		c.Failure = &junit.Text{Type: "missed", Message: said}
	default:
		c.Error = &junit.Text{Type: "undecided", Message: said}
	}
	return c
}

// A SUSPECT run passes, with its reason. A run that a signal cut off is incomplete, whatever its
// verdict.
func verdict(r Record) junit.Case {
	v, _ := r.Run.Verdict()
	said := v.String()
	for _, d := range r.Doubts {
		said += "; " + d.Text
	}
	c := junit.Case{Name: fmt.Sprintf("valid (seed %s)", r.Seed), Class: r.Run.Name}
	switch {
	case v == results.Invalid:
		c.Error = &junit.Text{Type: "INVALID", Message: said}
	case r.CutOff():
		c.Error = &junit.Text{Type: "undecided", Message: "interrupted: " + said}
	default:
		c.Output = said
	}
	return c
}

// checkFailed precedes a check's name in the errors of an attack.
const checkFailed = "check failed: "

// No check passes if the attack was resumed or cut off, because requests are missing.
func AddChecks(s *junit.Suite, r Record, checks []string) {
	failed := map[string]int{}
	for _, c := range r.Answers.Errors {
		if name, is := strings.CutPrefix(c.What, checkFailed); is {
			failed[name] += c.N
		}
	}
	for _, name := range checks {
		c := junit.Case{Name: fmt.Sprintf("%s (seed %s)", name, r.Seed), Class: r.Run.Name}
		switch n := failed[name]; {
		case n > 0:
			c.Failure = &junit.Text{Type: "check", Message: fmt.Sprintf(
				"failed for %d of %d requests", n, r.Iters)}
		case r.Answers.Resumed:
			c.Skipped = &junit.Text{Message: "unknown for requests before --resume"}
		case r.CutOff():
			c.Skipped = &junit.Text{Message: "interrupted: passed by all requests that were sent"}
		}
		s.Add(c)
	}
}

func AddStopped(s *junit.Suite, r Record, why string) {
	s.Add(junit.Case{Name: fmt.Sprintf("not stopped early (seed %s)", r.Seed), Class: r.Run.Name,
		Failure: &junit.Text{Type: "stop-if", Message: "stopped early " + why}})
}

// The case passes if some value of the axis meets the objective.
func CapacityCase(
	axis, of string, ends capacity.Outcome, met, missed float64, err error,
) junit.Case {
	said := fmt.Sprintf("%s: met at %s, missed at %s", ends, orNone(met), orNone(missed))
	if err != nil {
		said += ": " + err.Error()
	}
	c := junit.Case{Name: "capacity, by " + axis, Class: of}
	switch ends {
	case capacity.Nowhere:
		c.Failure = &junit.Text{Type: "missed", Message: said}
	case capacity.Unknown:
		c.Error = &junit.Text{Type: "undecided", Message: said}
	default:
		c.Output = said
	}
	return c
}

func orNone(v float64) string {
	if math.IsNaN(v) {
		return "none"
	}
	return text.Digits(v)
}

func findingCase(f decide.Finding, want decide.ClaimVerdict) junit.Case {
	said := fmt.Sprintf("%s: %s", f.Verdict, f.Because)
	c := junit.Case{Name: f.Claim, Class: f.Study}
	switch {
	case f.Verdict == decide.ClaimUndecided:
		c.Error = &junit.Text{Type: string(f.Verdict), Message: said}
	case want != "" && f.Verdict != want:
		c.Failure = &junit.Text{Type: string(f.Verdict),
			Message: fmt.Sprintf("%s; expected %s", said, want)}
	default:
		c.Output = said
	}
	return c
}

// Within a workflow of GitHub, PublishSuite also writes annotations to standard error and appends
// to the summary of the job. It prints write errors and returns their exit code.
func PublishSuite(s *junit.Suite, to flags.Output, p *terminal.Printer) terminal.ExitCode {
	errs := []error{to.Write(s.Write)}
	if os.Getenv("GITHUB_ACTIONS") == "true" {
		errs = append(errs, s.Annotate(p.Stderr))
	}
	job := flags.Output{Path: os.Getenv("GITHUB_STEP_SUMMARY"), Flag: "$GITHUB_STEP_SUMMARY"}
	if err := errors.Join(append(errs, job.Add(s.Summarize))...); err != nil {
		p.Complain(err)
		return terminal.Unusable
	}
	return terminal.Fine
}
