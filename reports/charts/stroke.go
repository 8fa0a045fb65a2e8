package charts

import (
	"encoding/binary"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

func (l *lines) drawTheory(c *draw.Canvas, theory []drawn) {
	for len(theory) > 0 {
		first := theory[0]
		styles := []int{first.Style}
		rest := theory[:0:0]
		for _, d := range theory[1:] {
			if slices.Equal(d.X, first.X) && slices.Equal(d.Y, first.Y) {
				styles = append(styles, d.Style)
			} else {
				rest = append(rest, d)
			}
		}
		theory = rest
		tint := first.look.tint
		if len(styles) > 1 {
			tint = muted
		}
		group(c, styles, "pb-theory", "", func() {
			style := draw.LineStyle{Color: tint.fade(theoryAlpha), Width: theoryWidth}
			if len(first.pts) == 1 || l.dots {
				for _, pt := range first.pts {
					c.SetColor(style.Color)
					c.Fill(dot(pt, theoryWidth))
				}
				return
			}
			c.StrokeLines(style, first.pts)
		})
	}
}

func dot(at vg.Point, r vg.Length) vg.Path {
	p, _ := circle.path(at, r)
	return p
}

func drawLines(c *draw.Canvas, all []drawn) {
	on := make(map[string][]int) // indices of the series by segment
	for i, d := range all {
		for j := 1; j < len(d.pts); j++ {
			if d.interrupted(j - 1) {
				continue
			}
			k := segment(d.pts[j-1], d.pts[j])
			on[k] = append(on[k], i)
		}
	}
	for i, d := range all {
		group(c, []int{d.Style}, "", "", func() {
			var alike []segmentPaths
			for from := 0; from+1 < len(d.pts); {
				if d.interrupted(from) {
					from++
					continue
				}
				with := on[segment(d.pts[from], d.pts[from+1])]
				to := from + 1
				for to+1 < len(d.pts) && !d.interrupted(to) &&
					slices.Equal(on[segment(d.pts[to], d.pts[to+1])], with) {
					to++
				}
				style := stripeStyle(d, i, slices.Compact(slices.Clone(with)), d.pts[from:to+1])
				at := slices.IndexFunc(alike, func(o segmentPaths) bool {
					return slices.Equal(o.style.Dashes, style.Dashes) &&
						o.style.DashOffs == style.DashOffs
				})
				if at < 0 {
					at, alike = len(alike), append(alike, segmentPaths{style: style})
				}
				alike[at].path.Move(d.pts[from])
				for _, pt := range d.pts[from+1 : to+1] {
					alike[at].path.Line(pt)
				}
				from = to
			}
			for _, s := range alike {
				c.SetLineStyle(s.style)
				c.Stroke(s.path)
			}
		})
	}
}

// Series that often coincide have hundreds of segments, so segmentPaths joins those with the same
// look.
type segmentPaths struct {
	style draw.LineStyle
	path  vg.Path
}

// Where all series coincide, each one has every len(all)-th stripe.
func stripeStyle(d drawn, i int, all []int, pts []vg.Point) draw.LineStyle {
	style := draw.LineStyle{Color: d.look.tint, Width: lineWidth, Dashes: d.look.dash}
	n := len(all)
	if n < 2 {
		return style
	}
	var length vg.Length
	for j := 1; j < len(pts); j++ {
		length += vg.Length(math.Hypot(float64(pts[j].X-pts[j-1].X), float64(pts[j].Y-pts[j-1].Y)))
	}
	size := max(min(stripe, length/vg.Length(2*n)), 1)
	style.Dashes = []vg.Length{size, size * vg.Length(n-1)}
	style.DashOffs = size * vg.Length((n-slices.Index(all, i))%n)
	return style
}

func segment(a, b vg.Point) string {
	var key []byte
	for _, v := range []vg.Length{a.X, a.Y, b.X, b.Y} {
		key = binary.AppendVarint(key, int64(math.Round(float64(v/closeBy))))
	}
	return string(key)
}
