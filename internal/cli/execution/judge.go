package execution

import (
	"github.com/poolbench/poolbench/bench/finding"
	"github.com/poolbench/poolbench/bench/objectives"
	"github.com/poolbench/poolbench/internal/cli/exit"
	"github.com/poolbench/poolbench/reports/results"
)

// A Judged scenario is what its repetitions say about one objective.
type Judged struct {
	Scenario string // its name
	objectives.Judgement
}

// Judged holds each scenario to each objective, in the order of the results.
func (e *Execution) Judged() (all []Judged) {
	for _, runs := range results.Gather(e.Records, func(r Record) string { return r.Name }) {
		for _, o := range e.objectives {
			all = append(all, Judged{runs[0].Name, objectives.Judge(o, runs)})
		}
	}
	return all
}

// verdictCode is the exit code that a verdict alone would have.
func verdictCode(v objectives.Verdict) exit.Code {
	return map[objectives.Verdict]exit.Code{objectives.Met: exit.Fine,
		objectives.Missed: exit.Regression, objectives.Undecided: exit.Undecided}[v]
}

// expectedCode is that of a verdict where another was expected. What could not be decided is never
// as expected.
func expectedCode(want, got finding.Verdict) exit.Code {
	switch {
	case want == "" || got == want:
		return exit.Fine
	case got == finding.Undecided:
		return exit.Undecided
	}
	return exit.Regression
}

// Codes are those of the runs, whether a signal cut them short, whether one failed or could not be
// written, and how many are INVALID, and those of what their results are held to.
func (e *Execution) Codes() (codes []exit.Code) {
	if e.Cut != nil {
		codes = append(codes, exit.Interrupted)
	}
	if e.writing != nil || len(e.Failed) > 0 {
		codes = append(codes, exit.Unusable)
	}
	if e.invalid > 0 {
		codes = append(codes, exit.Undecided)
	}
	for _, j := range e.Judged() {
		codes = append(codes, verdictCode(j.Verdict))
	}
	for _, f := range e.Findings {
		codes = append(codes, expectedCode(e.Expect, f.Verdict))
	}
	return codes
}
