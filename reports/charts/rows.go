package charts

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// RowPanel is a panel of Rows.
type RowPanel struct {
	Title  string
	X      Axis // axis of the values
	Series []RowSeries
	Levels []Level // reference values: dashed vertical lines at x = Level.Y
}

// RowSeries contains the values of one series by row.
type RowSeries struct {
	Name   string
	Style  int        // number of the strategy, from 0
	Values []RowValue // one per row
	// Sure[i] fills the marker of Values[i]. nil: all markers are hollow
	Sure []bool
}

// A RowValue is a value and its interval. Mid is NaN without a value, Lo and Hi without an
// interval.
type RowValue struct{ Mid, Lo, Hi float64 }

// Rows draws a row for each name, the first on top, with a marker and an interval bar for each
// series. Wide has space for about five panels. Long names are wrapped once, then shortened.
func Rows(title string, rows []string, panels []RowPanel) (*Chart, error) {
	var shown []RowPanel
	var drawn []Level
	var notes []string
	for _, p := range panels {
		cleaned, n := p.clean(len(rows))
		notes = append(notes, n...)
		if len(cleaned.Series) > 0 {
			shown, drawn = append(shown, cleaned), append(drawn, cleaned.Levels...)
		}
	}
	if len(shown) == 0 {
		return nil, &EmptyError{Chart: title, Notes: notes}
	}
	c := &Chart{Title: title, Notes: notes, rows: &rowNames{names: rows}}
	known := levelNames(drawn)
	order, tracks := tracksOf(shown, len(rows))
	for _, in := range tracks {
		c.rows.tracks = max(c.rows.tracks, len(in))
	}
	for _, p := range shown {
		c.Panels = append(c.Panels, p.plot(rows, tracks, known))
	}
	for _, t := range order {
		if len(order) > 1 {
			c.legend = append(c.legend, entry{names: []string{t.name}, styles: []int{t.style}})
		}
	}
	for i, name := range known {
		c.legend = append(c.legend, entry{names: []string{name}, sample: levelStyle(i)})
	}
	return c, nil
}

func (p RowPanel) plot(rows []string, tracks [][]track, known []string) *plot.Plot {
	out := newPlot(p.Title, p.X.Label, "")
	var at []float64
	for _, s := range p.Series {
		for _, v := range s.Values {
			for _, x := range []float64{v.Mid, v.Lo, v.Hi} {
				if !math.IsNaN(x) {
					at = append(at, x)
				}
			}
		}
	}
	for _, l := range p.Levels {
		at = append(at, l.Y)
	}
	x := Plane{Panel: Panel{Series: []Series{{X: at, Y: make([]float64, len(at))}}}, X: p.X}
	lo, hi := p.X.extendRange(slices.Min(at), slices.Max(at))
	if x.X.Zero = p.X.Log && p.X.Zero && lo == 0; x.X.Zero {
		out.Add(axisBreak{})
	}
	if p.X.Log && !x.X.Zero { // keep values off the edge, as layX does for linear axes
		pad := math.Pow(hi/lo, 0.04)
		lo, hi = lo/pad, hi*pad
	}
	x.layX(out, lo, hi)
	rowAxis(out, len(rows), blankTicks{rowTicks(rows)})
	out.Add(rowMarks{p, rows, tracks, known})
	return out
}

type rowMarks struct {
	RowPanel
	rows   []string
	tracks [][]track
	known  []string // names of levels by look
}

func (r rowMarks) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	if most := slices.MaxFunc(r.tracks,
		func(a, b []track) int { return len(a) - len(b) }); len(most) > 1 {
		for i := 1; i < len(r.rows); i += 2 { // background bands for alternate rows
			c.FillPolygon(grid.fade(0.5),
				box(c.Min.X, y(float64(i)+0.5), c.Max.X, y(float64(i)-0.5)))
		}
	}
	for _, l := range r.Levels {
		c.StrokeLine2(*levelStyle(slices.Index(r.known, l.Name)), x(l.Y), c.Min.Y, x(l.Y), c.Max.Y)
	}
	for _, s := range r.Series {
		look := lookOf(s.Style)
		for i, v := range s.Values {
			if math.IsNaN(v.Mid) {
				continue
			}
			of := slices.Index(r.tracks[i], track{s.Name, s.Style})
			at := vg.Point{X: x(v.Mid), Y: y(float64(i)) +
				trackPitch*(vg.Length(len(r.tracks[i])-1)/2-vg.Length(of))}
			group(&c, []int{s.Style}, "pb-pt", r.tip(s, i), func() {
				if !math.IsNaN(v.Lo) {
					c.StrokeLine2(draw.LineStyle{Color: look.tint.fade(0.55), Width: intervalBar},
						x(v.Lo), at.Y, x(v.Hi), at.Y)
				}
				fill := paper
				if s.Sure != nil && s.Sure[i] {
					fill = look.tint
				}
				drawMarker(&c, look.marker, look.tint, fill, at, markerRadius, 1.5)
			})
		}
	}
}

const (
	intervalBar vg.Length = 2.4
	trackPitch  vg.Length = 2*markerRadius + 1.8
)

func (r rowMarks) tip(s RowSeries, i int) string {
	v, format := s.Values[i], r.X.format
	text := format(v.Mid)
	for _, before := range []string{r.X.Name, s.Name} {
		if before != "" {
			text = before + "  " + text
		}
	}
	if !math.IsNaN(v.Lo) && v.Lo != v.Hi {
		text += fmt.Sprintf("  (%s to %s)", format(v.Lo), format(v.Hi))
	}
	return r.rows[i] + "\n" + text
}

func (r rowMarks) GlyphBoxes(p *plot.Plot) (boxes []plot.GlyphBox) {
	const radius = 1.5 * markerRadius
	for _, s := range r.Series {
		for _, v := range s.Values {
			if !math.IsNaN(v.Mid) {
				boxes = append(boxes,
					plot.GlyphBox{X: p.X.Norm(v.Mid), Y: 0.5,
						Rectangle: vg.Rectangle{Min: vg.Point{X: -radius},
							Max: vg.Point{X: radius}}})
			}
		}
	}
	return boxes
}
