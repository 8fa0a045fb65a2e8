package page

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/poolbench/poolbench/internal/rundir"
	"github.com/poolbench/poolbench/internal/statistics"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/charts"
	"github.com/poolbench/poolbench/reports/results"
)

type stretch struct {
	charts.Span
	responses *hdrhistogram.Histogram
}

func (s stretch) quantile(q float64) float64 {
	if n := int(s.responses.TotalCount()); q == 1 || statistics.Resolvable(q, n) {
		return float64(s.responses.ValueAtQuantile(100*q)) / 1e9
	}
	return math.NaN()
}

const heatKind = "heat"

// Writers produce at most 100 stretches per run.
const maxStretches = 400

// wantHeat selects the first repetition of the slowest cell of each sweep.
func wantHeat(groups []*Group) map[string]*results.Run {
	wanted := map[string]*results.Run{}
	for _, g := range groups {
		for _, s := range g.Sweeps() {
			if c := slowestCell(s); c != nil && g.Study < 0 {
				wanted[c.Cell[0].Tag(rundir.OverTime)] = c.Cell[0]
			}
		}
	}
	return wanted
}

func (in *reportInput) addHeat(
	r *results.Run, line rundir.Histogram, h *hdrhistogram.Histogram,
) error {
	if line.Length <= 0 || h.TotalCount() < 1 {
		return fmt.Errorf("%s: a stretch without length or tasks", line.Tag)
	}
	if len(in.heat[r]) >= maxStretches {
		return fmt.Errorf("%s: more than %d stretches", line.Tag, maxStretches)
	}
	if in.heat == nil {
		in.heat = map[*results.Run][]stretch{}
	}
	in.heat[r] = append(in.heat[r], stretch{charts.Span{From: line.Start.Seconds(),
		To: (line.Start + line.Length).Seconds()}, h})
	return nil
}

// The first of the heatQuantiles that most stretches resolve is drawn.
var heatQuantiles = []struct {
	name string
	q    float64
}{{"p99", 0.99}, {"p90", 0.9}, {"p50", 0.5}}

func drawnQuantile(all []stretch) (name string, values []float64) {
	for _, of := range heatQuantiles {
		name, values = of.name, nil
		known := 0
		for _, s := range all {
			v := s.quantile(of.q)
			if values = append(values, v); !math.IsNaN(v) {
				known++
			}
		}
		if 2*known > len(all) {
			break
		}
	}
	return name, values
}

func (in *reportInput) heatChart(s Sweep) (*charts.Chart, error) {
	c := slowestCell(s)
	if c == nil || len(in.heat[c.Cell[0]]) < 2 {
		return nil, nil
	}
	all := in.heat[c.Cell[0]]
	name, values := drawnQuantile(all)
	drawn := make([]charts.Stretch, len(all))
	for i, s := range all {
		drawn[i] = charts.Stretch{Span: s.Span, Mark: values[i],
			Tip: fmt.Sprintf("%s\n%s, %s at most", spanText(s.Span),
				text.Count(int(s.responses.TotalCount()), "request"),
				text.Seconds(s.quantile(1)))}
		if !math.IsNaN(values[i]) {
			drawn[i].Tip += ", " + name + " " + text.Seconds(values[i])
		}
		for _, bar := range s.responses.Distribution() {
			if bar.Count > 0 {
				drawn[i].Bars = append(drawn[i].Bars, charts.Bin{Count: bar.Count,
					Span: charts.Span{From: float64(bar.From) / 1e9, To: float64(bar.To) / 1e9}})
			}
		}
	}
	return charts.Heat(heatFinding(name+" of "+label(c), all, values), name+" of each stretch",
		drawn, gapsOf(in.timelines[c.Cell[0]]))
}

const rise = 2

// heatFinding reports when the quantile exceeded rise times its first quartile.
func heatFinding(what string, all []stretch, values []float64) string {
	var known []stretch
	var of []float64
	for i, v := range values {
		if !math.IsNaN(v) {
			known, of = append(known, all[i]), append(of, v)
		}
	}
	if len(of) < 4 {
		return "The response over time: " + what + " has too few requests"
	}
	usual := slices.Sorted(slices.Values(of))[(len(of)-1)/4]
	peak, at := 0.0, 0
	rises := 0
	for i, v := range of {
		if v > peak {
			peak, at = v, i
		}
		if v > rise*usual && (i == 0 || of[i-1] <= rise*usual) {
			rises++
		}
	}
	if rises == 0 {
		return fmt.Sprintf("%s stays between %s and %s", what, text.Seconds(slices.Min(of)),
			text.Seconds(peak))
	}
	from, to := at, at
	for from > 0 && of[from-1] > rise*usual {
		from--
	}
	for to < len(of)-1 && of[to+1] > rise*usual {
		to++
	}
	more := ""
	if rises > 1 {
		more = fmt.Sprintf(", the highest of %d rises", rises)
	}
	low, high := text.Seconds(usual), text.Seconds(peak)
	switch begin, end := known[from].From, known[to].To; {
	case to == len(of)-1:
		return fmt.Sprintf("%s rises from %s to %s, from %s to the end%s", what, low, high,
			text.Seconds(begin), more)
	case from == 0:
		return fmt.Sprintf("%s begins at up to %s and is %s after %s%s", what, high, low,
			text.Seconds(end), more)
	default:
		return fmt.Sprintf("%s rises from %s to %s between %s and %s%s", what, low, high,
			text.Seconds(begin), text.Seconds(end), more)
	}
}

func spanText(s charts.Span) string {
	return text.Seconds(s.From) + " to " + text.Seconds(s.To)
}

func (in *reportInput) heatCaption(s Sweep, _ *charts.Chart) string {
	c := slowestCell(s)
	all := in.heat[c.Cell[0]]
	n := 0
	for _, s := range all {
		n += int(s.responses.TotalCount())
	}
	str := fmt.Sprintf("Response times of %s of %s in the first repetition, including the "+
		"warm-up, at their due times. A column is %s.", text.Count(n, "request"), label(c),
		text.Seconds(all[0].To-all[0].From))
	lost := 0.0
	for _, v := range in.timelines[c.Cell[0]] {
		lost += v.lost
	}
	if lost > 0 {
		str += fmt.Sprintf(" %.0f more requests did not complete and are not drawn.", lost)
	}
	return str + " The table contains the numbers."
}

func (in *reportInput) heatTable(g *Group) *Table {
	if g.Study >= 0 {
		return nil
	}
	t := &Table{Caption: "Response over time", Folded: true, Of: "due"}
	t.Heads = []Head{{Text: "completed", Hint: "of the requests that were due then"}}
	for _, q := range heatTableQuantiles {
		t.Heads = append(t.Heads, Head{Text: q.name})
	}
	for _, s := range g.Sweeps() {
		c := slowestCell(s)
		if c == nil || len(in.heat[c.Cell[0]]) < 2 {
			continue
		}
		body := Body{Title: strings.TrimSpace(label(c) + " " + s.Fixed)}
		for _, s := range in.heat[c.Cell[0]] {
			row := Row{Name: spanText(s.Span), Cells: []Value{
				{Text: fmt.Sprint(s.responses.TotalCount())}}}
			for _, q := range heatTableQuantiles {
				str := "–"
				if v := s.quantile(q.q); !math.IsNaN(v) {
					str = text.Seconds(v)
				}
				row.Cells = append(row.Cells, Value{Text: str})
			}
			body.Rows = append(body.Rows, row)
		}
		t.Bodies = append(t.Bodies, body)
	}
	if t.Bodies == nil {
		return nil
	}
	t.dropEmpty(1)
	return t
}

var heatTableQuantiles = []struct {
	name string
	q    float64
}{{"p50", 0.5}, {"p90", 0.9}, {"p99", 0.99}, {"max", 1}}
