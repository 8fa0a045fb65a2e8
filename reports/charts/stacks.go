package charts

import (
	"fmt"
	"math"
	"strconv"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A Stack is a total divided into parts: none, one, two, …
type Stack struct {
	Name  string
	Parts []float64 // shares of the total. Values that cannot be drawn count as 0
}

// Stacks draws a row of parts for each stack, the first on top. Each part shows its name, returned
// by part, and its share if they fit.
func Stacks(title, label string, stacks []Stack, part func(i int) string) (*Chart, error) {
	rows := stackRows{part: part, value: func(v float64) string {
		return Count(math.Round(1000*v)/10) + " %"
	}}
	return rows.draw(title, label, stacks, true,
		linearTicks{func(v float64) string { return Count(100*v) + " %" }, 5})
}

// Lengths is like Stacks, with parts in seconds, which add up to the length of the row.
func Lengths(title, label string, stacks []Stack, part func(i int) string) (*Chart, error) {
	return stackRows{part: part, value: roundSeconds}.draw(title, label, stacks, false,
		linearTicks{Seconds, 5})
}

func roundSeconds(v float64) string {
	v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', 3, 64), 64)
	return Seconds(v)
}

func (s stackRows) draw(
	title, label string, stacks []Stack, shares bool, ticks linearTicks,
) (*Chart, error) {
	most := 0.0
	var notes, names []string
	for _, of := range stacks {
		parts, total := make([]float64, len(of.Parts)), 0.0
		for i, v := range of.Parts {
			if counting.shows(v) {
				parts[i] = v
				total += v
			}
		}
		if total <= 0 || total > hugest {
			notes = append(notes, of.Name+" omitted (0 or not a number)")
			continue
		}
		if shares {
			for i := range parts {
				parts[i] /= total
			}
			total = 1
		}
		most = max(most, total)
		s.rows, names = append(s.rows, Stack{of.Name, parts}), append(names, of.Name)
	}
	p := newPlot("", label, "")
	p.Add(s)
	p.X.Tick.Marker = ticks
	p.X.Min, p.X.Max = 0, most
	return namedRows(p, names, &Chart{Title: title, Notes: notes})
}

type stackRows struct {
	rows  []Stack
	part  func(int) string
	value func(float64) string
}

const stackHeight vg.Length = 19

func (s stackRows) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	style := textStyle(textSize, xfont.WeightNormal, ink)
	style.XAlign, style.YAlign = draw.XCenter, draw.YCenter
	for i, row := range s.rows {
		at, from := y(float64(i)), 0.0
		for j, long := range row.Parts {
			if long == 0 {
				continue
			}
			left, right := x(from), x(from+long)
			from += long
			text := s.value(long)
			area := box(left, at-stackHeight/2, right, at+stackHeight/2)
			fill := partTint(j).fade(partAlpha)
			group(&c, nil, "pb-pt", fmt.Sprintf("%s\n%s  %s", row.Name, s.part(j), text), func() {
				c.FillPolygon(paper, area)
				c.FillPolygon(fill, area)
				c.StrokeLines(draw.LineStyle{Color: partTint(j).fade(hatchAlpha), Width: 1},
					hatching(j, area[0], area[2])...)
				c.StrokeLine2(draw.LineStyle{Color: paper, Width: 1.5}, right, at-stackHeight/2,
					right, at+stackHeight/2)
			})
			for _, words := range []string{s.part(j) + ": " + text, text, s.part(j)} {
				if w := style.Width(words); w < right-left-6 {
					clear := box((left+right-w)/2-2, at-stackHeight/2, (left+right+w)/2+2,
						at+stackHeight/2)
					c.FillPolygon(paper, clear) // text on hatching is hard to read
					c.FillPolygon(fill, clear)
					c.FillText(style, vg.Point{X: (left + right) / 2, Y: at + 1}, words)
					break
				}
			}
		}
	}
}

// The opacity keeps the text readable and the hatching visible.
const (
	partAlpha            = 0.22
	hatchAlpha           = 0.6
	hatch      vg.Length = 6 // distance between lines
)

func partTint(i int) role { return palette[i%len(palette)] }

func hatching(i int, low, high vg.Point) (lines [][]vg.Point) {
	kind := (i + i/len(palette)) % 4
	if kind == 0 {
		return nil
	}
	lean := [...]vg.Length{0, 1, -1, 0}[kind] * (high.Y - low.Y)
	for x := low.X - max(lean, 0) + hatch/2; x < high.X-min(lean, 0); x += hatch {
		// from (x, low.Y) to (x+lean, high.Y), clipped to the box
		from, to := 0.0, 1.0
		for _, edge := range []vg.Length{low.X, high.X} {
			if lean == 0 {
				break
			}
			share := float64((edge - x) / lean)
			if (edge == low.X) == (lean > 0) {
				from = max(from, share)
			} else {
				to = min(to, share)
			}
		}
		if from < to {
			at := func(share float64) vg.Point {
				return vg.Point{X: x + lean*vg.Length(share),
					Y: low.Y + (high.Y-low.Y)*vg.Length(share)}
			}
			lines = append(lines, []vg.Point{at(from), at(to)})
		}
	}
	return lines
}
