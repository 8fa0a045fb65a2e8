package compare

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/poolbench/poolbench/internal/gate/judge"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/page/shell"
	"github.com/poolbench/poolbench/reports/results"
)

// found returns the largest change for the worse, or else for the better, of the at changes.
// Changes that chance explains are not reported.
func (c *Comparison) found(all []change, at int) (a shell.Answer) {
	counts := make(map[string]int)
	tested := 0
	for _, row := range all {
		switch {
		case !row.judged():
			counts[invalid]++
		case row.equal():
			counts["the same"]++
		case row.known():
			tested++
			counts[strings.ReplaceAll(row.Word, "differs", "different")]++
		}
	}
	comparisons := text.Count(len(all), "comparison")
	switch same := counts["the same"]; {
	case len(all) == 0:
		a.Headline = "Nothing is compared"
		for _, note := range c.Notes() {
			a.Facts = append(a.Facts, shell.Fact{Title: "Why", Text: note})
			break
		}
	case counts[invalid] == len(all):
		a.Headline = "Nothing is judged: " + all[0].doubt().Short()
	case same == len(all):
		a.Headline = "Equal: no difference in " + comparisons
		if c.identical() {
			a.Headline += ", nor in any task, to the nanosecond"
		}
	case tested == 0:
		a.Headline = c.untested(all, same)
	case at == 0:
		a.Headline = fmt.Sprintf("No significant difference in %s (p ≤ %.4g)", comparisons, c.Alpha)
		if same > 0 {
			a.Headline += fmt.Sprintf("; %d are the same", same)
		}
	case c.byChance(at, tested):
		a.Headline = fmt.Sprintf("%s of %d tested with p ≤ %.4g, where chance alone makes about "+
			"%.2g: no reliable difference", text.Count(at, "difference"), tested, c.Alpha,
			c.Alpha*float64(tested))
	default:
		a.Headline = fmt.Sprintf("%s; of %s %s", upper(c.sentences(all[:at])), comparisons,
			text.Tally(counts, "worse", "better", "different", "the same", invalid))
	}
	a.Headline += doubtWords(all)
	for _, word := range []string{"worse", "better", "differs"} {
		var lines []string
		for _, row := range all[:at] {
			if row.Word == word {
				line := fmt.Sprintf("%s of %s: %s", row.inWords(), c.subject(row),
					row.way(c.before(row)))
				if mark := row.doubt().Mark(); mark != "" {
					line += " (" + mark + ")"
				}
				lines = append(lines, line)
			}
		}
		if len(lines) > 0 {
			a.Facts = append(a.Facts, shell.Fact{Title: word,
				Text: strings.Join(text.Few(lines, 3), "; ") + "."})
		}
	}
	if len(c.Varying) > 0 {
		a.Facts = append(a.Facts, shell.Fact{Title: "Not like with like",
			Text: c.Varying[0].Describe(c.Columns) + "."})
	}
	return a
}

func doubtWords(all []change) (text string) {
	counts := map[string]int{}
	for _, row := range all {
		counts[row.doubt().Mark()]++
	}
	for _, mark := range []results.Verdict{results.Suspect, results.Invalid} {
		switch n := counts[mark.String()]; n {
		case 0:
		case len(all):
			text += fmt.Sprintf("; all come from %s runs", mark)
		default:
			text += fmt.Sprintf("; %d of them come from %s runs", n, mark)
		}
	}
	return text
}

func upper(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// untested describes samples that are too small for a test. For pairs it reports the differences in
// these.
func (c *Comparison) untested(all []change, same int) string {
	s := fmt.Sprintf("Too few repetitions to test a difference: %s of fewer than %d samples "+
		"each", text.Count(len(all), "comparison"), judge.SamplesFor(c.Alpha/2))
	differ := slices.DeleteFunc(slices.Clone(all), func(row change) bool {
		return row.cell().paired == nil || row.equal() || !row.judged()
	})
	if len(differ) > 0 {
		sentence, _ := c.sentence(differ, "")
		s = fmt.Sprintf("%s; one pair each, so that none of %s is tested", upper(sentence),
			text.Count(len(all), "comparison"))
	}
	if same > 0 {
		s += fmt.Sprintf(", and %d are the same", same)
	}
	return s
}

// identical reports whether every compared task is the same.
func (c *Comparison) identical() bool {
	return len(c.Tasks) > 0 && !slices.ContainsFunc(c.Tasks, func(d TaskDifference) bool {
		return !d.identical()
	})
}

// ofFiles reports whether the columns are inputs, the first being the earlier.
func (c *Comparison) ofFiles() bool {
	return len(c.ColumnKeys[0]) == 1 && c.ColumnKeys[0][0].Key == defaultCol
}

func (c *Comparison) subject(row change) string {
	if c.ofFiles() {
		of := row.label
		if c.rows == 1 {
			of, _, _ = strings.Cut(of, ", ")
		}
		if len(c.Columns) > 2 {
			of += " in " + row.Column
		}
		return of
	}
	if c.rows == 1 {
		return row.Column
	}
	return row.Column + ", " + row.label
}

func (c *Comparison) before(row change) string {
	base := c.Columns[row.row.Base]
	switch {
	case c.ofFiles() && len(c.Columns) > 2:
		return "in " + base
	case c.ofFiles():
		return "before"
	}
	return "with " + base
}

// telling lists the preferred metrics of a sentence.
var telling = []string{metric.P99Response, metric.MeanResponse, metric.Throughput, metric.Goodput}

// sentence describes the largest of the sorted changes, in the preferred metric of its subject,
// after the doubts on the runs, unless said contains them.
func (c *Comparison) sentence(changes []change, said string) (text, doubts string) {
	row := changes[0]
	for _, unit := range telling {
		i := slices.IndexFunc(changes, func(k change) bool {
			return k.Unit == unit && k.Word == row.Word
		})
		if i >= 0 && c.brief {
			row = changes[i]
			break
		}
	}
	text = fmt.Sprintf("the %s of %s is %s", row.inWords(), c.subject(row),
		row.way(c.before(row)))
	if d := row.doubt(); d != nil {
		doubts = d.Short()
	}
	if doubts != said {
		text = cmp.Or(doubts, "VALID") + ": " + text
	}
	return text, doubts
}

func (c *Comparison) sentences(changes []change) string {
	text, doubts := c.sentence(changes, "")
	i := slices.IndexFunc(changes, func(k change) bool { return k.Word == "better" })
	if i > 0 && c.brief && changes[i].size() > changes[0].size() {
		other, _ := c.sentence(changes[i:], doubts)
		text += "; " + other
	}
	return text
}

// byChance reports whether chance alone explains that many changes.
func (c *Comparison) byChance(at, tested int) bool {
	return float64(at) <= c.Alpha*float64(tested)
}
