package charts

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/recorder"
)

func heatOf(panels []Panel) (*Chart, error) {
	var all []Stretch
	for _, s := range seriesOf(panels) {
		for i := range s.X {
			all = append(all, Stretch{Span: Span{s.X[i], s.X[i] + 1}, Mark: s.Y[i], Bars: []Bin{
				{Span{s.Y[i], s.Y[i]}, int64(i + 1)}, {Span{s.Y[i] / 2, s.Y[i]}, 1000}}})
		}
	}
	return Heat("t", "p99", all, nil)
}

func filled(c *Chart) map[string][]vg.Path {
	var canvas recorder.Canvas
	c.Draw(&canvas, Wide, true)
	all := map[string][]vg.Path{}
	class := ""
	for _, a := range canvas.Actions {
		switch a := a.(type) {
		case *recorder.SetColor:
			if r, ok := a.Color.(role); ok {
				class = r.class
			}
		case *recorder.Fill:
			all[class] = append(all[class], a.Path)
		}
	}
	return all
}

func TestHeat(t *testing.T) {
	at := func(from float64, mark float64, bins ...Bin) Stretch {
		return Stretch{Span: Span{from, from + 1}, Bars: bins, Mark: mark, Tip: "tip"}
	}
	bin := func(sec float64, n int64) Bin { return Bin{Span{sec, sec * 1.001}, n} }
	c, err := Heat("p99 rises", "p99 of each stretch", []Stretch{
		at(0, 0.01, bin(0.001, 900), bin(0.01, 3)),
		at(1, 0.01, bin(0.001, 900), bin(0.01, 3)),
		at(2, math.NaN(), bin(0.001, 20), bin(0.1, 0)),
		at(5, 2, bin(0.001, 900), bin(2, 1)),
	}, []Span{{3, 5}})
	if err != nil {
		t.Fatal(err)
	}
	areas := filled(c)
	var first, last vg.Rectangle
	for class, want := range map[string]int{"pb-h0": 1, "pb-h5": 3, "pb-h1": 2, "pb-h3": 1} {
		if len(areas[class]) != want {
			t.Errorf("%d columns have boxes of %s, want %d", len(areas[class]), class, want)
			continue
		}
		first, last = bounds(areas["pb-h5"][0]), bounds(areas["pb-h0"][0])
	}
	if first.Max.X >= last.Min.X || first.Max.Y >= last.Min.Y {
		t.Errorf("900 of 1 ms at 0 s are at %v, one of 2 s at 5 s at %v", first, last)
	}
	texts, strokes := record(c, Wide)
	for _, want := range []string{"p99 rises", "p99 of each stretch", "200 or more requests", "1",
		"not recorded", "time since the start, when requests were due (s)",
		"response time (log scale)"} {
		if !slices.Contains(texts, want) {
			t.Errorf("the picture does not say %q: %q", want, texts)
		}
	}
	parts := 0
	for _, s := range strokes {
		if s.color == heatMark.Color && s.width == heatMark.Width {
			parts++
		}
	}
	if parts != 3 { // includes the legend
		t.Errorf("the line has %d parts, want 2", parts-1)
	}
	var svg strings.Builder
	if err := c.SVG(&svg, Narrow); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(svg.String(), `class="pb-pt"><title>tip`); n != 4 {
		t.Errorf("%d columns say something when pointed at, want 4", n)
	}
}

func bounds(p vg.Path) (r vg.Rectangle) {
	r.Min = p[0].Pos
	for _, c := range p {
		if c.Type == vg.CloseComp {
			continue
		}
		r.Min.X, r.Min.Y = min(r.Min.X, c.Pos.X), min(r.Min.Y, c.Pos.Y)
		r.Max.X, r.Max.Y = max(r.Max.X, c.Pos.X), max(r.Max.Y, c.Pos.Y)
	}
	return r
}

func TestHeatSteps(t *testing.T) {
	for most, want := range map[int64][]int64{1: {1}, 4: {1, 2}, 60: {1, 2, 5, 10, 20, 50},
		3000: {1, 2, 10, 50, 200, 1000}} {
		if got := heatSteps(most); !slices.Equal(got, want) {
			t.Errorf("up to %d: %v, want %v", most, got, want)
		}
		h := heat{steps: want}
		for n := int64(1); n <= most; n++ {
			if k := h.step(n); n < want[k] || k+1 < len(want) && n >= want[k+1] {
				t.Fatalf("%d is in step %d of %v", n, k, want)
			}
		}
	}
}
