package why

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/results"
)

// ScenarioCauses is a scenario with its causes.
type ScenarioCauses struct {
	results.Cell
	Series string
	Answer
}

// varied lists the keys in which comparable scenarios of a strategy may differ.
var varied = []string{"limit", "load", "rate", "n", "queue"}

// Groups explains the scenarios of a directory. Scenarios that differ only in strategy form a
// group, the worst first. INVALID runs are included, since their causes explain the verdict.
func Groups(r *results.Results) (groups [][]ScenarioCauses) {
	var runs results.Cell
	for i := range r.Runs {
		runs = append(runs, &r.Runs[i])
	}
	family := func(c results.Cell) string {
		return c[0].Base() + fmt.Sprint(results.Without(c[0].Keys, varied...))
	}
	var all []ScenarioCauses
	cells := results.Gather(runs, func(r *results.Run) string { return r.Qualified() })
	beside := map[string][]results.Cell{}
	for _, c := range cells {
		beside[family(c)] = append(beside[family(c)], c)
	}
	for _, c := range cells {
		others := slices.DeleteFunc(slices.Clone(beside[family(c)]), func(o results.Cell) bool {
			return o[0].Qualified() == c[0].Qualified()
		})
		if a, ok := Explain(c, others...); ok {
			all = append(all, ScenarioCauses{c, c[0].Series(), a})
		}
	}
	groups = results.Gather(all, func(e ScenarioCauses) string {
		return fmt.Sprint(e.Cell[0].Base(), e.Place())
	})
	for _, g := range groups {
		slices.SortStableFunc(g, func(a, b ScenarioCauses) int {
			return cmp.Compare(b.Answer.Value, a.Answer.Value)
		})
	}
	return groups
}

// Place returns the keys that a group shares.
func (e ScenarioCauses) Place() []results.Pair {
	return results.Without(e.Cell[0].Keys, "strategy", "queue")
}

// Name returns the strategy, with its queue, or the target of an attack.
func (e ScenarioCauses) Name() string {
	name := cmp.Or(results.Readable(e.Series), e.Cell[0].Name)
	if queue := e.Cell[0].Key("queue"); queue != "" {
		name += ", queue " + queue
	}
	return name
}

// Opening begins the sentence that the causes end: "p99 is 300 ms because".
func (a Answer) Opening() string {
	metric, of := "p99", "the slowest 1 % of these tasks are"
	if !strings.HasPrefix(a.Unit, "p99") {
		metric, of = "mean response", "these tasks are"
	}
	value := text.Uncertain(a.Unit, a.Value, a.Error)
	if value == "–" {
		return fmt.Sprintf("%s is unknown (error above ±100 %%); %s slow because", metric, of)
	}
	return fmt.Sprintf("%s is %s because", metric, value)
}

// Percent formats the share without decimals.
func (c Cause) Percent() string { return text.WholeShare(c.Share) }

func (c Cause) String() string {
	return fmt.Sprintf("%s %s: %s. %s.", c.Percent(), c.Cause, c.Evidence, c.RemedySentence())
}

// RemedySentence returns the remedy, capitalised.
func (c Cause) RemedySentence() string { return strings.ToUpper(c.Remedy[:1]) + c.Remedy[1:] }
