package shell

import (
	"fmt"
	"slices"
	"strings"

	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/text"
)

const maxBars = 5

func (s Sweep) facts(a Answer) []Fact {
	c := s.contest(a.X, a.Unit)
	if len(c.in) == 0 {
		return nil
	}
	return slices.DeleteFunc([]Fact{s.ranking(c), s.ties(c), s.costs(c)}, func(f Fact) bool {
		return f.Text == "" && len(f.Bars) == 0
	})
}

func (s Sweep) ranking(c contest) Fact {
	f := Fact{Title: Metric(c.unit)}
	switch c.unit {
	case throughput:
		f.Title = "completed"
	case goodput:
		f.Title = "completed in time"
	}
	f.Title += atPlace(s.Place(c.x))
	most := 0.0
	for _, k := range c.in {
		most = max(most, k.value)
	}
	for _, k := range c.in {
		b := Bar{Label: k.withLosses(), Value: c.formatValue(k), Style: s.Style(k.Names[0])}
		if most > 0 {
			b.Share = k.value / most
		}
		f.Bars = append(f.Bars, b)
	}
	for _, k := range c.growing {
		f.Bars = append(f.Bars, Bar{Label: k.String(), Value: "growing", Share: 1,
			Style: s.Style(k.Names[0])})
	}
	if len(f.Bars) < 2 { // the headline contains its value
		return Fact{}
	}
	if more := len(f.Bars) - maxBars; more > 1 {
		f.Bars = append(f.Bars[:maxBars-1:maxBars-1], f.Bars[len(f.Bars)-1])
		f.Text = fmt.Sprintf("%d classes in between are not shown.", more)
	}
	return f
}

func (s Sweep) ties(c contest) Fact {
	var str []string
	if ties := names(c.ties()); len(ties) > 0 {
		str = append(str, fmt.Sprintf("%s %s not significantly different from %s.",
			text.List(text.Truncate(ties, 4)), isAre(len(ties)), c.in[0].Class))
	}
	if x, lo, hi, ok := s.noDifferenceUpTo(); ok {
		str = append(str, fmt.Sprintf("Up to %s they do not differ: the p99 response is %s.",
			s.Place(x), rangeText(text.Seconds(lo), text.Seconds(hi))))
	}
	for _, class := range s.Classes() {
		if n := len(class.Names); n > 1 && len(str) < 3 {
			str = append(str, fmt.Sprintf("%s have identical results.",
				text.List(text.Truncate(class.Names, 4))))
		}
	}
	if len(str) == 0 && len(c.in) > 1 {
		str = append(str, fmt.Sprintf("No %s ties with %s.", s.Of, c.in[0].Class))
	}
	return Fact{Title: "Ties", Text: strings.Join(str, " ")}
}

// noDifferenceUpTo returns the highest place up to which the p99 values of all bounded strategies
// differ by at most a tenth, without losses.
func (s Sweep) noDifferenceUpTo() (x, low, high float64, ok bool) {
	for _, at := range s.places() {
		c := s.contest(at, metric.P99Response)
		if len(c.growing) > 0 || len(c.in) < 2 || c.in[len(c.in)-1].value > 1.1*c.in[0].value ||
			c.lossSummary() != "" {
			break
		}
		if !ok {
			low, high = c.in[0].value, c.in[len(c.in)-1].value
		}
		x, ok = at, true
		low, high = min(low, c.in[0].value), max(high, c.in[len(c.in)-1].value)
	}
	return x, low, high, ok && s.Place(x) != ""
}

func (s Sweep) costs(c contest) Fact {
	best := c.in[0]
	var lost []string
	for _, k := range best.cases {
		if loss := k.LossWords(); loss != "" {
			lost = append(lost, loss+atPlace(s.Place(k.X)))
		}
	}
	var str []string
	switch n := len(lost); {
	case n > 2:
		str = append(str, fmt.Sprintf("With %s %s, and %s.", best.Class, lost[0], lost[n-1]))
	case n > 0:
		str = append(str, fmt.Sprintf("With %s %s.", best.Class, text.List(lost)))
	case c.unit == goodput:
		if _, ok := best.Estimate(metric.P99Response); ok {
			str = append(str, fmt.Sprintf("It loses no task; its p99 response is %s.",
				best.ShowInWords(metric.P99Response)))
		}
	default:
		str = append(str, fmt.Sprintf("No task is lost with %s.", best.Class))
	}
	unbounded := s.unbounded()
	for _, k := range s.at(c.x) {
		if e, ok := k.Estimate(metric.PeakInFlight); ok && unbounded != nil &&
			k.Strategy == unbounded[0] {
			str = append(str, fmt.Sprintf("%s runs more at once than the limit of %s, up to %s, "+
				"and is not ranked.", k.Strategy, formatWhole(k.Limit), formatWhole(e.Hi)))
		}
	}
	return Fact{Title: "Costs", Text: strings.Join(str, " ")}
}
