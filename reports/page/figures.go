package page

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/charts"
	"github.com/poolbench/poolbench/reports/page/shell"
	"github.com/poolbench/poolbench/reports/results"
)

// A figure is a chart with its text.
type figure struct {
	name    string
	chart   *charts.Chart
	caption string
	own     bool // its styles have their own meaning
}

type chartKind struct {
	name    string
	draw    func(Sweep) (*charts.Chart, error) // nil if there is nothing to draw
	caption func(Sweep, *charts.Chart) string
}

// Studies with figures of their own also have the chart of learnt limits.
const limitKind = "limit"

func (in *reportInput) kinds(g *Group) []chartKind {
	limits := chartKind{limitKind, in.limitChart, in.limitCaption}
	if !in.needsCharts(g) {
		return []chartKind{limits}
	}
	kinds := []chartKind{
		{"response", func(s Sweep) (*charts.Chart, error) {
			return responseChart(g, s)
		}, responseCaption},
		{"ranking", func(s Sweep) (*charts.Chart, error) {
			return rankingChart(g, s)
		}, rankingCaption},
		{"throughput", throughputChart, throughputCaption},
		{"distribution", in.distributionChart, in.distributionCaption},
		{"timeline", in.timelineChart, in.timelineCaption},
		limits,
	}
	if g.Study < 0 {
		kinds = append(kinds, chartKind{heatKind, in.heatChart, in.heatCaption},
			chartKind{"slowest", in.slowestChart, in.slowestCaption})
	}
	return kinds
}

func (in *reportInput) chart(
	g *Group, s Sweep,
) (out []figure, notes []string, err error) {
	some := s
	some.Cells = drawnCells(g, s)
	for _, kind := range in.kinds(g) {
		drawn := some
		if kind.name == "ranking" || kind.name == limitKind { // a row for each class; few strategies learn
			drawn = s
		}
		chart, err := kind.draw(drawn)
		if empty, ok := errors.AsType[*charts.EmptyError](err); ok {
			notes = append(notes, empty.Notes...)
			continue
		} else if err != nil {
			return nil, nil, err
		}
		if chart == nil {
			continue
		}
		f := figure{name: chartName(kind.name, g, s), chart: chart, caption: strings.ReplaceAll(
			kind.caption(s, chart), " strategy", " "+g.Varies())} // "every strategy", "no strategy"
		if left := notDrawn(g, s, drawn); left != "" && kind.name != limitKind {
			f.caption = strings.TrimSpace(f.caption + " " + left)
		}
		chart.Subtitle, chart.Alt = subtitle(g, s), chart.Title+". "+f.caption
		if kind.name == "response" { // its title is what it shows, where a rule can say it
			if a := forRules(g, s).Answer(); metric.IsOf(a.Unit, metric.Response) {
				chart.Title, chart.Subtitle = a.Headline, chart.Title+" · "+chart.Subtitle
			}
		}
		notes = append(notes, chart.Notes...)
		out = append(out, f)
	}
	return out, notes, nil
}

func subtitle(g *Group, s Sweep) string {
	parts := factsOf(g)
	if s.Fixed != "" {
		parts = append(parts, s.Fixed)
	} else if limits := limitsOf(s.Cells); len(limits) == 1 {
		parts = append(parts, Axes[charts.Limit].Place(limits[0]))
	}
	return strings.Join(parts, " · ")
}

func factsOf(g *Group) []string { return results.Words(slices.Concat(g.Keys, g.Extra)) }

// With growing, seriesOf marks strategies whose queues grow.
func seriesOf(
	cells []*Cell, unit, theory string, growing bool, x func(*Cell) float64,
) (series []charts.Series) {
	var theories []charts.Series
	known := only(cells, func(c *Cell) bool {
		return hasMetric([]*Cell{c}, unit)
	})
	for _, of := range byStrategy(known) {
		s := charts.Series{Name: of[0].Strategy, Style: of[0].Style}
		exact := s
		exact.Theory = true
		for _, c := range of {
			e, _ := c.Estimate(unit)
			s.X, s.Y = append(s.X, x(c)), append(s.Y, e.Mid)
			s.Lo, s.Hi = append(s.Lo, e.Lo), append(s.Hi, e.Hi)
			s.Growing = append(s.Growing, growing && c.FallsBehind())
			s.Doubted = append(s.Doubted, isHollow(c, unit))
			if t := c.Value(theory); theory != "" && !math.IsNaN(t) {
				exact.X, exact.Y = append(exact.X, x(c)), append(exact.Y, t)
			}
		}
		if !slices.ContainsFunc(of, (*Cell).Judged) {
			s.Doubted = nil
		}
		series = append(series, s)
		if len(exact.X) > 0 {
			theories = append(theories, exact)
		}
	}
	return append(series, theories...)
}

func drawnPercentile(s Sweep) string {
	if !hasMetric(s.Cells, metric.P99Response) {
		return "p50"
	}
	return "p99"
}

func responseChart(g *Group, s Sweep) (*charts.Chart, error) {
	if len(s.At) < 2 {
		return nil, nil // a single place has a ranking
	}
	q := drawnPercentile(s)
	unit := metric.StatisticOf(q, metric.Response)
	panel := charts.Panel{Title: q + " response", Series: seriesOf(s.Cells, unit,
		metric.Theory(unit), true, s.X)}
	return charts.Response(q+" response against "+Axes[s.Across].Word, s.Across,
		[]charts.Panel{panel}, bounds(g, unit)...)
}

const maxLines = 6

// Of many classes, drawnCells selects the largest, the best, the worst and some in between, by the
// p99 at the last place.
func drawnCells(g *Group, s Sweep) []*Cell {
	classes := forRules(g, s).Classes()
	if len(classes) <= maxLines {
		return s.Cells
	}
	last := s.CellsAt(s.At[len(s.At)-1])
	if known := slices.DeleteFunc(slices.Clone(classes), func(k shell.Class) bool {
		return !slices.ContainsFunc(last, func(c *Cell) bool {
			return c.Strategy == k.Names[0] && !math.IsNaN(c.Value(metric.P99Response))
		})
	}); len(known) >= maxLines {
		classes = known
	}
	slices.SortStableFunc(classes, func(a, b shell.Class) int {
		return cmp.Compare(p99Of(last, a.Names[0]), p99Of(last, b.Names[0]))
	})
	largest := slices.MaxFunc(classes, func(a, b shell.Class) int {
		return cmp.Compare(len(a.Names), len(b.Names))
	})
	classes = slices.DeleteFunc(classes, func(k shell.Class) bool {
		return k.Names[0] == largest.Names[0]
	})
	names := slices.Clone(largest.Names)
	for i := range maxLines - 1 {
		names = append(names, classes[i*(len(classes)-1)/(maxLines-2)].Names...)
	}
	return only(s.Cells, func(c *Cell) bool { return slices.Contains(names, c.Strategy) })
}

func notDrawn(g *Group, all, drawn Sweep) string {
	if len(drawn.Cells) == len(all.Cells) {
		return ""
	}
	return fmt.Sprintf("%d of %s are drawn, including the lowest and the highest p99. The "+
		"table contains all.", len(byStrategy(drawn.Cells)),
		text.Count(len(byStrategy(all.Cells)), g.Varies()))
}

func p99Of(cells []*Cell, strategy string) float64 {
	for _, c := range cells {
		v := c.Value(metric.P99Response)
		if c.Strategy == strategy && !c.FallsBehind() && !math.IsNaN(v) {
			return v
		}
	}
	return math.Inf(1)
}

func throughputChart(s Sweep) (*charts.Chart, error) {
	if len(s.At) < 2 || s.Across == charts.Limit {
		return nil, nil
	}
	offered := func(c *Cell) float64 {
		if v := c.Value(metric.Offered); !math.IsNaN(v) {
			return v
		}
		return c.Rate
	}
	var capacity []float64
	for _, c := range s.Cells {
		if v := offered(c) / c.Load; c.Load > 0 && !math.IsNaN(v) {
			capacity = append(capacity, v)
		}
	}
	most := 0.0
	if len(capacity) > 0 {
		slices.Sort(capacity)
		most = capacity[len(capacity)/2]
	}
	panels := []charts.Panel{
		{Title: "throughput", Series: seriesOf(s.Cells, metric.Throughput, metric.TheoryThroughput,
			false, offered)},
		{Title: "goodput", Series: seriesOf(s.Cells, metric.Goodput, "", false, offered)},
	}
	if sameGoodput(s.Cells) {
		panels = panels[:1]
		if hasMetric(s.Cells, metric.Goodput) {
			panels[0].Title = "throughput (all of it goodput)"
		}
	}
	return charts.Throughput("Throughput and goodput over the offered load", most, panels)
}

// timelinesOf omits the final zero.
func (in *reportInput) timelinesOf(s Sweep) (flight, queued charts.Panel) {
	flight.Title, queued.Title = "in flight", "queued"
	for _, c := range s.CellsAt(s.At[len(s.At)-1]) {
		rows := in.timelines[c.Cell[0]]
		if len(rows) < 2 {
			continue
		}
		if last := rows[len(rows)-1]; len(rows) > 2 && last.inFlight+last.queued == 0 {
			rows = rows[:len(rows)-1]
		}
		a := charts.Series{Name: c.Strategy, Style: c.Style, Gaps: gapsOf(rows)}
		b := a
		for _, r := range rows {
			if r.missing {
				continue
			}
			a.X, a.Y = append(a.X, r.end), append(a.Y, r.inFlight)
			b.X, b.Y = append(b.X, r.end), append(b.Y, r.queued)
		}
		flight.Series, queued.Series = append(flight.Series, a), append(queued.Series, b)
	}
	return flight, queued
}

func (in *reportInput) timelineChart(s Sweep) (*charts.Chart, error) {
	flight, queued := in.timelinesOf(s)
	if len(flight.Series) == 0 {
		return nil, nil
	}
	last := s.At[len(s.At)-1]
	title := "In flight and queued over time"
	if place := s.Place(last); place != "" {
		title += " at " + place
	}
	limit := 0.0
	if limits := limitsOf(s.CellsAt(last)); len(limits) == 1 {
		limit = limits[0]
	}
	return charts.Timeline(title, limit, []charts.Panel{flight, queued},
		stageEnds(s.CellsAt(last)[0].Cell[0].Key("arrival"))...)
}

func (in *reportInput) learntLimits(s Sweep) (p charts.Panel) {
	p.Title = "learnt limit"
	for _, c := range s.CellsAt(s.At[len(s.At)-1]) {
		rows := in.timelines[c.Cell[0]]
		line := charts.Series{Name: c.Strategy, Style: c.Style, Gaps: gapsOf(rows)}
		for _, r := range rows {
			if r.limit > 0 && !r.missing {
				line.X, line.Y = append(line.X, r.end), append(line.Y, r.limit)
			}
		}
		if len(line.X) > 1 {
			p.Series = append(p.Series, line)
		}
	}
	return p
}

func (in *reportInput) limitChart(s Sweep) (*charts.Chart, error) {
	limits := in.learntLimits(s)
	if len(limits.Series) == 0 {
		return nil, nil
	}
	last := s.At[len(s.At)-1]
	title := "Learnt limit over time"
	switch place := s.Place(last); {
	case s.Across == charts.Limit && last > 0:
		title += ", up to " + charts.Count(last)
	case place != "":
		title += " at " + place
	}
	return charts.Timeline(title, 0, []charts.Panel{limits},
		stageEnds(s.CellsAt(last)[0].Cell[0].Key("arrival"))...)
}

func chartName(kind string, g *Group, s Sweep) string {
	parts := []string{kind}
	for _, k := range g.Keys {
		switch {
		case k.Key == "target" && k.Value == "none":
		case slices.Contains([]string{"workload", "target", "arrival", "clock"}, k.Key):
			parts = append(parts, k.Value)
		default:
			parts = append(parts, k.Key, k.Value)
		}
	}
	parts = append(parts, s.Fixed)
	return charts.FileName(strings.Join(parts, "-"))
}
