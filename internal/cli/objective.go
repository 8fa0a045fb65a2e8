package cli

import (
	"fmt"
	"math"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/objectives"
)

// objectiveVar declares --objective.
func objectiveVar(cmd *cobra.Command, to *objectives.List, doc string) {
	cmd.Flags().Var(objectiveFlag{to}, "objective", doc)
	completeFlag(cmd, "objective", objectives.Names)
}

// objectiveFlag is the pflag.Value of --objective, which adds to a list.
type objectiveFlag struct{ list *objectives.List }

func (f objectiveFlag) Type() string { return "METRIC<VALUE" }

func (f objectiveFlag) String() string {
	if f.list == nil {
		return ""
	}
	return f.list.String()
}

func (f objectiveFlag) Set(text string) (err error) {
	all, err := f.list.Add(text)
	if err == nil {
		*f.list = all
	}
	return err
}

// A judged scenario is what its repetitions say about one objective.
type judged struct {
	scenario string // its name
	objectives.Judgement
}

// judged holds each scenario to each objective, in the order of the results.
func (e *execution) judged() (all []judged) {
	if len(e.objectives) == 0 {
		return nil
	}
	repetitions := map[string][]*bench.Result{}
	var names []string
	for _, rec := range e.records {
		name := rec.result.Name
		if repetitions[name] == nil {
			names = append(names, name)
		}
		repetitions[name] = append(repetitions[name], rec.result)
	}
	for _, name := range names {
		for _, o := range e.objectives {
			all = append(all, judged{name, o.Judge(repetitions[name])})
		}
	}
	return all
}

// verdictCode is the exit code that a verdict alone would have.
func verdictCode(v objectives.Verdict) int {
	return map[objectives.Verdict]int{objectives.Met: fine, objectives.Missed: regression,
		objectives.Undecided: undecided}[v]
}

// fewJudged is up to how many verdicts are all listed; beyond, those that are not met.
const fewJudged = 20

// showObjectives prints the verdicts below the tables.
func (a *app) showObjectives(e *execution) error {
	all := e.judged()
	if len(all) == 0 {
		return nil
	}
	counts := map[objectives.Verdict]int{}
	for _, j := range all {
		counts[j.Verdict]++
	}
	var parts []string
	for _, v := range []objectives.Verdict{objectives.Met, objectives.Missed,
		objectives.Undecided} {
		if counts[v] > 0 {
			parts = append(parts, fmt.Sprintf("%d %v", counts[v], v))
		}
	}
	note := ""
	if counts[objectives.Undecided] > 0 {
		note = "; undecided: some run could not tell, for want of tasks or because it is INVALID"
	}
	fmt.Fprintf(a.stdout, "objectives: %s%s\n", strings.Join(parts, ", "), note)
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	for _, j := range all {
		if len(all) > fewJudged && j.Verdict == objectives.Met {
			continue
		}
		value := "–"
		if !math.IsNaN(j.Value) {
			value = spellMetric(j.Objective.Unit, j.Value)
		}
		runs := ""
		if j.Runs > 1 {
			runs = fmt.Sprintf("%d of %d runs meet it", j.Met, j.Runs)
		}
		fmt.Fprintf(w, "  %v\t%v\t%s\t%s\t%s\n", j.Verdict, j.Objective, value, runs, j.scenario)
	}
	fmt.Fprintln(w)
	return w.Flush()
}

// spellMetric spells a value of a unit.
func spellMetric(unit string, v float64) string {
	switch {
	case strings.Contains(unit, "-sec"):
		return seconds(v)
	case strings.HasSuffix(unit, "ops/s"):
		return rate(v)
	case unit == "attempts/op", unit == "allocs/op", unit == "B/op":
		return digits(v)
	case strings.HasSuffix(unit, "/op"), strings.HasSuffix(unit, "utilisation"):
		return share(v)
	}
	return digits(v)
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

func newObjectiveLine(j judged) objectiveLine {
	line := objectiveLine{Name: j.scenario, Objective: j.Objective.String(), Unit: j.Objective.Unit,
		Bound: j.Objective.Bound,
		Runs:  j.Runs, Met: j.Met, Verdict: j.Verdict.String()}
	if !math.IsNaN(j.Value) && !math.IsInf(j.Value, 0) {
		line.Value = &j.Value
	}
	return line
}
