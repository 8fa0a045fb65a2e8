package execution

import (
	"math"
	"slices"

	"github.com/poolbench/poolbench/bench/finding"
	"github.com/poolbench/poolbench/bench/objectives"
	"github.com/poolbench/poolbench/internal/cli/exit"
	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/statistics/samples"
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
			judge := objectives.Judge[Record]
			if runs[0].Answers != nil {
				judge = judgeLoad
			}
			all = append(all, Judged{runs[0].Name, judge(o, runs)})
		}
	}
	return all
}

// judgeLoad decides an objective by the repetitions of a load: as each of them does, and by their
// median if they differ.
func judgeLoad(o objectives.Objective, runs []Record) objectives.Judgement {
	j := objectives.Judgement{Objective: o, Runs: len(runs)}
	var verdicts []decide.Verdict
	var values []float64
	for _, r := range runs {
		d := decide.Load(o.Limit(), r.Value, r.Iters)
		verdicts = append(verdicts, d.Verdict)
		if j.Reason == "" || d.Verdict != decide.Met {
			j.Reason, j.Next = d.Reason, d.Next
		}
		if d.Verdict == decide.Met {
			j.Met++
		}
		if !math.IsNaN(d.Value) {
			values = append(values, d.Value)
		}
	}
	j.Value = math.NaN()
	if len(values) > 0 {
		j.Value = samples.Median(values)
	}
	if j.Verdict = decide.All(verdicts...); !slices.Contains(verdicts, decide.Undecided) {
		j.Verdict = decide.Interval(o.Limit(), j.Value, j.Value)
	}
	return j
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

// decidesLoads reports whether the runs are loads held to objectives. What clients met is decided
// whether or not a run is INVALID, which is a remark about its numbers then.
func (e *Execution) decidesLoads() bool {
	return len(e.objectives) > 0 &&
		!slices.ContainsFunc(e.Records, func(r Record) bool { return r.Answers == nil })
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
	if e.invalid > 0 && !e.decidesLoads() {
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
