package charts

import (
	"math"
	"regexp"
	"testing"

	"gonum.org/v1/plot/vg"
	"pgregory.net/rapid"
)

func TestPathData(t *testing.T) {
	line := func(pts ...vg.Point) (p vg.Path) {
		p.Move(pts[0])
		for _, pt := range pts[1:] {
			p.Line(pt)
		}
		return p
	}
	ring, _ := circle.path(vg.Point{X: 50, Y: 40}, 5)
	quarter := vg.Path{}
	quarter.Arc(vg.Point{}, 10, 0, -math.Pi/2)
	quarter.Line(vg.Point{X: 1, Y: 1})
	closed := line(vg.Point{}, vg.Point{X: 10}, vg.Point{X: 10, Y: 10})
	closed.Close()
	closed.Line(vg.Point{X: 5})
	curve := vg.Path{}
	curve.Move(vg.Point{})
	curve.QuadTo(vg.Point{X: 1}, vg.Point{X: 2, Y: 2})
	curve.Line(vg.Point{X: 3, Y: 2})
	for want, p := range map[string]vg.Path{
		// a point on the line between its neighbours
		"M0,100H20":      line(vg.Point{}, vg.Point{X: 10}, vg.Point{X: 10.01}, vg.Point{X: 20}),
		"M10.5,90.5l5,5": line(vg.Point{X: 10.5, Y: 9.5}, vg.Point{X: 15.5, Y: 4.5}),
		// a reversal
		"M0,100H20H10": line(vg.Point{}, vg.Point{X: 20}, vg.Point{X: 10}),
		"M0,100V80L10,70": line(vg.Point{}, vg.Point{Y: 5}, vg.Point{Y: 20},
			vg.Point{X: 10, Y: 30}),
		"M0,100": line(vg.Point{}, vg.Point{}, vg.Point{}),
		"M55,60A5,5 0 0 0 45,60A5,5 0 0 0 55,60Z": ring,
		"M10,100A10,10 0 0 1 0,110L1,99":          quarter,
		"M0,100H10V90ZH5":                         closed,
		"M0,100Q1,100 2,98H3":                     curve,
		"":                                        nil,
	} {
		if got := newSVG(100, 100).data(p); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

var pathWords = regexp.MustCompile(`[A-Za-z][^A-Za-z]*`)

func pathPoints(data string) (out []vg.Point) {
	var at vg.Point
	for _, word := range pathWords.FindAllString(data, -1) {
		v := numbers.FindAllString(word[1:], -1)
		if word[0] == 'A' { // two radii and three flags precede the point
			v = v[5:]
		}
		for len(v) > 0 {
			x := vg.Length(atof(v[0]))
			switch word[0] {
			case 'H':
				at.X, v = x, v[1:]
			case 'V':
				at.Y, v = x, v[1:]
			case 'l':
				at, v = vg.Point{X: at.X + x, Y: at.Y + vg.Length(atof(v[1]))}, v[2:]
			default:
				at, v = vg.Point{X: x, Y: vg.Length(atof(v[1]))}, v[2:]
			}
			out = append(out, at)
		}
	}
	return out
}

// The path data must contain every corner in order, and no other point.
func TestPathKeepsItsCorners(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := rapid.Custom(func(t *rapid.T) vg.Point {
			return vg.Point{X: vg.Length(rapid.IntRange(0, 3).Draw(t, "x")),
				Y: vg.Length(rapid.IntRange(0, 3).Draw(t, "y"))}
		})
		all := rapid.SliceOfN(at, 1, 12).Draw(t, "points")
		var p vg.Path
		p.Move(all[0])
		for _, pt := range all[1:] {
			p.Line(pt)
		}
		var kept []vg.Point
		for _, pt := range pathPoints(newSVG(3, 3).data(p)) {
			kept = append(kept, vg.Point{X: pt.X, Y: 3 - pt.Y})
		}
		if got, want := pathLength(kept), pathLength(all); math.Abs(got-want) > 1e-9 {
			t.Fatalf("%v became %v: %v long, not %v", all, kept, got, want)
		}
		next := 0
		for _, pt := range all {
			if next < len(kept) && pt == kept[next] {
				next++
			}
		}
		if next != len(kept) {
			t.Fatalf("%v became %v, which is not in order", all, kept)
		}
	})
}

func pathLength(pts []vg.Point) (sum float64) {
	for i := 1; i < len(pts); i++ {
		sum += math.Hypot(float64(pts[i].X-pts[i-1].X), float64(pts[i].Y-pts[i-1].Y))
	}
	return sum
}
