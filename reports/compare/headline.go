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

// ranked contains changes for the worse, then for the better, then others, each by size.
type ranked struct {
	*Comparison
	all     []facet
	changed int            // number of significant changes, which come first
	verdict map[string]int // comparisons by verdict
	tested  int
}

func (c *Comparison) ranked() ranked {
	r := ranked{Comparison: c, verdict: map[string]int{}}
	for f := range c.facets {
		r.all = append(r.all, f)
		if r.verdict[f.verdict()]++; f.order() < len(words) {
			r.changed++
		}
		if f.known() && !f.equal() {
			r.tested++
		}
	}
	slices.SortStableFunc(r.all, func(a, b facet) int {
		return cmp.Or(cmp.Compare(a.order(), b.order()), cmp.Compare(b.size(), a.size()))
	})
	return r
}

// headline omits changes that chance explains.
func (r ranked) headline() string {
	comparisons, same := text.Count(len(r.all), "comparison"), r.verdict[""]
	var headline string
	switch {
	case len(r.all) == 0:
		return "Nothing is compared"
	case r.verdict[invalid] == len(r.all):
		headline = "No verdict: " + r.all[0].doubt().Short()
	case same == len(r.all):
		headline = "Equal: no difference in " + comparisons
		if r.identical() {
			headline += ", nor in any task, to the nanosecond"
		}
	case r.tested == 0:
		headline = r.untested()
	case r.changed == 0:
		headline = fmt.Sprintf("No significant difference in %s (p ≤ %.4g)", comparisons, r.Alpha)
		if same > 0 {
			headline += fmt.Sprintf("; %d are the same", same)
		}
	case r.byChance():
		headline = fmt.Sprintf("%s of %d tested with p ≤ %.4g, but about %.2g are expected by "+
			"chance: no reliable difference", text.Count(r.changed, "difference"), r.tested, r.Alpha,
			r.Alpha*float64(r.tested))
	default:
		headline = fmt.Sprintf("%s; of %s %s", upper(r.sentences()), comparisons,
			text.Tally(map[string]int{"worse": r.verdict["worse"], "better": r.verdict["better"],
				"different": r.verdict["differs"], "the same": same, invalid: r.verdict[invalid]},
				"worse", "better", "different", "the same", invalid))
	}
	return headline + r.doubtWords()
}

func (r ranked) facts() (facts []shell.Fact) {
	if notes := r.Notes(); len(r.all) == 0 && len(notes) > 0 {
		facts = append(facts, shell.Fact{Title: "Why", Text: notes[0]})
	}
	for order, word := range words {
		var lines []string
		for _, f := range r.all {
			if f.order() != order {
				continue
			}
			line := fmt.Sprintf("%s of %s: %s", f.inWords(), r.subject(f), f.way(r.before(f)))
			if mark := f.doubt().Mark(); mark != "" {
				line += " (" + mark + ")"
			}
			lines = append(lines, line)
		}
		if len(lines) > 0 {
			facts = append(facts, shell.Fact{Title: word,
				Text: strings.Join(text.Truncate(lines, 3), "; ") + "."})
		}
	}
	if len(r.Varying) > 0 {
		facts = append(facts, shell.Fact{Title: "Not comparable",
			Text: r.Varying[0].Describe(r.Columns) + "."})
	}
	return facts
}

func (r ranked) badges() (out []shell.Badge) {
	add := func(kind string, n int, text string) {
		if n > 0 {
			out = append(out, shell.Badge{Kind: kind, Text: fmt.Sprintf("%d %s", n, text)})
		}
	}
	for _, k := range []struct{ verdict, kind, text string }{{"worse", "bad", "worse"},
		{"better", "ok", "better"}, {"differs", "warn", "different"}} {
		if r.byChance() {
			k.kind, k.text = "", k.text+", as expected by chance"
		}
		add(k.kind, r.verdict[k.verdict], k.text)
	}
	suspect := 0
	for _, f := range r.all {
		if f.judged() && f.doubt() != nil {
			suspect++
		}
	}
	add("bad", r.verdict[invalid], "INVALID, not judged")
	add("", r.verdict["not significant"], "not significant")
	add("", r.verdict["not tested"], "not tested")
	add("", r.verdict[""], "the same")
	add("warn", suspect, "of them SUSPECT")
	add("warn", len(r.Missing), "missing")
	if n := len(r.Warnings); n > 0 {
		out = append(out, shell.Badge{Kind: "warn", Text: text.Count(n, "warning")})
	}
	return out
}

func (r ranked) doubtWords() (text string) {
	counts := map[string]int{}
	for _, f := range r.all {
		counts[f.doubt().Mark()]++
	}
	for _, mark := range []results.Verdict{results.Suspect, results.Invalid} {
		switch n := counts[mark.String()]; n {
		case 0:
		case len(r.all):
			text += fmt.Sprintf("; all come from %s runs", mark)
		default:
			text += fmt.Sprintf("; %d of them come from %s runs", n, mark)
		}
	}
	return text
}

func upper(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

func (r ranked) untested() string {
	s := fmt.Sprintf("Too few repetitions to test a difference: %s with fewer than %d samples "+
		"each", text.Count(len(r.all), "comparison"), judge.SamplesFor(r.Alpha/2))
	differ := slices.DeleteFunc(slices.Clone(r.all), func(f facet) bool {
		return f.cell().paired == nil || f.equal() || !f.judged()
	})
	if len(differ) > 0 {
		sentence, _ := r.sentence(differ, "")
		s = fmt.Sprintf("%s; only one pair each, so none of %s is tested", upper(sentence),
			text.Count(len(r.all), "comparison"))
	}
	if same := r.verdict[""]; same > 0 {
		s += fmt.Sprintf(", and %d are the same", same)
	}
	return s
}

func (c *Comparison) identical() bool {
	return len(c.Tasks) > 0 && !slices.ContainsFunc(c.Tasks, func(d TaskDifference) bool {
		return !d.identical()
	})
}

// ofFiles reports whether the columns are inputs, the earlier one first.
func (c *Comparison) ofFiles() bool {
	return len(c.ColumnKeys[0]) == 1 && c.ColumnKeys[0][0].Key == defaultCol
}

func (c *Comparison) subject(f facet) string {
	row, column := c.name(f.row.Name), c.Columns[f.column]
	switch {
	case !c.ofFiles() && c.rows == 1:
		return column
	case !c.ofFiles():
		return column + ", " + row
	case c.rows == 1:
		row, _, _ = strings.Cut(row, ", ")
	}
	if len(c.Columns) > 2 {
		row += " in " + column
	}
	return row
}

func (c *Comparison) before(f facet) string {
	base := c.Columns[f.row.Base]
	switch {
	case c.ofFiles() && len(c.Columns) > 2:
		return "in " + base
	case c.ofFiles():
		return "before"
	}
	return "with " + base
}

var preferred = []string{metric.P99Response, metric.MeanResponse, metric.Throughput,
	metric.Goodput}

// sentence describes the largest change, in the preferred metric with the same verdict, and the
// doubts on the runs, unless said contains them.
func (c *Comparison) sentence(changes []facet, said string) (text, doubts string) {
	f := changes[0]
	for _, unit := range preferred {
		i := slices.IndexFunc(changes, func(g facet) bool {
			return g.table.Unit == unit && g.word() == changes[0].word()
		})
		if i >= 0 && c.brief {
			f = changes[i]
			break
		}
	}
	text = fmt.Sprintf("the %s of %s is %s", f.inWords(), c.subject(f), f.way(c.before(f)))
	if d := f.doubt(); d != nil {
		doubts = d.Short()
	}
	if doubts != said {
		text = cmp.Or(doubts, "VALID") + ": " + text
	}
	return text, doubts
}

// sentences describes the largest change for the worse, and a larger one for the better.
func (r ranked) sentences() string {
	changed := r.all[:r.changed]
	text, doubts := r.sentence(changed, "")
	i := slices.IndexFunc(changed, func(f facet) bool { return f.word() == "better" })
	if i > 0 && r.brief && changed[i].size() > changed[0].size() {
		other, _ := r.sentence(changed[i:], doubts)
		text += "; " + other
	}
	return text
}

// byChance reports whether chance alone explains that many changes.
func (r ranked) byChance() bool { return float64(r.changed) <= r.Alpha*float64(r.tested) }
