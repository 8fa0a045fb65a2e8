package show

import (
	"fmt"

	"github.com/poolbench/poolbench/internal/cli/execute"
	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/results"
)

// Up to fewJudged verdicts are all listed, otherwise only missed objectives.
const fewJudged = 20

func ShowObjectives(e *execute.Execution, name func(execute.Record) string) error {
	all := e.Judged()
	if len(all) == 0 {
		return nil
	}
	counts, bounds := map[decide.Verdict]int{}, map[string]bool{}
	for _, j := range all {
		counts[j.Verdict]++
		bounds[j.Objective.String()] = true
	}
	e.Prose("objectives: %s\n", text.Tally(counts, decide.Met, decide.Missed, decide.Undecided))
	shown := 0
	for _, j := range all {
		if len(all) > fewJudged && j.Verdict == decide.Met {
			continue
		}
		if shown++; shown > fewJudged {
			e.Prose("  and %d more: the report lists all\n", len(all)-shown+1)
			break
		}
		line := j.Verdict.String() + ": " + j.Objective.String()
		if len(all) > len(bounds) {
			line += ", " + name(j.First)
		}
		e.Paragraph("  ", line+": "+j.Evidence(j.Objective.Unit), pageWidth)
	}
	_, err := fmt.Fprintln(e.Stdout)
	return err
}

type objectiveLine struct {
	Name      string  `json:"name"` // name of the scenario
	Objective string  `json:"objective"`
	Unit      string  `json:"unit"`
	Bound     float64 `json:"bound"`
	// absent if there is none
	Value *float64 `json:"value,omitempty"`
	// relative 95 % error, if it exceeds 25 %; null without a bound
	Uncertain *results.Number `json:"uncertain,omitempty"`
	// bounds of the value: a 95 % interval, or the limits of a load test; absent if unknown or
	// infinite
	Low     *float64 `json:"low,omitempty"`
	High    *float64 `json:"high,omitempty"`
	Runs    int      `json:"runs"`
	Verdict string   `json:"verdict"` // met, missed or undecided
	Reason  string   `json:"reason"`
	Next    string   `json:"next,omitempty"` // flag that would decide it
}

func newObjectiveLine(j execute.Decision) objectiveLine {
	line := objectiveLine{j.First.Name, j.Objective.String(), j.Objective.Unit, j.Objective.Bound,
		text.JSONNumber(j.Value), nil, text.JSONNumber(j.Low), text.JSONNumber(j.High), j.Runs,
		j.Verdict.String(), j.Reason, j.Next}
	if j.Error > 0 {
		line.Uncertain = new(results.Number(j.Error))
	}
	return line
}
