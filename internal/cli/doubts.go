package cli

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/objectives"
	"github.com/poolbench/poolbench/internal/jsondoc"
	"github.com/poolbench/poolbench/internal/prose"
	"github.com/poolbench/poolbench/internal/quantity"
	"github.com/poolbench/poolbench/internal/tables"
	"github.com/poolbench/poolbench/reports/results"
	"github.com/poolbench/poolbench/strategies"
)

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

// suspects says how many scenarios have something in them that is not the strategy's, and for each
// check that found it, how often, and what in the first of them. What is INVALID was told of when
// it came.
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
		head += fmt.Sprintf(", %d more overloaded as asked", overload)
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

// showDoubts warns of suspect results, and of what is measured well and may not be what was meant.
func (a *app) showDoubts(e *execution) { a.warn(append(ownRates(e.plan), suspects(e.records)...)) }

// enough is the share of a target's rate below which a strategy that limits its own is warned of:
// a margin is wise, and more than this is none.
const enough = 0.8

// ownRates names the strategies that start tasks at a rate that is not that of their target.
func ownRates(p plan) (lines []string) {
	for _, section := range p {
		if section.study != nil {
			continue
		}
		for _, sc := range section.suite.Scenarios {
			if line := ownRate(sc); line != "" && !slices.Contains(lines, line) {
				lines = append(lines, line)
			}
		}
	}
	return lines
}

// sayRates writes these lines down, for the report.
func (e *execution) sayRates(dir *bench.Dir) error {
	for _, line := range ownRates(e.plan) {
		if err := dir.Say(line); err != nil {
			return err
		}
	}
	return nil
}

// ownRate is what there is to say of one; "": nothing, as where the strategy follows its target and
// has no rate beside that.
func ownRate(sc bench.Scenario) string {
	s, target := sc.Strategy, sc.Target.Spec
	if s.Spec.Starts == nil || target.Rate == nil {
		return ""
	}
	allowed := target.Rate(sc.Target.Values)
	own := s.Spec.Starts(strategies.Params{Limit: sc.Limit, Queue: sc.Queue,
		Values: s.Values.Settle("target", allowed)}).PerSecond
	text := fmt.Sprintf("strategy %s starts up to %v tasks per second, and target %s serves %v: ",
		s, own, sc.Target, allowed)
	switch {
	case own > allowed:
		return text + "it refuses what is more; rate=target follows it"
	case own < enough*allowed:
		return text + fmt.Sprintf("%.0f %% of that are left unused; rate=target follows it",
			100*(1-own/allowed))
	}
	return ""
}

// warn prints what a reader should know of results that are there.
func (a *app) warn(lines []string) {
	for _, line := range lines {
		line = "poolbench: warning: " + line
		if most := a.columns(); most > 0 {
			line = tables.Wrapped("", line, most)
		}
		fmt.Fprintln(a.stderr, line)
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
	a.prose("objectives: %s%s\n",
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
	if err := a.list(rows); err != nil {
		return err
	}
	_, err := fmt.Fprintln(a.stdout)
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
