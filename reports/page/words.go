package page

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/poolbench/poolbench/internal/text/prose"
	"github.com/poolbench/poolbench/reports/charts"
)

// ranked is a strategy with a value.
type ranked struct {
	name  string
	value float64
}

// rank orders the cells by a metric; those without are left out.
func rank(cells []*reportCell, of func(*reportCell) float64) (out []ranked) {
	for _, c := range cells {
		if v := of(c); !math.IsNaN(v) {
			out = append(out, ranked{c.strategy, v})
		}
	}
	return sortRanked(out)
}

func sortRanked(r []ranked) []ranked {
	slices.SortStableFunc(r, func(a, b ranked) int { return cmp.Compare(a.value, b.value) })
	return r
}

func metric(unit string) func(*reportCell) float64 {
	return func(c *reportCell) float64 { return c.Value(unit) }
}

// tied names those that have a value, exactly: two of them at most, and how many more.
func tied(r []ranked, value float64) string {
	var names []string
	for _, x := range r {
		if x.value == value {
			names = append(names, x.name)
		}
	}
	if len(names) > 2 {
		return fmt.Sprintf("%s and %d others", names[0], len(names)-1)
	}
	return prose.List(names)
}

// comesTo says what each comes to, "a completes 12 % and b 20 %"; of more than mostNames + 1, the
// lowest three and the range of the others.
func comesTo(r []ranked, verb string, spell func(float64) string) string {
	shown := r
	if len(r) > mostNames+1 {
		shown = r[:3]
	}
	var parts []string
	for i, x := range shown {
		does := ""
		if i == 0 {
			does = verb + "s "
		}
		parts = append(parts, fmt.Sprintf("%s %s%s", x.name, does, spell(x.value)))
	}
	if rest := r[len(shown):]; len(rest) > 0 {
		low, high := spell(rest[0].value), spell(rest[len(rest)-1].value)
		if low != high {
			low += " to " + high
		}
		parts = append(parts, fmt.Sprintf("%d more %s", len(rest), low))
	}
	return prose.List(parts)
}

// ofSome says whom a ranking is of, where cells have strategies that it lacks: " of a and b", " of
// all but c"; "" where it is of all of them.
func ofSome(r []ranked, cells []*reportCell) string {
	var in, out []string
	for _, c := range cells {
		ranks := slices.ContainsFunc(r, func(x ranked) bool { return x.name == c.strategy })
		switch {
		case ranks && !slices.Contains(in, c.strategy):
			in = append(in, c.strategy)
		case !ranks && !slices.Contains(out, c.strategy):
			out = append(out, c.strategy)
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

func factor(f float64) string {
	if f < 1.1 {
		return fmt.Sprintf("%.1f %% apart", 100*(f-1))
	}
	return "a factor of " + digits(f)
}

// digits writes a factor: two digits where it is small, whole numbers from ten on.
func digits(f float64) string {
	if f < 9.95 {
		return fmt.Sprintf("%.1f", f)
	}
	return charts.Count(math.Round(f))
}

// percentDiff writes a relative difference with its sign.
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

// upper begins a sentence with a capital.
func upper(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

func tasks(n float64) string {
	switch n {
	case 0:
		return "no task"
	case 1:
		return "at most 1 task"
	}
	return "at most " + charts.Count(n) + " tasks"
}

// hasMetric reports whether any repetition of any cell has the metric.
func hasMetric(cells []*reportCell, unit string) bool {
	return slices.ContainsFunc(cells, func(c *reportCell) bool {
		_, ok := c.Estimate(unit)
		return ok
	})
}
