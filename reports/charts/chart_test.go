package charts

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image/color"
	"image/png"
	"io"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/recorder"
)

func record(c *Chart, l Layout) (texts []string, strokes []stroke) {
	var canvas recorder.Canvas
	c.Draw(&canvas, l, true)
	var now stroke
	for _, a := range canvas.Actions {
		switch a := a.(type) {
		case *recorder.SetColor:
			now.color = a.Color
		case *recorder.SetLineWidth:
			now.width = a.Width
		case *recorder.SetLineDash:
			now.dash, now.offset = a.Dashes, a.Offsets
		case *recorder.Stroke:
			now.path = a.Path
			strokes = append(strokes, now)
		case *recorder.FillString:
			texts = append(texts, a.String)
		}
	}
	return texts, strokes
}

type stroke struct {
	color  color.Color
	width  vg.Length
	dash   []vg.Length
	offset vg.Length
	path   vg.Path
}

func sampleChart(t testing.TB) *Chart {
	t.Helper()
	c, err := Response("Response against load", Load, samplePanels())
	if err != nil {
		t.Fatal(err)
	}
	c.Subtitle = "exponential · poisson"
	return c
}

func TestResponseTexts(t *testing.T) {
	for _, layout := range []Layout{Wide, Narrow} {
		texts, _ := record(sampleChart(t), layout)
		for _, want := range []string{"Response against load", "exponential · poisson",
			"p50 response", "p99 response", "p99.9 response",
			"response time (log scale)", "offered load (share of capacity)", "10 ms", "100 ms",
			"1 s", "0.6", "serial", "exact theory"} {
			if !slices.Contains(texts, want) {
				t.Errorf("layout %d: %q is not written: %q", layout, want, texts)
			}
		}
		if all := strings.Join(texts, " "); !strings.Contains(all,
			"errgroup_limit = semaphore = worker_pool") {
			t.Errorf("layout %d: the coinciding strategies do not share a name: %q", layout, all)
		}
	}
}

func TestSharedAxisIsWrittenOnce(t *testing.T) {
	for layout, want := range map[Layout]int{Wide: 1, Narrow: 3} {
		texts, _ := record(sampleChart(t), layout)
		if got := len(slices.DeleteFunc(texts,
			func(s string) bool { return s != "100 ms" })); got != want {
			t.Errorf("layout %d: %d ticks of 100 ms, want %d", layout, got, want)
		}
	}
}

// Each of three equal series draws every third stripe, without gaps.
func TestCoincidingLinesAreStriped(t *testing.T) {
	c := sampleChart(t)
	_, strokes := record(c, Wide)
	shared := map[color.Color]bool{palette[1]: true, palette[2]: true, palette[5]: true}
	offsets := make(map[vg.Length]map[color.Color]bool)
	lines := 0
	for _, s := range strokes {
		if s.width != lineWidth || len(s.path) != len(sampleLoads) {
			continue
		}
		lines++
		if !shared[s.color] {
			if len(s.dash) != 0 {
				t.Errorf("the line of %v is dashed, though nothing lies on it", s.color)
			}
			continue
		}
		if len(s.dash) != 2 || s.dash[1] != 2*s.dash[0] {
			t.Fatalf("the line of %v has the dashes %v, want one third of it", s.color, s.dash)
		}
		stripe := s.offset / s.dash[0]
		if offsets[stripe] == nil {
			offsets[stripe] = make(map[color.Color]bool)
		}
		offsets[stripe][s.color] = true
	}
	if lines != 3*len(strategyNames) {
		t.Errorf("%d lines, want %d", lines, 3*len(strategyNames))
	}
	for _, stripe := range []vg.Length{0, 1, 2} {
		if len(offsets[stripe]) != 1 {
			t.Errorf("stripe %v is drawn in %d colours, want 1", stripe, len(offsets[stripe]))
		}
	}
}

func TestCoincidingMarkersAreNested(t *testing.T) {
	c, err := Timeline("t", 0, []Panel{{Series: []Series{
		{Name: "a", Style: 0, X: []float64{0, 1}, Y: []float64{1, 2}},
		{Name: "b", Style: 0, X: []float64{0, 1}, Y: []float64{3, 2}}}}})
	if err != nil {
		t.Fatal(err)
	}
	_, strokes := record(c, Wide)
	widths := make(map[vg.Length]bool)
	for _, s := range strokes {
		if s.color == palette[0] && s.width == 1.25 && s.path[1].Type == vg.ArcComp {
			widths[s.path[1].Radius] = true
		}
	}
	if len(widths) != 2 {
		t.Errorf("markers of radius %v, want two", widths)
	}
}

func TestTheoryIsDrawnOnceAndFirst(t *testing.T) {
	_, strokes := record(sampleChart(t), Wide)
	theory, measured := 0, 0
	for _, s := range strokes {
		switch {
		case s.width == theoryWidth && len(s.path) == len(sampleLoads):
			theory++
			if measured%len(strategyNames) != 0 {
				t.Error("theory is drawn over what was measured")
			}
		case s.width == lineWidth && len(s.path) == len(sampleLoads):
			measured++
		}
	}
	if theory != 3 {
		t.Errorf("%d lines of theory, want one in each of 3 panels: it is the same for three "+
			"strategies", theory)
	}
}

func TestGrowingPointsDoNotStretchTheAxis(t *testing.T) {
	x := []float64{0.5, 0.8, 0.9}
	c, err := Response("t", Load, []Panel{{Title: "p99", Series: []Series{
		{Name: "stable", X: x, Y: []float64{0.01, 0.02, 0.04}},
		{Name: "serial", Style: 1, X: x, Y: []float64{0.03, 50, 90},
			Growing: []bool{false, true, true}},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	if got := c.Panels[0].Y.Max; got > 0.1 {
		t.Errorf("the axis reaches to %v", got)
	}
	_, strokes := record(c, Wide)
	arrows, segments := 0, 0
	for _, s := range strokes {
		if s.color == palette[1] && s.width == 1.25 && len(s.path) == 2 &&
			s.path[0].Pos.X == s.path[1].Pos.X {
			arrows++
		}
		if s.color == palette[1] && s.width == lineWidth && len(s.path) == 2 &&
			s.path[1].Pos.X-s.path[0].Pos.X > swatchWidth {
			segments++
		}
	}
	if arrows != 2 || segments != 1 {
		t.Errorf("%d arrows and %d pieces of line, want 2 and 1", arrows, segments)
	}
}

func TestVarianceShowsZero(t *testing.T) {
	c, err := Variance("t",
		[]Panel{{Series: []Series{{Name: "a", X: []float64{0, 1, 4, 16},
			Y: []float64{1, 2, 4, 8}}}}})
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Notes) > 0 {
		t.Errorf("C² = 0 was left out: %q", c.Notes)
	}
	texts, _ := record(c, Wide)
	for _, want := range []string{"0", "1", "4", "16", "C² of the service times (log scale)"} {
		if !slices.Contains(texts, want) {
			t.Errorf("%q is not written: %q", want, texts)
		}
	}
}

func TestDistributionTicks(t *testing.T) {
	c, err := Distribution("t",
		[]Panel{{Series: []Series{{Name: "a", X: []float64{0, 0.5, 0.9, 0.99, 0.999, 0.9999, 1},
			Y: []float64{1, 2, 3, 4, 5, 6, 7}}}}})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{": 1 point of a omitted (0 or not a number)"}; !slices.Equal(c.Notes,
		want) {
		t.Errorf("notes %q, want %q: q = 1 is infinitely far", c.Notes, want)
	}
	texts, _ := record(c, Wide)
	for _, want := range []string{"0", "50", "90", "99", "99.9", "99.99"} {
		if !slices.Contains(texts, want) {
			t.Errorf("%q is not written: %q", want, texts)
		}
	}
}

func TestThroughputReferences(t *testing.T) {
	panels := []Panel{{Title: "throughput",
		Series: []Series{{Name: "a", X: []float64{100, 380}, Y: []float64{100, 380}}}}}
	for capacity, want := range map[float64]bool{400: true, 0: false, math.NaN(): false} {
		c, err := Throughput("t", capacity, panels)
		if err != nil {
			t.Fatal(err)
		}
		texts, _ := record(c, Narrow)
		if got := slices.Contains(texts, "capacity"); got != want ||
			!slices.Contains(texts, "offered") {
			t.Errorf("capacity %v: labelled %v, want %v: %q", capacity, got, want, texts)
		}
	}
}

func TestSVG(t *testing.T) {
	c := sampleChart(t)
	c.Title = `a <b> & "c"` + "\x00"
	for _, layout := range []Layout{Wide, Narrow} {
		var alone, inline bytes.Buffer
		if err := errors.Join(c.SVG(&alone, layout), c.InlineSVG(&inline, layout)); err != nil {
			t.Fatal(err)
		}
		for name, svg := range map[string]string{"alone": alone.String(),
			"inline": inline.String()} {
			if err := wellFormed(svg); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			for _, want := range []string{`viewBox="0 0 `, `role="img"`,
				`aria-label="a &lt;b&gt; &amp; &#34;c&#34;`, `data-s="1 2 5"`, `data-s="3"`,
				"load 0.8\nsemaphore  "} {
				if !strings.Contains(svg, want) {
					t.Errorf("%s: no %s", name, want)
				}
			}
			for _, bad := range []string{"NaN", "Inf", "http://www.w3.org/1999/xlink"} {
				if strings.Contains(svg, bad) {
					t.Errorf("%s holds %s", name, bad)
				}
			}
		}
		if s := inline.String(); strings.Contains(s, "<style") ||
			regexp.MustCompile(`^<svg[^>]* width=`).MatchString(s) ||
			strings.Contains(s, ">a &lt;b") {
			t.Error("the inline form brings its own style, size or title")
		}
		if s := alone.String(); !strings.Contains(s, "prefers-color-scheme:dark") ||
			!strings.Contains(s, "max-width:100%") || !strings.Contains(s, ">a &lt;b") {
			t.Error("the form on its own lacks style, size or title")
		}
	}
}

// A colour without a class would not change in dark mode.
func TestSVGColoursAllHaveClasses(t *testing.T) {
	var svg bytes.Buffer
	if err := sampleChart(t).InlineSVG(&svg, Wide); err != nil {
		t.Fatal(err)
	}
	for _, element := range regexp.MustCompile(`<(path|text|rect)[^>]*>`).FindAllString(
		svg.String(), -1) {
		if !regexp.MustCompile(`class="[fs]-`).MatchString(element) {
			t.Fatalf("no class: %s", element)
		}
	}
}

func TestSwatch(t *testing.T) {
	for style := range 40 {
		if err := wellFormed(Swatch(style)); err != nil {
			t.Errorf("style %d: %v", style, err)
		}
	}
}

func wellFormed(svg string) error {
	d := xml.NewDecoder(strings.NewReader(svg))
	for {
		if _, err := d.Token(); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
}

func TestPNG(t *testing.T) {
	var file bytes.Buffer
	if err := sampleChart(t).PNG(&file); err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(&file)
	if err != nil {
		t.Fatal(err)
	}
	colours := make(map[color.Color]bool)
	for x := range img.Bounds().Dx() {
		for y := range img.Bounds().Dy() {
			colours[img.At(x, y)] = true
		}
	}
	if w := img.Bounds().Dx(); w != 1560 || len(colours) < 8 {
		t.Errorf("%d pixels wide with %d colours, want 1560 and at least those of the series", w,
			len(colours))
	}
}

func TestManySeries(t *testing.T) {
	p := Panel{Title: "p99"}
	for i := range 40 {
		p.Series = append(p.Series, Series{Name: strings.Repeat("strategy_", 1+i%6), Style: i,
			X: []float64{1, 2}, Y: []float64{float64(i + 1), float64(i + 2)}})
	}
	c, err := Response("t", Load, []Panel{p})
	if err != nil {
		t.Fatal(err)
	}
	for _, layout := range []Layout{Wide, Narrow} {
		canvas := newSVG(c.Size(layout, true))
		c.Draw(canvas, layout, true)
		w, h := canvas.Size()
		for _, m := range regexp.MustCompile(
			`<text x="([-.\d]+)" y="([-.\d]+)"`).FindAllStringSubmatch(canvas.body.String(), -1) {
			if x, y := atof(m[1]), atof(m[2]); x < 0 || x > float64(w) || y < 0 || y > float64(h) {
				t.Fatalf("layout %d: text at %v, %v outside of %v × %v", layout, x, y, w, h)
			}
		}
	}
}
