package page

import (
	"strconv"
	"strings"

	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/charts"
	"github.com/poolbench/poolbench/reports/results"
)

// unbelievable lists equal repetitions once.
func unbelievable(runs []results.Run) (broken, invalids []results.Pair) {
	type trouble struct {
		name, what string
		broken     bool
		text       string
		repetition string
	}
	var found []trouble
	for i := range runs {
		run := &runs[i]
		t := trouble{name: run.Name, repetition: strconv.Itoa(run.Repetition + 1)}
		if v, ok := run.Value(results.BrokenLaws); ok && v > 0 {
			t.broken, t.what, t.text = true, charts.Count(v), charts.Count(v)+" broken"
			found = append(found, t)
		} else if v, _ := run.Verdict(); v == results.Invalid {
			var checks, why []string
			for _, d := range run.Doubts {
				if check, _, _ := strings.Cut(d.Text, ":"); d.Invalid {
					checks, why = append(checks, check), append(why, d.Text)
				}
			}
			t.what, t.text = strings.Join(checks, "; "), strings.Join(why, "; ")
			found = append(found, t)
		}
	}
	alike := func(t trouble) trouble {
		t.text, t.repetition = "", ""
		return t
	}
	for _, same := range results.Gather(found, alike) {
		which := "repetition "
		if len(same) > 1 {
			which = "repetitions "
		}
		numbers := text.Texts(same, func(t trouble) string { return t.repetition })
		p := results.Pair{Key: same[0].name + ", " + which + text.List(numbers),
			Value: same[0].text}
		if same[0].broken {
			broken = append(broken, p)
		} else {
			invalids = append(invalids, p)
		}
	}
	return broken, invalids
}
