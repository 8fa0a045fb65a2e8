package grid

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/poolbench/poolbench/internal/text/prose"
	"github.com/poolbench/poolbench/internal/text/quantity"
	"github.com/poolbench/poolbench/reports/charts"
)

// Ranked is a strategy with a value.
type Ranked struct {
	Name  string
	Value float64
}

// Rank orders the cells by a metric; those without are left out.
func Rank(cells []*Cell, of func(*Cell) float64) (out []Ranked) {
	for _, c := range cells {
		if v := of(c); !math.IsNaN(v) {
			out = append(out, Ranked{c.Strategy, v})
		}
	}
	return SortRanked(out)
}

// SortRanked puts the lowest value first.
func SortRanked(r []Ranked) []Ranked {
	slices.SortStableFunc(r, func(a, b Ranked) int { return cmp.Compare(a.Value, b.Value) })
	return r
}

// Tied names those that have a value, exactly: two of them at most, and how many more.
func Tied(r []Ranked, value float64) string {
	var names []string
	for _, x := range r {
		if x.Value == value {
			names = append(names, x.Name)
		}
	}
	return prose.Some(names)
}

// ComesTo says what each comes to, "a completes 12 % and b 20 %"; of more than MostNames + 1, the
// lowest three and the range of the others.
func ComesTo(r []Ranked, verb string, spell func(float64) string) string {
	shown := r
	if len(r) > MostNames+1 {
		shown = r[:3]
	}
	var parts []string
	for i, x := range shown {
		does := ""
		if i == 0 {
			does = verb + "s "
		}
		parts = append(parts, fmt.Sprintf("%s %s%s", x.Name, does, spell(x.Value)))
	}
	if rest := r[len(shown):]; len(rest) > 0 {
		low, high := spell(rest[0].Value), spell(rest[len(rest)-1].Value)
		if low != high {
			low += " to " + high
		}
		parts = append(parts, fmt.Sprintf("%d more %s", len(rest), low))
	}
	return prose.List(parts)
}

// OfSome says whom a ranking is of, where cells have strategies that it lacks: " of a and b", " of
// all but c"; "" where it is of all of them.
func OfSome(r []Ranked, cells []*Cell) string {
	var in, out []string
	for _, name := range StrategiesOf(cells) {
		if slices.ContainsFunc(r, func(x Ranked) bool { return x.Name == name }) {
			in = append(in, name)
		} else {
			out = append(out, name)
		}
	}
	const most = 4 // names
	switch {
	case len(out) == 0:
		return ""
	case len(in) <= min(len(out), most):
		return " of " + prose.List(in)
	case len(out) <= most:
		return " of all but " + prose.List(out)
	}
	return fmt.Sprintf(" of %d of %d strategies", len(in), len(in)+len(out))
}

// Factor says how far apart two values are, by their ratio.
func Factor(f float64) string {
	if f < 1.1 {
		return fmt.Sprintf("%.1f %% apart", 100*(f-1))
	}
	return "a factor of " + quantity.Factor(f)
}

// PercentDiff writes a relative difference with its sign.
func PercentDiff(d float64) string {
	digits := 1
	if math.Abs(d) < 0.001 {
		digits = 2
	} else if math.Abs(d) >= 0.1 {
		digits = 0
	}
	text := fmt.Sprintf("%+.*f %%", digits, 100*d)
	if strings.Trim(text, "+-0. %") == "" {
		return "0 %"
	}
	return strings.Replace(text, "-", "−", 1)
}

// Upper begins a sentence with a capital.
func Upper(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// Tasks words the most tasks that there were.
func Tasks(n float64) string {
	switch n {
	case 0:
		return "no task"
	case 1:
		return "at most 1 task"
	}
	return "at most " + charts.Count(n) + " tasks"
}

// HasMetric reports whether any repetition of any cell has the metric.
func HasMetric(cells []*Cell, unit string) bool {
	return slices.ContainsFunc(cells, func(c *Cell) bool {
		_, ok := c.Estimate(unit)
		return ok
	})
}

// MostNames is how many names a sentence lists, and one more where that is all.
const MostNames = 4
