package page

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/charts"
	"github.com/poolbench/poolbench/reports/page/front"
	"github.com/poolbench/poolbench/reports/results"
)

// Limits of a page's size. With more than maxValues values, a page contains only the metrics of
// its tables and studies. At most maxDetailed scenarios, or minDetailed per page if there are
// many pages, have curves and time series.
const (
	maxValues   = 4000
	maxDetailed = 200
	minDetailed = 20
)

// Ten digits show nanoseconds up to ten seconds.
const valueDigits = 10

// maxError replaces larger errors, because JSON has no infinity.
const maxError = 1e6

// A dataMaker stores equal data once: strategies with the same service order give identical runs.
type dataMaker struct {
	front.Data
	in      *reportInput
	metrics map[string]int // by unit
	known   map[string]int // index of a stored value by its text
}

// ids are the names of the groups' sections.
func (in *reportInput) data(groups []*Group, ids []string) *front.Data {
	m := &dataMaker{in: in, metrics: make(map[string]int), known: make(map[string]int),
		Data: front.Data{Schema: front.Schema, Title: dirName(in.dir), Enough: results.Enough}}
	for _, f := range facts(in) {
		m.About = append(m.About, [2]string{f.Key, f.Value})
	}
	most := 0
	for _, g := range groups {
		for _, c := range g.Cells {
			most = max(most, len(c.Cell))
		}
	}
	m.Ranks = ranks(most)
	m.addMetrics()
	for i, g := range groups {
		if len(g.Cells) > 1 { // a chart needs two points
			m.addScenario(g, ids[i])
		}
	}
	m.addVariance(groups)
	slices.SortStableFunc(m.Scenarios, func(a, b front.Scenario) int { // the first one is shown
		return cmp.Compare(single(a.Axes), single(b.Axes))
	})
	return &m.Data
}

func single(axes []front.Axis) int {
	if len(axes) > 0 && len(axes[0].At) > 1 {
		return 0
	}
	return 1
}

// ranks returns the ranks of a median's interval by the number of values.
func ranks(most int) [][2]int {
	out := make([][2]int, most+1)
	var c results.Cell
	for n := 1; n <= most; n++ {
		c = append(c, &results.Run{Values: map[string]float64{"rank": float64(n)}})
		e, _ := c.Estimate("rank")
		out[n] = [2]int{int(e.Lo), int(e.Hi)}
	}
	return out
}

func internValue[T any](m *dataMaker, kind string, all *[]T, v T) int {
	text := kind + fmt.Sprint(v)
	at, known := m.known[text]
	if !known {
		at = len(*all)
		m.known[text], *all = at, append(*all, v)
	}
	return at
}

func (m *dataMaker) addMetrics() {
	units := text.Texts(Columns, func(c Column) string { return c.Unit })
	for _, f := range m.in.results.Findings {
		units = append(units, f.Decides...)
	}
	values := 0
	for i := range m.in.results.Runs {
		values += len(m.in.results.Runs[i].Values)
	}
	for _, u := range m.in.results.Metrics {
		if values <= maxValues || isExactQuantile(u) {
			units = append(units, u)
		}
	}
	for _, unit := range units {
		if _, known := m.metrics[unit]; known || unit == metric.Verdict ||
			!slices.Contains(m.in.results.Metrics, unit) {
			continue
		}
		m.metrics[unit] = len(m.Metrics)
		m.Metrics = append(m.Metrics, m.metric(unit))
	}
	for i := range m.Metrics {
		m.Metrics[i].Theory = -1
		if at, ok := m.metrics[metric.Theory(m.Metrics[i].Unit)]; ok {
			m.Metrics[i].Theory = at
		}
	}
}

func (m *dataMaker) metric(unit string) front.Metric {
	out := front.Metric{ID: strings.TrimSuffix(unit, metric.StatisticOf("", metric.Response)), Unit: unit,
		Label: metricLabel(unit), Kind: string(text.KindOf(unit)),
		Better:    results.Direction(m.in.results.Units.GetBetter(unit)).String(),
		Behaviour: isObservable(unit), Grows: growsWithRun(unit)}
	for _, b := range m.in.results.Objectives {
		if b.Unit == unit {
			out.Bounds = append(out.Bounds, b.Value)
		}
	}
	for _, c := range Columns {
		if c.Unit == unit && c.Value == nil {
			out.Label, out.Hint = c.Head, c.Hint
		}
	}
	return out
}

func isObservable(unit string) bool {
	return !metric.IsTheory(unit) && (metric.IsOf(unit, metric.Response) ||
		slices.Contains([]string{metric.Throughput, metric.Goodput, metric.MeanSlowdown,
			metric.Shed, metric.Throttled, metric.Failed, metric.Abandoned, metric.GaveUp,
			metric.WastedService, metric.Attempts}, unit))
}

// growsWithRun reports whether the metric depends on the length of the run if its queue grows.
func growsWithRun(unit string) bool {
	return !metric.IsTheory(unit) && (metric.IsOf(unit, metric.Response) ||
		metric.IsOf(unit, metric.Wait) || unit == metric.MeanSlowdown ||
		unit == metric.MeanBlocked)
}

func (m *dataMaker) addScenario(g *Group, id string) {
	s := front.Scenario{ID: id, Title: title(g), Facts: subjects(g), Axes: axesOf(g),
		Paired: paired(g.Cells), Study: m.in.study(g)}
	for _, d := range deadlines(g) {
		s.Deadline = d.Y
	}
	m.fill(&s, g.Cells, func(c *Cell) (at []int) {
		for _, a := range s.Axes {
			at = append(at, slices.Index(a.At, axisOf(a.Key).Of(c)))
		}
		return at
	})
}

// Each added scenario combines groups with different variances of task times.
func (m *dataMaker) addVariance(groups []*Group) {
	free := slices.DeleteFunc(slices.Clone(groups), func(g *Group) bool {
		return g.Study >= 0
	})
	for i, set := range varianceSets(free) {
		c2 := func(c *Cell) float64 { return set.c2[c] }
		s := front.Scenario{ID: fmt.Sprintf("variance-%d", i+1), Title: "C² of the task times",
			Facts: []string{set.title}, Paired: paired(set.cells), Axes: []front.Axis{{Key: "C²",
				Label: "squared coefficient of variation of the task times", Log: true,
				At: distinct(set.cells, c2)}}}
		m.fill(&s, set.cells, func(c *Cell) []int {
			return []int{slices.Index(s.Axes[0].At, c2(c))}
		})
	}
}

func (m *dataMaker) fill(s *front.Scenario, cells []*Cell, at func(*Cell) []int) {
	type key struct {
		strategy string
		source   int
	}
	keyOf := func(c *Cell) key { return key{c.Strategy, c.Source} }
	series := make(map[key]int)
	for _, of := range results.Gather(cells, keyOf) {
		at := internValue(m, "strategy", &m.Strategies, label(of[0]))
		series[keyOf(of[0])] = len(s.Series)
		s.Series = append(s.Series, front.Series{Strategy: at, Style: of[0].Style,
			Source: of[0].Source})
	}
	for _, c := range cells {
		cell := front.Cell{Series: series[keyOf(c)], At: at(c), Growing: c.FallsBehind(),
			Curve: -1, Course: -1}
		for _, r := range c.Cell {
			cell.Runs = append(cell.Runs, m.addRun(r))
		}
		if d := c.Doubts(); d != nil {
			cell.Verdict = int(d.Verdict)
			for _, why := range d.Why {
				cell.Reasons = append(cell.Reasons, internValue(m, "reason", &m.Reasons, why.Text))
			}
		}
		for i, metric := range m.Metrics {
			if share, ok := c.Uncertain(metric.Unit); ok {
				cell.Uncertain = append(cell.Uncertain, [2]float64{float64(i),
					min(rounded(share, 3), maxError)})
			}
		}
		if h := m.in.curves[c]; len(h.Sec) > 0 {
			cell.Curve = internValue(m, "curve", &m.Curves, h)
		}
		rows := m.in.timelines[c.Cell[0]]
		if _, soak := c.Cell[0].Value(metric.QuantileError); soak && len(rows) > 0 {
			rows = rows[:len(rows)-1] // the soak ended, or is still, within this interval
		}
		if course := courseOf(rows); len(course.Flight) > 1 {
			cell.Course = internValue(m, "course", &m.Courses, course)
		}
		s.Cells = append(s.Cells, cell)
	}
	m.Scenarios = append(m.Scenarios, *s)
}

func (m *dataMaker) addRun(r *results.Run) int {
	var shape []int
	values := []float64{0}
	for i, metric := range m.Metrics {
		if v, ok := r.Value(metric.Unit); ok {
			shape, values = append(shape, i), append(values, rounded(v, valueDigits))
		}
	}
	values[0] = float64(internValue(m, "shape", &m.Shapes, shape))
	return internValue(m, "run", &m.Runs, values)
}

// axesOf returns varying axes first.
func axesOf(g *Group) (out []front.Axis) {
	for across, a := range Axes {
		at := distinct(g.Cells, a.Of)
		if len(at) > 0 {
			out = append(out, front.Axis{Key: a.Word, Label: charts.XAxis(across).Label(),
				Unit: a.Unit, Log: charts.XAxis(across) == charts.Limit, At: at})
		}
	}
	slices.SortStableFunc(out, func(a, b front.Axis) int {
		return cmp.Compare(min(len(b.At), 2), min(len(a.At), 2))
	})
	return out
}

func axisOf(word string) Axis {
	i := slices.IndexFunc(Axes[:], func(a Axis) bool { return a.Word == word })
	return Axes[i]
}

func paired(cells []*Cell) bool {
	for _, c := range cells {
		for i, r := range c.Cell {
			if r.Seed == "" || len(c.Cell) != len(cells[0].Cell) ||
				r.Seed != cells[0].Cell[i].Seed {
				return false
			}
		}
	}
	return true
}

const curveStep = 0.1

func curveOf(h *hdrhistogram.Histogram) (c front.Curve) {
	if h.TotalCount() == 0 {
		return c
	}
	end := max(math.Log10(float64(h.TotalCount())/resolvable), 0)
	at := func(nines float64) {
		v := float64(h.ValueAtQuantile(100*(1-math.Pow(10, -nines)))) / 1e9
		c.Sec = append(c.Sec, rounded(v, 4))
	}
	for i := 0; float64(i)*curveStep < end; i++ {
		at(float64(i) * curveStep)
	}
	at(end)
	c.Nines = rounded(end, 4)
	return c
}

const maxIntervals = 60

// Queue and in-flight counts of a merged interval are from its end.
func courseOf(rows []interval) (c front.TimeSeries) {
	if len(rows) == 0 {
		return c
	}
	each := (len(rows) + maxIntervals - 1) / maxIntervals
	for part := range slices.Chunk(rows, each) {
		if len(part) < each {
			break // a rate over fewer intervals would not be comparable
		}
		done, lost := 0.0, 0.0
		if slices.ContainsFunc(part, func(r interval) bool { return r.missing }) {
			c.Missing = append(c.Missing, len(c.Flight))
		}
		for _, r := range part {
			done, lost = done+r.done, lost+r.lost
		}
		last := part[len(part)-1]
		c.Flight = append(c.Flight, int(last.inFlight))
		c.Queued = append(c.Queued, int(last.queued))
		c.Done, c.Lost = append(c.Done, int(done)), append(c.Lost, int(lost))
	}
	length := rows[0].length
	c.Start = rounded(rows[0].end-length, 6)
	c.Step = rounded(length*float64(each), 6)
	return c
}

func rounded(v float64, digits int) float64 {
	out, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', digits, 64), 64)
	if err != nil {
		return v
	}
	return out
}

// The detailed cells are equally many per subpage. They start from the last place, which the
// explorer shows first.
func (in *reportInput) detailedCells(groups []*Group) (cells []*Cell) {
	subpages := in.subpages(groups)
	most := maxDetailed
	if n := len(subpages); n > 1 {
		most = max(maxDetailed/n, minDetailed)
	}
	for _, q := range subpages {
		own := slices.Clone(q.groups)
		slices.SortStableFunc(own, func(a, b *Group) int {
			return cmp.Compare(single(axesOf(a)), single(axesOf(b)))
		})
		var of []*Cell
		for _, g := range own {
			some := slices.Clone(g.Cells)
			if axes := axesOf(g); single(axes) == 0 {
				x := axisOf(axes[0].Key).Of
				slices.SortStableFunc(some, func(a, b *Cell) int { return cmp.Compare(x(b), x(a)) })
			}
			of = append(of, some...)
		}
		cells = append(cells, of[:min(len(of), most)]...)
	}
	return cells
}

func isExactQuantile(unit string) bool {
	return slices.ContainsFunc(metric.Quantiles, func(q metric.Quantile) bool {
		return unit == metric.Theory(q.Unit(metric.Response))
	})
}
