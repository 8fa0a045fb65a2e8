package why

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/results"
)

// An Explained is a scenario with what explains it.
type Explained struct {
	results.Cell // its repetitions
	Series       string
	Answer
}

// Of what a scenario is held against others of its strategy: all but how many tasks there are at
// once, and how fast they come.
var varied = []string{"limit", "load", "rate", "n", "queue"}

// Groups explains the scenarios of a directory: those that differ in their strategy alone together,
// and of each group the worst first. INVALID runs are explained too: their cause is why they are.
func Groups(r *results.Results) (groups [][]Explained) {
	var runs results.Cell
	for i := range r.Runs {
		runs = append(runs, &r.Runs[i])
	}
	family := func(c results.Cell) string {
		return c[0].Base() + fmt.Sprint(results.Without(c[0].Keys, varied...))
	}
	var all []Explained
	cells := results.Gather(runs, func(r *results.Run) string { return r.Qualified() })
	beside := map[string][]results.Cell{}
	for _, c := range cells {
		beside[family(c)] = append(beside[family(c)], c)
	}
	for _, c := range cells {
		others := slices.DeleteFunc(slices.Clone(beside[family(c)]), func(o results.Cell) bool {
			return o[0].Qualified() == c[0].Qualified()
		})
		if a, ok := Of(c, others...); ok {
			all = append(all, Explained{c, c[0].Series(), a})
		}
	}
	groups = results.Gather(all, func(e Explained) string {
		return fmt.Sprint(e.Cell[0].Base(), e.Place())
	})
	for _, g := range groups {
		slices.SortStableFunc(g, func(a, b Explained) int {
			return cmp.Compare(b.Answer.Value, a.Answer.Value)
		})
	}
	return groups
}

// Place are the keys of the name without the strategy: what a group has in common.
func (e Explained) Place() []results.Pair {
	return results.Without(e.Cell[0].Keys, "strategy", "queue")
}

// Name is the strategy, with its queue, or what was attacked.
func (e Explained) Name() string {
	name := cmp.Or(results.Readable(e.Series), e.Cell[0].Name)
	if queue := e.Cell[0].Key("queue"); queue != "" {
		name += ", queue " + queue
	}
	return name
}

// Opening begins the sentence that the causes end: "p99 is 300 ms because". The causes of a value
// that is too uncertain to show are those of the tasks that were seen.
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

// Percent is the share, without decimals.
func (c Cause) Percent() string { return text.WholeShare(c.Share) }

// String is the cause in a line: "71 % queueing: tasks wait …; one slot more …".
func (c Cause) String() string {
	return fmt.Sprintf("%s %s: %s. %s.", c.Percent(), c.Cause, c.Evidence, c.RemedySentence())
}

// RemedySentence is the remedy as the begin of a sentence.
func (c Cause) RemedySentence() string { return strings.ToUpper(c.Remedy[:1]) + c.Remedy[1:] }
