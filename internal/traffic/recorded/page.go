package recorded

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/poolbench/poolbench/internal/text/prose"
	"github.com/poolbench/poolbench/internal/text/quantity"
	"github.com/poolbench/poolbench/reports/answer"
	"github.com/poolbench/poolbench/reports/charts"
	"github.com/poolbench/poolbench/reports/page/shell"
)

// pageCSS: commands and the settings of processes are long words.
const pageCSS = "#replay pre { white-space: pre-wrap } #all td { overflow-wrap: anywhere }"

// WritePage writes the description as a page for a browser. It needs nothing beside it, and loads
// nothing.
func (d *Document) WritePage(w io.Writer) (err error) {
	p := shell.Page{Title: "trace", Subtitle: d.File,
		Answer: answer.Answer{Headline: d.Headline(), Lead: d.lead(), Facts: d.facts()},
		Trust:  d.trust(), Alerts: d.alerts(),
		CSS: pageCSS}
	if p.Figure, err = d.course(); err != nil {
		return err
	}
	if err := d.addTo(&p); err != nil {
		return err
	}
	return p.Write(w)
}

// trust says how like the closest process is, and whether the file is odd.
func (d *Document) trust() (all []shell.Badge) {
	switch like := d.Resembles; {
	case like == nil:
		all = append(all, shell.Badge{Kind: "warn", Text: "too few tasks"})
	case d.process() == "" || d.swung():
		all = append(all, shell.Badge{Kind: "warn", Text: "replay it"})
	default:
		all = append(all, shell.Badge{Kind: "ok", Text: fmt.Sprintf("like %s, within a factor of %s",
			d.process(), quantity.Digits(like.Factor))})
	}
	if n := len(d.Notes); n > 0 {
		return append(all, shell.Badge{Kind: "warn", Text: prose.Count(n, "oddity")})
	}
	return append(all, shell.Badge{Kind: "ok", Text: "nothing odd"})
}

// alerts are the notes: each begins with the lines that it is about.
func (d *Document) alerts() []shell.Alert {
	if len(d.Notes) == 0 {
		return nil
	}
	a := shell.Alert{Lead: "Warnings.",
		Text: "Check these lines first:"}
	for _, note := range d.Notes {
		where, what, _ := strings.Cut(note, ": ")
		a.Items = append(a.Items, shell.Item{Key: where, Value: what})
	}
	return []shell.Alert{a}
}

// facts are what stands beside the figure.
func (d *Document) facts() (all []answer.Fact) {
	all = append(all, answer.Fact{Title: "Gaps", Text: fmt.Sprintf("mean %s, C² %s: 1 for independent "+
		"tasks, 0 for equal gaps.", quantity.Seconds(1/d.Rate), quantity.Digits(d.GapC2))})
	if t := d.Durations; t != nil {
		text := fmt.Sprintf("mean %s, longest %s, C² %s.", quantity.Seconds(t.Mean),
			quantity.Seconds(t.Max), quantity.Digits(t.C2))
		if t.P99 > 0 {
			text = fmt.Sprintf("p50 %s, p99 %s, ", quantity.Seconds(t.P50),
				quantity.Seconds(t.P99)) + text
		}
		all = append(all, answer.Fact{Title: "Durations", Text: text},
			answer.Fact{Title: "Slots", Text: fmt.Sprintf("%s are busy on average, %s in the busiest "+
				"tenth if tasks take as long there. A limit has to be above that.",
				quantity.Digits(t.Busy), quantity.Digits(d.Peak.Rate*t.Mean))})
	}
	if len(d.Classes) > 0 && d.Durations != nil {
		f := answer.Fact{Title: "Work by class"}
		for i, c := range d.Classes[:min(len(d.Classes), mostClasses)] {
			f.Bars = append(f.Bars, answer.Bar{Label: c.Name, Value: quantity.WholeShare(c.Work),
				Share: c.Work / max(d.Classes[0].Work, math.SmallestNonzeroFloat64), Style: i})
		}
		all = append(all, f)
	}
	return all
}

// addTo adds what is below the first screen.
func (d *Document) addTo(p *shell.Page) error {
	replay := d.Replay()
	p.Add(replay != nil, "replay", "Replay it",
		command(strings.Join(replay, " \\\n  "), d.Workload))
	f, err := d.burstiness()
	if err != nil {
		return err
	}
	p.Add(f != nil, "bursts", "Bursts", bursts(f))
	rows := d.Rows()[2:] // the course is drawn
	for i := range rows {
		if i > 0 && rows[i][0] == "" {
			rows[i][0] = "and"
		}
	}
	p.Add(true, "all", "All figures", known(rows))
	return nil
}

// course draws the rate over time beside that of the closest process.
func (d *Document) course() (*shell.Figure, error) {
	part := d.Span / float64(len(d.Course))
	series := func(name string, style int, counts []int) charts.Series {
		s := charts.Series{Name: name, Style: style}
		for i, n := range counts {
			s.X = append(s.X, (float64(i)+0.5)*part)
			s.Y = append(s.Y, float64(n))
		}
		return s
	}
	panel := charts.Panel{Series: []charts.Series{series("recorded", 0, d.Course)}}
	caption := fmt.Sprintf("Tasks in each 60th of the record, %s. Between the dashed lines is the "+
		"busiest tenth.", quantity.Seconds(part))
	if d.Resembles != nil {
		panel.Series = append(panel.Series, series(d.name(), 1, d.Played.Course))
		caption += " The built-in process that is closest has the same rate on average; when its " +
			"bursts come is chance."
	}
	c, err := charts.Timeline("Tasks over time", 0, []charts.Panel{panel}, d.Peak.From,
		d.Peak.From+d.Span/10)
	if err != nil {
		return nil, err
	}
	return shell.Drawn("course", caption, c, nil)
}

// name is that of the closest process, without its settings.
func (d *Document) name() string {
	name, _, _ := strings.Cut(d.Resembles.Arrival, ":")
	return name
}

// burstiness draws how the counts vary in windows of different lengths; nil where there are too few
// tasks.
func (d *Document) burstiness() (*shell.Figure, error) {
	if d.Resembles == nil {
		return nil, nil
	}
	var names []string
	recorded := charts.RowSeries{Name: "recorded"}
	played := charts.RowSeries{Name: d.name(), Style: 1}
	for i, w := range d.Dispersion {
		names = append(names, quantity.Seconds(w.Window))
		recorded.Values = append(recorded.Values, drawn(w.Index))
		other := math.NaN()
		if i < len(d.Played.Dispersion) {
			other = d.Played.Dispersion[i].Index
		}
		played.Values = append(played.Values, drawn(other))
	}
	c, err := charts.Rows("Burstiness by window", names, []charts.RowPanel{{
		X:      charts.Axis{Label: "variance of the counts ÷ mean (log scale)", Log: true},
		Levels: []charts.Level{{Name: "independent tasks", Y: 1}},
		Series: []charts.RowSeries{recorded, played}}})
	return shell.Drawn("windows", "Where it grows with the window, the rate itself goes up and "+
		"down, and queues are longer than formulas for independent tasks say. The process is "+
		d.Resembles.Arrival+".", c, err)
}

// drawn is a value on a logarithmic scale: what is nearly nothing is at its end.
func drawn(index float64) charts.RowValue {
	if index > 0 {
		index = max(index, 1e-3)
	}
	return charts.RowValue{Mid: index, Lo: math.NaN(), Hi: math.NaN()}
}
