package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/statistics"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/page/shell"
	"github.com/poolbench/poolbench/reports/results"
)

// A facet compares one metric of a column of a row with the row's base.
type facet struct {
	table  *Table
	row    *Row
	column int
}

func (c *Comparison) facets(yield func(facet) bool) {
	for i := range c.Tables {
		t := &c.Tables[i]
		for j := range t.Rows {
			for column, cell := range t.Rows[j].Cells {
				if cell != nil && cell.Versus != nil && !yield(facet{t, &t.Rows[j], column}) {
					return
				}
			}
		}
	}
}

func (f facet) cell() *Cell { return f.row.Cells[f.column] }
func (f facet) base() *Cell { return f.row.Cells[f.row.Base] }

func (f facet) word() string {
	if word := f.table.Change(f.row, f.column); word != invalid && !f.unseen() {
		return word
	}
	return ""
}

var words = []string{"worse", "better", "differs"}

func (f facet) order() int {
	if at := slices.Index(words, f.word()); at >= 0 {
		return at
	}
	return len(words)
}

func (f facet) loss() bool { return slices.Contains(losses, f.table.Unit) }

func (f facet) doubt() *results.DoubtfulCell { return f.base().doubted.Worse(f.cell().doubted) }

func (f facet) judged() bool { return f.doubt().Mark() != invalid }

func (f facet) marked(word string) string {
	if mark := f.doubt().Mark(); mark != word {
		return strings.Trim(word+", "+mark, ", ")
	}
	return word
}

// A difference may be smaller than the displayed digits, as in the throughput of an open loop.
func (f facet) unseen() bool {
	const smallest = 0.00005
	p := f.cell().paired
	return p != nil && p.Ratios && !p.Equal && math.Abs(p.Mid-1) < smallest
}

func (f facet) equal() bool {
	if p := f.cell().paired; p != nil {
		return p.Equal
	}
	a, b := f.base().Sample.Values, f.cell().Sample.Values
	return constant(a) && constant(b) && a[0] == b[0]
}

// Exact and equal values need no test.
func (f facet) known() bool {
	return f.judged() && (f.equal() || f.table.Exact || !math.IsNaN(f.cell().p()) &&
		(f.cell().paired != nil || len(f.cell().Versus.Warnings) == 0))
}

func (f facet) values() (base, now string) {
	return f.base().runs.Show(f.table.Unit), f.cell().runs.Show(f.table.Unit)
}

// Uncertain values have no interval, since few runs may agree by chance.
func (f facet) withInterval(c *Cell) string {
	value := c.runs.Show(f.table.Unit)
	if _, uncertain := c.runs.Uncertain(f.table.Unit); uncertain ||
		math.IsInf(c.Summary.Lo, 0) || math.IsInf(c.Summary.Hi, 0) {
		return value
	}
	return value + " ± " + c.Summary.PctRangeString()
}

// ratio returns the mean of the pairs, or the ratio of the centres.
func (f facet) ratio() float64 {
	if p := f.cell().paired; p != nil && p.Ratios {
		return p.Mid
	}
	return statistics.Ratio(f.base().Summary.Center, f.cell().Summary.Center)
}

// Changes of a share are in percentage points.
func (f facet) share() bool { return text.KindOf(f.table.Unit) == text.Shares }

// change returns, for example, "+26.3 %", "×12.5", "+0.27 pp" or "same".
func (f facet) change() string {
	p := f.cell().paired
	switch {
	case f.equal():
		return "same"
	case p != nil && !p.Ratios:
		return f.difference(p.Mid)
	case f.share() || f.base().Summary.Center == 0:
		return f.difference(f.cell().Summary.Center - f.base().Summary.Center)
	}
	return text.Change(f.ratio())
}

func (f facet) difference(by float64) string {
	sign := "+"
	if by < 0 {
		sign = "−"
	}
	if f.share() {
		return sign + text.Percent(100*math.Abs(by)) + " pp"
	}
	return sign + text.Metric(f.table.Unit, math.Abs(by))
}

func (f facet) interval() string {
	p := f.cell().paired
	switch {
	case p == nil || p.Equal || math.IsNaN(p.Lo):
		return ""
	case p.Ratios:
		return text.Span(text.Change(p.Lo), " to ", text.Change(p.Hi))
	}
	return text.Span(f.difference(p.Lo), " to ", f.difference(p.Hi))
}

func (f facet) basis() string {
	p := f.cell().paired
	switch {
	case p == nil:
		return f.cell().Versus.String()
	case p.Equal:
		return "equal n=" + text.Count(p.N, "pair")
	case math.IsNaN(p.P):
		return "n=1 pair, not tested"
	}
	return fmt.Sprintf("p=%.3f n=%s", p.P, text.Count(p.N, "pair"))
}

func (f facet) verdict() string {
	switch {
	case !f.judged():
		return invalid
	case f.equal():
		return ""
	case !f.known():
		return "not tested"
	case f.unseen():
		return "below 0.01 %"
	}
	return cmp.Or(f.word(), "not significant")
}

func (f facet) brief() string {
	if !f.judged() {
		return invalid
	}
	if !f.equal() && f.known() && f.word() == "" {
		return "~"
	}
	return strings.ReplaceAll(strings.TrimSuffix(f.change(), " pp"), " %", "%")
}

// size is a logarithm. For a share it uses the remaining tasks.
func (f facet) size() float64 {
	a, b := f.base().Summary.Center, f.cell().Summary.Center
	if f.share() {
		return math.Abs(math.Log1p(-min(a, 0.999)) - math.Log1p(-min(b, 0.999)))
	}
	size := math.Abs(math.Log(f.ratio()))
	switch {
	case math.IsNaN(size):
		return 0
	case math.IsInf(size, 0): // a change from or to 0 has no size
		return 1
	}
	return size
}

func (f facet) metric() string {
	switch unit := f.table.Unit; {
	case unit == metric.Throughput:
		return "throughput"
	case unit == metric.Goodput:
		return "goodput"
	case f.loss():
		return strings.TrimSuffix(unit, "/op")
	}
	return shell.Metric(f.table.Unit)
}

func (f facet) inWords() string {
	if f.loss() {
		return "share of tasks " + f.metric()
	}
	return f.metric()
}

// way returns, for example, "26.3 % higher over the pairs: 66.4 ms, before 52.5 ms". name is the
// base.
func (f facet) way(name string) string {
	base, now := f.values()
	ratio := f.ratio()
	if f.share() || math.IsInf(ratio, 0) || ratio <= 0 {
		return fmt.Sprintf("%s, %s %s", now, name, base)
	}
	change, than := shell.Change(ratio), " than "
	if ratio >= 2 {
		change, than = text.Digits(ratio)+" times as high", " as "
	}
	pairs := ""
	if p := f.cell().paired; p != nil && p.N > 1 {
		pairs = " over the pairs"
	}
	if base == uncertain || now == uncertain {
		return change + than + name + pairs
	}
	return fmt.Sprintf("%s%s: %s, %s %s", change, pairs, now, name, base)
}

const uncertain = "–"
