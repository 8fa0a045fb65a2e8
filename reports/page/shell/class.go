package shell

import (
	"cmp"
	"math"
	"slices"

	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/results"
)

// A Class contains strategies that coincide in every point.
type Class struct {
	Names []string
	cases []Case // of its first strategy
}

func (c Class) String() string { return text.Abbreviate(c.Names) }

// Classes groups strategies in the order of their first members. Strategies that run more tasks at
// once than the limit are unranked, and never share a class with ranked ones.
func (s Sweep) Classes() (classes []Class) {
	unbounded := s.unbounded()
	for _, of := range results.Gather(s.Cases, func(c Case) string { return c.Strategy }) {
		ranked := !slices.Contains(unbounded, of[0].Strategy)
		at := slices.IndexFunc(classes, func(k Class) bool {
			return ranked != slices.Contains(unbounded, k.Names[0]) && coincide(k.cases, of)
		})
		if at < 0 {
			classes = append(classes, Class{cases: of})
			at = len(classes) - 1
		}
		classes[at].Names = append(classes[at].Names, of[0].Strategy)
	}
	return classes
}

func coincide(a, b []Case) bool {
	return slices.EqualFunc(a, b, func(a, b Case) bool {
		return a.X == b.X && a.Limit == b.Limit && a.Alike(b.Cell)
	})
}

func (c Class) at(x float64) (Case, bool) {
	i := slices.IndexFunc(c.cases, func(k Case) bool { return k.X == x })
	if i < 0 {
		return Case{}, false
	}
	return c.cases[i], true
}

type rank struct {
	Class
	Case
	value float64
}

// A contest ranks the classes at a place by a metric, the best first. Doubted classes are separate,
// as are classes with growing queues if the metric is a time. Classes without a limit or the metric
// are excluded.
type contest struct {
	unit    string
	x       float64
	in      []rank
	growing []rank
	doubted []rank
}

func (s Sweep) contest(x float64, unit string) contest {
	c, better := contest{unit: unit, x: x}, -1
	if isRate(unit) {
		better = +1
	}
	unbounded := s.unbounded()
	for _, class := range s.Classes() {
		k, ok := class.at(x)
		v := k.Value(unit)
		switch {
		case !ok:
			continue
		case !mayWin(k):
			c.doubted = append(c.doubted, rank{class, k, v})
			continue
		case math.IsNaN(v), !isRate(unit) && !k.Known(unit):
			continue
		}
		if better < 0 && k.FallsBehind() { // even with more slots than the others
			c.growing = append(c.growing, rank{class, k, v})
			continue
		}
		if slices.Contains(unbounded, k.Strategy) {
			continue
		}
		c.in = append(c.in, rank{class, k, v})
	}
	slices.SortStableFunc(c.in, func(a, b rank) int {
		return -better * cmp.Compare(a.value, b.value)
	})
	return c
}

func isRate(unit string) bool { return unit == goodput || unit == throughput }

func (c contest) formatValue(s rank) string {
	if isRate(c.unit) {
		return perSecond(s.value)
	}
	return s.Show(c.unit)
}

func names(of []rank) (out []string) {
	for _, s := range of {
		out = append(out, s.Names...)
	}
	return out
}

func (c contest) ties() []rank {
	return slices.DeleteFunc(slices.Clone(c.in[min(1, len(c.in)):]), func(s rank) bool {
		return c.isSignificant(c.in[0], s)
	})
}
