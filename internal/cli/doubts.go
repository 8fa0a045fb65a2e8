package cli

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/objectives"
	"github.com/poolbench/poolbench/internal/cli/terminal"
	"github.com/poolbench/poolbench/internal/jsondoc"
	"github.com/poolbench/poolbench/internal/prose"
	"github.com/poolbench/poolbench/internal/quantity"
	"github.com/poolbench/poolbench/reports/results"
	"github.com/poolbench/poolbench/strategies"
)

// mostDoubts is how many scenarios are called suspect one by one; results.txt and the report have
// all of them.
const mostDoubts = 12

// invalid says, a line each, why a result is not to be believed; nothing where it is.
func invalid(r *bench.Result) (lines []string) {
	why := slices.Clone(r.Broken)
	for _, reason := range r.Reasons {
		if reason.Verdict == bench.Invalid && !slices.Contains(why, reason.Text) {
			// a broken law is a reason, too
			why = append(why, reason.String())
		}
	}
	for _, w := range why {
		lines = append(lines, fmt.Sprintf("%s (seed %d) is not to be believed: %s",
			r.Name, r.Seed, w))
	}
	return lines
}

func nameOf(rec record) string { return rec.Name }

// suspects says, a line for each scenario, which results have something in them that is not the
// strategy's. What is INVALID was told of when it came.
func suspects(records []record) (lines []string) {
	believed := slices.DeleteFunc(slices.Clone(records), func(r record) bool { return r.Invalid() })
	for _, runs := range results.Gather(believed, nameOf) {
		d, which := cellOf(runs).Doubts(), ""
		if d == nil {
			continue
		}
		if len(runs) > 1 {
			which = " (" + d.Which + ")"
		}
		lines = append(lines, fmt.Sprintf("%s%s is suspect: %s", nameOf(runs[0]), which, d.Text()))
	}
	if more := len(lines) - mostDoubts; more > 1 {
		lines = append(lines[:mostDoubts],
			fmt.Sprintf("%d more scenarios are suspect; the report and results.txt say why", more))
	}
	return lines
}

// showDoubts warns of suspect results, and of what is measured well and may not be what was meant.
func (a *app) showDoubts(e *execution) { a.warn(append(ownRates(e.plan), suspects(e.records)...)) }

// ownRates names the strategies that start tasks at the rate that is their default, before a target
// that has a rate as well: they know nothing of it.
func ownRates(p plan) (lines []string) {
	for _, section := range p {
		if section.study != nil {
			continue
		}
		for _, sc := range section.suite.Scenarios {
			s := sc.Strategy
			if s.Spec.Starts == nil || !sc.Target.Spec.RateLimits ||
				strings.Contains(s.Values.Canonical(), "rate=") {
				continue
			}
			starts := s.Spec.Starts(strategies.Params{Limit: sc.Limit, Queue: sc.Queue,
				Values: s.Values}).PerSecond
			line := fmt.Sprintf("strategy %s starts up to %v tasks per second, its default: it "+
				"does not follow the rate of target %s; give it one, as in %s:rate=%v",
				s, starts, sc.Target, s.Spec.Name, starts/10)
			if !slices.Contains(lines, line) {
				lines = append(lines, line)
			}
		}
	}
	return lines
}

// warn prints what a reader should know of results that are there.
func (a *app) warn(lines []string) {
	for _, line := range lines {
		fmt.Fprintf(a.stderr, "poolbench: warning: %s\n", line)
	}
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
	note := ""
	if counts[objectives.Undecided] > 0 {
		note = "; undecided: some run could not tell, for want of tasks or because it is INVALID"
	}
	fmt.Fprintf(a.stdout, "objectives: %s%s\n",
		prose.Tally(counts, objectives.Met, objectives.Missed, objectives.Undecided), note)
	w := terminal.Columns(a.stdout)
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
		fmt.Fprintf(w, "  %v\t%v\t%s\t%s\t%s\n", j.Verdict, j.Objective, value, runs, j.scenario)
	}
	fmt.Fprintln(w)
	return w.Flush()
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
