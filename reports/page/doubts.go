package page

import (
	"math"
	"slices"
	"strings"

	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/results"
)

// Evidence returns the table of the evidence behind the verdicts, or nil without evidence.
func Evidence(g *Group) *Table {
	columns := shownColumns(g, []Column{
		{Head: "p99 response", Hint: "with its 95 % interval",
			Unit: metric.P99Response, Value: withInterval(metric.P99Response)},
		{Head: "mean wait", Hint: "with its 95 % interval", Unit: metric.MeanWait,
			Value: withInterval(metric.MeanWait)},
		{Head: "effective tasks", Hint: "effective sample size, in independent tasks; tasks that " +
			"wait in the same queue are correlated", Unit: metric.P99ResponseESS},
		{Head: "needed", Unit: metric.NeededTasks,
			Hint: "tasks needed for the p99 to within 5 %", format: func(v float64) string {
				if v == 0 {
					return "–" // unknown
				}
				return text.Metric(metric.NeededTasks, v)
			}},
		{Head: "arrivals that saw all slots taken",
			Hint: "share of the arrivals, and share of the time; equal for Poisson arrivals",
			Unit: metric.SeenFull, Value: pastaValue},
		{Head: "A² of arrivals", Hint: "Anderson–Darling: 3.9 or more has a chance of 1 %",
			Unit: metric.ArrivalsAD},
		{Head: "p99 lag", Hint: "lateness of the load generator itself", Unit: metric.P99Lag},
		{Head: "p99 hiccup", Unit: metric.P99Hiccup,
			Hint: "wake-up delay of an idle probe thread"},
		{Head: "longest", Hint: "its longest stall", Unit: metric.MaxHiccup},
		{Head: "waited for CPU", Hint: "share of the time in which its threads were ready",
			Unit: metric.CPUWait},
		{Head: "others", Hint: "share of the processors' time that other programs used",
			Unit: metric.CPUOthers},
		{Head: "pressure",
			Hint: "share of the time in which some thread on the machine had no processor",
			Unit: metric.CPUPressure},
	})
	if !slices.ContainsFunc(g.Cells, (*Cell).Judged) {
		return nil
	}
	t := &Table{Caption: "Validity of these runs", Folded: true, Of: g.Varies(),
		Heads: []Head{{"verdict", "whether the results are valid"}}}
	fill(g, t, columns, verdictValue)
	if g.Study >= 0 { // a study has hundreds of cells
		t.removeRows(func(r Row) bool { return r.Doubt == nil })
		t.Caption += ": doubted runs"
	}
	if len(t.Bodies) == 0 {
		return nil
	}
	return t
}

func verdictValue(c *Cell) Value {
	d := c.Doubts()
	switch {
	case d != nil:
		return Value{d.Verdict.String(), d.Which}
	case c.Judged():
		return Value{Text: results.Valid.String()}
	}
	return absent
}

// Runs that are too short give no interval.
func withInterval(unit string) func(c *Cell) Value {
	return func(c *Cell) Value {
		v := Value{Text: c.Show(unit), Below: "– too short"}
		if math.IsNaN(c.Value(unit)) {
			return absent
		}
		if in, ok := c.Interval(unit); ok {
			v.Below = text.Span(text.Seconds(in.Lo), " – ", text.Seconds(in.Hi))
		}
		return v
	}
}

// By PASTA, Poisson arrivals find every slot occupied as often as every slot is occupied over time.
func pastaValue(c *Cell) Value {
	return Value{text.Share(c.Value(metric.SeenFull)), "of the time " +
		text.Share(c.Value(metric.FullShare))}
}

type doubtedCell struct {
	Where string
	*results.Doubts
	Also []string // places of further cells
}

// Doubted returns the group's doubted cells in table order. in names the group, if needed.
func Doubted(g *Group, in string) (all []doubtedCell) {
	for _, body := range bodies(g) {
		for _, c := range body.cells {
			if d := c.Doubts(); d != nil {
				where := row(c).Name
				for _, part := range []string{body.title, in} {
					if part != "" {
						where += ", " + part
					}
				}
				all = append(all, doubtedCell{Where: where, Doubts: d})
			}
		}
	}
	return all
}

// From mergeFrom cells on, cells with equal doubts share a line.
const mergeFrom = 4

func doubtLines(all []doubtedCell) (lines []doubtedCell) {
	same := make(map[string][]doubtedCell)
	for _, d := range all {
		same[d.kind()] = append(same[d.kind()], d)
	}
	for _, d := range all {
		switch of := same[d.kind()]; {
		case len(of) < mergeFrom:
			lines = append(lines, d)
		case of[0].Doubts == d.Doubts:
			d.Also = text.Texts(of[1:], func(other doubtedCell) string { return other.Where })
			lines = append(lines, d)
		}
	}
	return lines
}

func (d doubtedCell) kind() string {
	return strings.Join(append(text.Texts(d.Why, results.Doubt.Check), d.Verdict.String()), "\x00")
}
