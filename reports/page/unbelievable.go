package page

import (
	"strconv"
	"strings"

	"github.com/poolbench/poolbench/internal/text/prose"
	"github.com/poolbench/poolbench/reports/charts"
	"github.com/poolbench/poolbench/reports/results"
)

// unbelievable lists the runs that broke a law, and those that are INVALID for another reason, with
// the number of laws and with the reasons. Of repetitions with the same in common, one stands for
// all.
func unbelievable(runs []results.Run) (broken, invalids []results.Pair) {
	type trouble struct {
		name, what string
		text       string // of the first repetition
		repeated   []string
	}
	var found [2][]*trouble
	note := func(kind int, run *results.Run, what, text string) {
		for _, t := range found[kind] {
			if t.name == run.Name && t.what == what {
				t.repeated = append(t.repeated, strconv.Itoa(run.Repetition+1))
				return
			}
		}
		found[kind] = append(found[kind],
			&trouble{run.Name, what, text, []string{strconv.Itoa(run.Repetition + 1)}})
	}
	for i := range runs {
		run := &runs[i]
		if v, ok := run.Value(results.BrokenLaws); ok && v > 0 {
			note(0, run, charts.Count(v), charts.Count(v)+" broken")
		} else if v, _ := run.Verdict(); v == results.Invalid {
			var checks, why []string
			for _, d := range run.Doubts {
				if check, _, _ := strings.Cut(d.Text, ":"); d.Invalid {
					checks, why = append(checks, check), append(why, d.Text)
				}
			}
			note(1, run, strings.Join(checks, "; "), strings.Join(why, "; "))
		}
	}
	for kind, out := range []*[]results.Pair{&broken, &invalids} {
		for _, t := range found[kind] {
			which := "repetition "
			if len(t.repeated) > 1 {
				which = "repetitions "
			}
			*out = append(*out, results.Pair{Key: t.name + ", " + which + prose.List(t.repeated),
				Value: t.text})
		}
	}
	return broken, invalids
}
