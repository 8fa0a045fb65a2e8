package page

import (
	"math"
	"slices"
	"strings"

	"github.com/poolbench/poolbench/internal/text/quantity"
	"github.com/poolbench/poolbench/reports/results"
)

// judged reports whether the file says of a cell's runs whether they may be believed.
func (c *reportCell) judged() bool {
	return slices.ContainsFunc(c.Cell, func(r *results.Run) bool {
		_, known := r.Verdict()
		return known
	})
}

// evidence makes the table of what the verdicts rest on; false where the file does not tell.
func (g *reportGroup) evidence() (reportTable, bool) {
	columns := g.shown([]column{
		{head: "p99 response", hint: "with its 95 % interval",
			unit: "p99-response-sec", value: withInterval("p99-response")},
		{head: "mean wait", hint: "with its 95 % interval", unit: "mean-wait-sec",
			value: withInterval("mean-wait")},
		{head: "effective tasks", hint: "effective sample size, in independent tasks; " +
			"tasks that met in a queue are correlated", unit: "p99-response-ess"},
		{head: "needed", unit: "needed-tasks",
			hint: "tasks that take the p99 to within 5 %"},
		{head: "saw all slots taken",
			hint: "share of the arrivals, and of the time: the same for Poisson arrivals",
			unit: "seen-full/op", value: pastaValue},
		{head: "A² of arrivals", hint: "Anderson–Darling: 3.9 or more has a chance of 1 %",
			unit: "arrivals-ad"},
		{head: "p99 lag", hint: "how late the generator itself was", unit: "p99-lag-sec"},
		{head: "p99 hiccup", unit: "p99-hiccup-sec",
			hint: "wake-up delay of an idle probe thread"},
		{head: "longest", hint: "its longest stall", unit: "max-hiccup-sec"},
		{head: "waited for CPU", hint: "share of the time in which its threads were ready",
			unit: "cpu-wait"},
		{head: "others", hint: "share of the processors' time that other programs used",
			unit: "cpu-others"},
		{head: "pressure",
			hint: "share of the time in which some thread on the machine had no processor",
			unit: "cpu-pressure"},
	})
	if !slices.ContainsFunc(g.cells, (*reportCell).judged) {
		return reportTable{}, false
	}
	t := reportTable{Caption: "Validity of these runs", Folded: true, Of: g.of(),
		Heads: []reportHead{{"verdict", "whether the results are valid"}}}
	g.fill(&t, columns, (*reportCell).verdictValue)
	if g.study >= 0 {
		t.onlyDoubted()
	}
	return t, len(t.Bodies) > 0
}

// onlyDoubted keeps the rows of scenarios that are doubted: studies have hundreds of others.
func (t *reportTable) onlyDoubted() {
	for i := range t.Bodies {
		b := &t.Bodies[i]
		b.Rows = slices.DeleteFunc(b.Rows, func(r reportRow) bool { return r.Doubt == nil })
	}
	t.Bodies = slices.DeleteFunc(t.Bodies, func(b reportBody) bool { return len(b.Rows) == 0 })
	t.Caption += ": those that are doubted"
}

func (c *reportCell) verdictValue() reportValue {
	d := c.Doubts()
	switch {
	case d != nil:
		return reportValue{d.Verdict.String(), d.Which}
	case c.judged():
		return reportValue{Text: results.Valid.String()}
	}
	return absent
}

// withInterval shows a value above its interval; a value without one is of runs that are too short
// for it.
func withInterval(name string) func(c *reportCell) reportValue {
	return func(c *reportCell) reportValue {
		if in, ok := c.Interval(name); ok {
			return reportValue{quantity.Seconds(in.Mid),
				ends(quantity.Seconds(in.Lo), quantity.Seconds(in.Hi))}
		}
		v := c.Value(name + "-sec")
		if math.IsNaN(v) {
			return absent
		}
		return reportValue{quantity.Seconds(v), "– too short"}
	}
}

// pastaValue shows what arrivals saw above what was there.
func pastaValue(c *reportCell) reportValue {
	return reportValue{quantity.Share(c.Value("seen-full/op")), "of the time " +
		quantity.Share(c.Value("full-share"))}
}

// doubted is a cell that may not be believed, or not quite, and where it is found; or several that
// are doubted for the same.
type doubted struct {
	Where string
	*results.Doubts
	Also []string // the others of several
}

// doubted are those of the group, in the order of its tables; in names the group where that is not
// plain.
func (g *reportGroup) doubted(in string) (all []doubted) {
	for _, body := range g.bodies() {
		for _, c := range body.cells {
			if d := c.Doubts(); d != nil {
				where := c.row().Name
				for _, part := range []string{body.title, in} {
					if part != "" {
						where += ", " + part
					}
				}
				all = append(all, doubted{Where: where, Doubts: d})
			}
		}
	}
	return all
}

// alike is from how many on cells that are doubted for the same share a line: the checks' own words
// differ in their numbers only.
const alike = 4

// doubtLines lists the reasons.
func doubtLines(all []doubted) (lines []doubted) {
	same := make(map[string][]doubted)
	for _, d := range all {
		same[d.kind()] = append(same[d.kind()], d)
	}
	for _, d := range all {
		switch of := same[d.kind()]; {
		case len(of) < alike:
			lines = append(lines, d)
		case of[0].Doubts == d.Doubts:
			for _, other := range of[1:] {
				d.Also = append(d.Also, other.Where)
			}
			lines = append(lines, d)
		}
	}
	return lines
}

// kind is the verdict with the checks that led to it.
func (d doubted) kind() string {
	parts := []string{d.Verdict.String()}
	for _, w := range d.Why {
		parts = append(parts, w.Check())
	}
	return strings.Join(parts, "\x00")
}
