package cli

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/objectives"
	"github.com/poolbench/poolbench/internal/cli/exit"
	"github.com/poolbench/poolbench/internal/cli/question"
	"github.com/poolbench/poolbench/internal/text/jsondoc"
	"github.com/poolbench/poolbench/internal/text/prose"
	"github.com/poolbench/poolbench/internal/text/quantity"
	"github.com/poolbench/poolbench/reports/results"
)

// invalid says, a line each, why a result is INVALID; nothing where it is not.
func invalid(r *bench.Result) (lines []string) {
	why := slices.Clone(r.Broken)
	for _, reason := range r.Reasons {
		if reason.Verdict == bench.Invalid && !slices.Contains(why, reason.Text) {
			// a broken law is a reason, too
			why = append(why, reason.String())
		}
	}
	for _, w := range why {
		lines = append(lines, fmt.Sprintf("%s (seed %d) is INVALID: %s",
			r.Name, r.Seed, w))
	}
	return lines
}

func nameOf(rec record) string { return rec.Name }

// suspects says how many scenarios have something in them that is not the strategy's, and for each
// check that found it, how often, and what in the first of them. INVALID runs have been
// reported already.
func suspects(records []record) (lines []string) {
	believed := slices.DeleteFunc(slices.Clone(records), func(r record) bool { return r.Invalid() })
	scenarios := results.Gather(believed, nameOf)
	type found struct{ scenario, text string }
	var all []found
	doubted, overload := 0, 0
	for _, runs := range scenarios {
		d := cellOf(runs).Doubts()
		if d == nil {
			continue
		}
		if load, err := strconv.ParseFloat(runs[0].Key("load"), 64); err == nil && load >= 1 &&
			d.OfOverload() {
			overload++
			continue
		}
		doubted++
		for _, why := range d.Why {
			all = append(all, found{shortName(runs[0], believed), why.Text})
		}
	}
	if doubted == 0 {
		return nil
	}
	head := fmt.Sprintf("%d of %s SUSPECT", doubted, prose.Count(len(scenarios), "scenario"))
	if overload > 0 {
		head += fmt.Sprintf(", %d more unstable, as requested", overload)
	}
	lines = []string{head + "; the report and results.txt say which"}
	checks := results.Gather(all, func(f found) string {
		return results.Doubt{Text: f.text}.Check()
	})
	slices.SortStableFunc(checks, func(a, b []found) int { return len(b) - len(a) })
	for _, c := range checks {
		line := c[0].scenario + ": " + c[0].text
		if more := len(c) - 1; more > 0 {
			line += fmt.Sprintf("; and %d more", more)
		}
		lines = append(lines, line)
	}
	return lines
}

// shortName is what tells the run's scenario from the others: its strategy, and in what they
// differ.
func shortName(r record, of []record) string {
	var differ []results.Pair
	for _, k := range r.Keys {
		if k.Key != "strategy" && slices.ContainsFunc(of, func(other record) bool {
			return other.Key(k.Key) != k.Value
		}) {
			differ = append(differ, k)
		}
	}
	words := results.Words(differ)
	if strategy := r.Key("strategy"); strategy != "" {
		words = append([]string{results.Readable(strategy)}, words...)
	}
	if len(words) == 0 {
		return r.Name
	}
	return strings.Join(words, ", ")
}

// sayRates writes these lines down, for the report.
func (e *execution) sayRates() error {
	for _, line := range question.OwnRates(e.plan) {
		if err := e.dir.Say(line); err != nil {
			return err
		}
	}
	return nil
}

// A judged scenario is what its repetitions say about one objective.
type judged struct {
	scenario string // its name
	objectives.Judgement
}

// judged holds each scenario to each objective, in the order of the results.
func (e *execution) judged() (all []judged) {
	for _, runs := range results.Gather(e.records, nameOf) {
		for _, o := range e.objectives {
			all = append(all, judged{nameOf(runs[0]), objectives.Judge(o, runs)})
		}
	}
	return all
}

// verdictCode is the exit code that a verdict alone would have.
func verdictCode(v objectives.Verdict) exit.Code {
	return map[objectives.Verdict]exit.Code{objectives.Met: exit.Fine,
		objectives.Missed: exit.Regression, objectives.Undecided: exit.Undecided}[v]
}

// fewJudged is up to how many verdicts are all listed; beyond, those that are not met.
const fewJudged = 20

// showObjectives prints the verdicts below the tables.
func showObjectives(e *execution) error {
	all := e.judged()
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
		if j.Runs > 1 {
			runs = fmt.Sprintf("%d of %d runs meet it", j.Met, j.Runs)
		}
		rows = append(rows, []string{j.Verdict.String(), j.Objective.String(), value, runs,
			j.scenario})
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

func newObjectiveLine(j judged) objectiveLine {
	return objectiveLine{j.scenario, j.Objective.String(), j.Objective.Unit, j.Objective.Bound,
		jsondoc.Finite(j.Value), j.Runs, j.Met, j.Verdict.String()}
}
