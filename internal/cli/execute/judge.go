package execute

import (
	"slices"

	"github.com/poolbench/poolbench/internal/cli/terminal"
	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/objectives"
	"github.com/poolbench/poolbench/reports/results"
)

// Decision is the decision on one objective of a scenario, by all its repetitions.
type Decision struct {
	First     Record // first repetition
	Objective objectives.Objective
	Runs      int // number of repetitions
	decide.Decision
}

func (e *Execution) Judged() (all []Decision) {
	for _, runs := range results.Gather(e.Records, func(r Record) string { return r.Name }) {
		var cell results.Cell
		for _, r := range runs {
			cell = append(cell, r.Run)
		}
		for _, o := range e.objectives {
			d := cell.Decide(o.Limit())
			if e.Cut != nil && d.Verdict == decide.Met {
				d.Verdict, d.Reason = decide.Undecided, "interrupted: "+d.Reason
			}
			all = append(all, Decision{runs[0], o, len(runs), d})
		}
	}
	return all
}

func verdictCode(v decide.Verdict) terminal.ExitCode {
	return map[decide.Verdict]terminal.ExitCode{decide.Met: terminal.Fine,
		decide.Missed: terminal.Regression, decide.Undecided: terminal.Undecided}[v]
}

// An undecided claim is never the expected one.
func expectedCode(want, got decide.ClaimVerdict) terminal.ExitCode {
	switch {
	case want == "" || got == want:
		return terminal.Fine
	case got == decide.ClaimUndecided:
		return terminal.Undecided
	}
	return terminal.Regression
}

func (e *Execution) Codes() (codes []terminal.ExitCode) {
	if e.Cut != nil {
		codes = append(codes, terminal.Interrupted)
	}
	judged := e.Judged()
	missed := slices.ContainsFunc(judged, func(d Decision) bool { return d.Verdict == decide.Missed })
	// If the server answers, but completes no request, a missed objective is the result.
	lacking := len(e.Failed) > e.NoneCompleted || e.NoneCompleted > 0 && !missed
	if lacking || e.writing != nil {
		codes = append(codes, terminal.Unusable)
	}
	if e.invalid > 0 && (len(judged) == 0 || e.Plan != nil) {
		// A load test is decided by the answers that its clients received. INVALID is only a
		// remark.
		codes = append(codes, terminal.Undecided)
	}
	for _, j := range judged {
		codes = append(codes, verdictCode(j.Verdict))
	}
	for _, f := range e.Findings {
		codes = append(codes, expectedCode(e.Expect, f.Verdict))
	}
	return codes
}
