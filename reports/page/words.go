package page

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/charts"
)

type ranked struct {
	Name  string
	Value float64
}

func rank(cells []*Cell, of func(*Cell) float64) (out []ranked) {
	for _, c := range cells {
		if v := of(c); !math.IsNaN(v) {
			out = append(out, ranked{c.Strategy, v})
		}
	}
	return sortRanked(out)
}

func sortRanked(r []ranked) []ranked {
	slices.SortStableFunc(r, func(a, b ranked) int { return cmp.Compare(a.Value, b.Value) })
	return r
}

func tiedNames(r []ranked, value float64) string {
	var names []string
	for _, x := range r {
		if x.Value == value {
			names = append(names, x.Name)
		}
	}
	return text.Abbreviate(names)
}

// With too many values, listValues lists the lowest three and the range of the others.
func listValues(r []ranked, verb string, spell func(float64) string) string {
	shown := r
	if len(r) > maxNames+1 {
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
	return text.List(parts)
}

func rankedPart(r []ranked, cells []*Cell) string {
	var in, out []string
	for _, name := range strategiesOf(cells) {
		if slices.ContainsFunc(r, func(x ranked) bool { return x.Name == name }) {
			in = append(in, name)
		} else {
			out = append(out, name)
		}
	}
	const most = 4
	switch {
	case len(out) == 0:
		return ""
	case len(in) <= min(len(out), most):
		return " of " + text.List(in)
	case len(out) <= most:
		return " of all but " + text.List(out)
	}
	return fmt.Sprintf(" of %d of %d strategies", len(in), len(in)+len(out))
}

func factor(f float64) string {
	if f < 1.1 {
		return fmt.Sprintf("%.1f %% apart", 100*(f-1))
	}
	return "a factor of " + text.Factor(f)
}

func percentDiff(d float64) string {
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

func upper(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// Tasks describes a maximum number of tasks.
func Tasks(n float64) string {
	switch n {
	case 0:
		return "no task"
	case 1:
		return "at most 1 task"
	}
	return "at most " + charts.Count(n) + " tasks"
}

func hasMetric(cells []*Cell, unit string) bool {
	return slices.ContainsFunc(cells, func(c *Cell) bool {
		_, ok := c.Estimate(unit)
		return ok
	})
}

// A sentence lists maxNames names, or one more if that completes the list.
const maxNames = 4
