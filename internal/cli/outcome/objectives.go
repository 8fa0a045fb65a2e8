package outcome

import (
	"fmt"
	"math"

	"github.com/poolbench/poolbench/bench/objectives"
	"github.com/poolbench/poolbench/internal/cli/execution"
	"github.com/poolbench/poolbench/internal/text/jsondoc"
	"github.com/poolbench/poolbench/internal/text/prose"
	"github.com/poolbench/poolbench/internal/text/quantity"
)

// fewJudged is up to how many verdicts are all listed; beyond, those that are not met.
const fewJudged = 20

// ShowObjectives prints the verdicts below the tables.
func ShowObjectives(e *execution.Execution) error {
	all := e.Judged()
	if len(all) == 0 {
		return nil
	}
	counts := map[objectives.Verdict]int{}
	for _, j := range all {
		counts[j.Verdict]++
	}
	note := ""
	if counts[objectives.Undecided] > 0 {
		note = "; undecided: some run could not tell, for want of tasks or because it is INVALID"
	}
	e.Prose("objectives: %s%s\n",
		prose.Tally(counts, objectives.Met, objectives.Missed, objectives.Undecided), note)
	var rows [][]string
	for _, j := range all {
		if len(all) > fewJudged && j.Verdict == objectives.Met {
			continue
		}
		value := "–"
		if !math.IsNaN(j.Value) {
			value = quantity.Metric(j.Objective.Unit, j.Value)
		}
		runs := ""
		if runs = j.Reason; j.Next != "" {
			runs += ": " + j.Next
		}
		if j.Runs > 1 {
			runs = fmt.Sprintf("%d of %d runs meet it", j.Met, j.Runs)
		}
		rows = append(rows, []string{j.Verdict.String(), j.Objective.String(), value, runs,
			j.Scenario})
	}
	if err := e.List(rows); err != nil {
		return err
	}
	_, err := fmt.Fprintln(e.Stdout)
	return err
}

// An objectiveLine is a verdict in a document.
type objectiveLine struct {
	Name      string  `json:"name"` // of the scenario
	Objective string  `json:"objective"`
	Unit      string  `json:"unit"`
	Bound     float64 `json:"bound"`
	// the median over the runs; absent where none could tell
	Value   *float64 `json:"value,omitempty"`
	Runs    int      `json:"runs"`
	Met     int      `json:"met"` // runs that meet it one by one
	Verdict string   `json:"verdict"`
}

func newObjectiveLine(j execution.Judged) objectiveLine {
	return objectiveLine{j.Scenario, j.Objective.String(), j.Objective.Unit, j.Objective.Bound,
		jsondoc.Finite(j.Value), j.Runs, j.Met, j.Verdict.String()}
}
