package charts

import (
	"encoding/binary"
	"errors"
	"io"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"
)

func atof(s string) float64 {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		panic(err)
	}
	return v
}

func extremeFloats() *rapid.Generator[float64] {
	return rapid.OneOf(
		rapid.SampledFrom([]float64{0, math.NaN(), math.Inf(1), math.Inf(-1), -1, 1e300, -1e300,
			5e-324, 1e15, 1e-15, 1, 1, 2}),
		rapid.Float64Range(0, 1), rapid.Float64Range(1e-6, 1e3), rapid.Float64())
}

func TestAnyDataDraws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var panels []Panel
		for range rapid.IntRange(0, 3).Draw(t, "panels") {
			p := Panel{Title: rapid.String().Draw(t, "title")}
			for i := range rapid.IntRange(0, 4).Draw(t, "series") {
				n := rapid.IntRange(0, 6).Draw(t, "points")
				s := Series{
					Name:  rapid.String().Draw(t, "name"),
					Style: rapid.IntRange(0, 50).Draw(t, "style"), Theory: i%3 == 2,
					X: rapid.SliceOfN(extremeFloats(), n, n).Draw(t, "x"),
					Y: rapid.SliceOfN(extremeFloats(), n, n).Draw(t, "y"),
				}
				if rapid.Bool().Draw(t, "bounds") {
					s.Lo, s.Hi = rapid.SliceOfN(extremeFloats(), n, n).Draw(t, "lo"),
						rapid.SliceOfN(extremeFloats(), n, n).Draw(t, "hi")
				}
				if rapid.Bool().Draw(t, "some grow") {
					s.Growing = rapid.SliceOfN(rapid.Bool(), n, n).Draw(t, "growing")
				}
				p.Series = append(p.Series, s)
			}
			panels = append(panels, p)
		}
		name := rapid.SampledFrom(slices.Sorted(maps.Keys(constructors()))).Draw(t, "chart")
		drawBoth(t, name, panels)
		drawChart(t, "heat", func() (*Chart, error) { return heatOf(panels) })
	})
}

func FuzzCharts(f *testing.F) {
	seed := func(values ...float64) {
		var b []byte
		for _, v := range values {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
		}
		f.Add(b)
	}
	seed(0.3, 0.01, 0.5, 0.02, 0.95, 0.4)
	seed(0, 0, math.NaN(), 1, 1, math.Inf(1), 4, 1e300, 16, 5e-324)
	seed(1, 1, 1, 1)
	f.Fuzz(func(t *testing.T, b []byte) {
		a, c := Series{Name: "a"}, Series{Name: "c", Style: 1}
		for i := 0; len(b) >= 16 && i < 64; i++ {
			s := &a
			if i%2 == 1 {
				s = &c
			}
			s.X = append(s.X, math.Float64frombits(binary.LittleEndian.Uint64(b)))
			s.Y = append(s.Y, math.Float64frombits(binary.LittleEndian.Uint64(b[8:])))
			b = b[16:]
		}
		panels := []Panel{{Title: "p99", Series: []Series{a, c}}}
		for name := range constructors() {
			drawBoth(t, name, panels)
		}
		drawChart(t, "heat", func() (*Chart, error) { return heatOf(panels) })
	})
}

type fataler interface{ Fatalf(string, ...any) }

var (
	paths   = regexp.MustCompile(` d="([^"]*)"`)
	numbers = regexp.MustCompile(`-?[\d.]+`)
)

func drawBoth(t fataler, name string, panels []Panel) {
	drawChart(t, name, func() (*Chart, error) { return constructors()[name](panels) })
}

func drawChart(t fataler, name string, chart func() (*Chart, error)) {
	c, err := chart()
	if _, empty := errors.AsType[*EmptyError](err); empty {
		return
	} else if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	for _, layout := range []Layout{Wide, Narrow} {
		canvas := newSVG(c.Size(layout, true))
		c.Draw(canvas, layout, true)
		w, h := canvas.Size()
		for _, m := range paths.FindAllStringSubmatch(canvas.content().String(), -1) {
			for _, pt := range pathPoints(m[1]) {
				if max(pt.X, -pt.X, pt.Y, -pt.Y) > 1.5*max(w, h) {
					t.Fatalf("%s, layout %d: a path leads to %v in a picture of %v × %v",
						name, layout, pt, w, h)
				}
			}
		}
		if err := wellFormed("<g>" + canvas.content().String() + "</g>"); err != nil {
			t.Fatalf("%s, layout %d: %v", name, layout, err)
		}
		if err := canvas.writeTo(io.Discard, c.alt(), true); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
}
