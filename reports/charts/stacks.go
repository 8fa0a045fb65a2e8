package charts

import (
	"fmt"
	"math"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A Stack is a whole that is made of parts, in an order that means something: none, one, two, …
type Stack struct {
	Name  string
	Parts []float64 // shares of the whole; what cannot be drawn counts as 0
}

// Stacks draws a row for each stack, from the first at the top, the parts side by side and darker
// from each to the next. A part names itself, as part does, and its share where there is room.
// label is that of the axis of shares.
func Stacks(title, label string, stacks []Stack, part func(i int) string) (*Chart, error) {
	rows := make([]Stack, 0, len(stacks))
	var notes []string
	var names []string
	for _, s := range stacks {
		total := 0.0
		for _, v := range s.Parts {
			if counting.shows(v) {
				total += v
			}
		}
		if total <= 0 || total > hugest {
			notes = append(notes, s.Name+" left out, 0 or not a number")
			continue
		}
		shares := make([]float64, len(s.Parts))
		for i, v := range s.Parts {
			if counting.shows(v) {
				shares[i] = v / total
			}
		}
		rows = append(rows, Stack{s.Name, shares})
		names = append(names, s.Name)
	}
	p := newPlot("", label, "")
	p.Add(stackRows{rows, part})
	p.X.Tick.Marker = linearTicks{func(v float64) string { return Count(100*v) + " %" }, 5}
	p.X.Min, p.X.Max = 0, 1
	return namedRows(p, names, &Chart{Title: title, Notes: notes})
}

// stackRows draws the rows.
type stackRows struct {
	rows []Stack
	part func(int) string
}

const stackHeight vg.Length = 19

func (s stackRows) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	style := textStyle(textSize, xfont.WeightNormal, ink)
	style.XAlign, style.YAlign = draw.XCenter, draw.YCenter
	for i, row := range s.rows {
		at, from := y(float64(i)), 0.0
		for j, share := range row.Parts {
			if share == 0 {
				continue
			}
			left, right := x(from), x(from+share)
			from += share
			text := Count(math.Round(1000*share)/10) + " %"
			group(&c, nil, "pb-pt", fmt.Sprintf("%s\n%s  %s", row.Name, s.part(j), text), func() {
				// over the grid
				c.FillPolygon(paper, box(left, at-stackHeight/2, right, at+stackHeight/2))
				c.FillPolygon(palette[0].fade(shade(j, len(row.Parts))),
					box(left, at-stackHeight/2, right, at+stackHeight/2))
				c.StrokeLine2(draw.LineStyle{Color: paper, Width: 1.5}, right, at-stackHeight/2,
					right, at+stackHeight/2)
			})
			for _, words := range []string{s.part(j) + ": " + text, text, s.part(j)} {
				if style.Width(words) < right-left-6 {
					c.FillText(style, vg.Point{X: (left + right) / 2, Y: at + 1}, words)
					break
				}
			}
		}
	}
}

// shade is the strength of colour of part i of n, so that text can be read on the strongest.
func shade(i, n int) float64 {
	return 0.08 + 0.47*float64(i)/math.Max(float64(n-1), 1)
}
