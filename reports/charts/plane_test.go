package charts

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func samplePlanes() []Plane {
	x := []float64{1, 2, 5, 10, 50}
	p := Plane{
		Panel: Panel{Title: "short tasks", Series: []Series{
			{Name: "worker_pool", Style: 2, X: x, Y: []float64{3.4, 4.7, 8.6, 15, 68},
				Lo: []float64{3.3, 4.6, 8.1, 14, 60}, Hi: []float64{3.5, 4.8, 9, 16, 75}},
			{Name: "segregated", Style: 1, X: x, Y: []float64{6, 6.1, 6, 6.1, 6}},
			{Name: "segregated", Style: 1, X: []float64{1, 50},
				Y: []float64{6.07, 6.07}, Theory: true},
		}},
		X:        Axis{Label: "R (log scale)", Log: true, Marks: x, Name: "R"},
		Y:        Axis{Label: "slowdown (log scale)", Log: true},
		TopLabel: "C²",
		Top:      []Mark{{1, "0"}, {2, "0.125"}, {2.05, "crowded"}, {50, "12"}, {90, "beyond"}},
		Levels:   []Level{{"the limit", 1.7}},
		Remarks: []Annotation{
			{Sign: Ring, X: 1, Y: 3.45, Text: []string{"exact at 1"}},
			{Sign: Gap, X: 50, Y: 6, To: 68, Text: []string{"tax", "×11"}},
			{Sign: Foot, X: 3.1, Y: 6.07, Text: []string{"crossover"}},
		},
	}
	return []Plane{p, p}
}

func TestPlanesTexts(t *testing.T) {
	c, err := Planes("t", samplePlanes())
	if err != nil {
		t.Fatal(err)
	}
	for _, layout := range []Layout{Wide, Narrow} {
		texts, _ := record(c, layout)
		for _, want := range []string{"R (log scale)", "slowdown (log scale)", "C²", "0.125", "12",
			"the limit", "exact at 1", "tax", "×11", "crossover", "exact theory", "worker_pool"} {
			if !slices.Contains(texts, want) {
				t.Errorf("layout %d: %q is not written: %q", layout, want, texts)
			}
		}
		for _, not := range []string{"crowded", "beyond"} {
			if slices.Contains(texts, not) {
				t.Errorf("layout %d: %q is written", layout, not)
			}
		}
	}
	var svg bytes.Buffer
	if err := c.InlineSVG(&svg, Wide); err != nil {
		t.Fatal(err)
	}
	if want := "R 50\nworker_pool  68  (60 to 75)"; !strings.Contains(svg.String(), want) {
		t.Errorf("no %q in the picture", want)
	}
}

func TestPlanesBlackAndWhite(t *testing.T) {
	c, err := Planes("t", samplePlanes()[:1])
	if err != nil {
		t.Fatal(err)
	}
	_, strokes := record(c, Wide)
	looks := map[string]int{}
	for _, s := range strokes {
		switch {
		case s.width == theoryWidth:
			looks["theory"]++
		case s.width == lineWidth:
			looks["measured"]++
		case s.width == levelStyle(0).Width && slices.Equal(s.dash, levelStyle(0).Dashes):
			looks["level"]++
		}
	}
	for _, want := range []string{"theory", "measured", "level"} {
		if looks[want] < 2 { // in the plane and in the legend
			t.Errorf("%s is drawn %d times: %v", want, looks[want], looks)
		}
	}
	for i := range 3 {
		for j := range i {
			if slices.Equal(levelStyle(i).Dashes, levelStyle(j).Dashes) {
				t.Errorf("levels %d and %d have one dash", i, j)
			}
		}
	}
}

var texts = regexp.MustCompile(`<text x="([-.\d]+)" y="([-.\d]+)"[^>]*>([^<]*)</text>`)

func TestRemarksDoNotOverlap(t *testing.T) {
	for _, layout := range []Layout{Wide, Narrow} {
		c, err := Planes("t", samplePlanes()[:1])
		if err != nil {
			t.Fatal(err)
		}
		canvas := newSVG(c.Size(layout, true))
		c.Draw(canvas, layout, true)
		type place struct{ x, y float64 }
		at := map[string]place{}
		for _, m := range texts.FindAllStringSubmatch(canvas.body.String(), -1) {
			at[m[3]] = place{atof(m[1]), atof(m[2])}
		}
		for _, words := range []string{"exact at 1", "crossover", "tax"} {
			p, ok := at[words]
			if w, h := canvas.Size(); !ok || p.x < 0 || p.x > float64(w) || p.y < 0 ||
				p.y > float64(h) {
				t.Errorf("layout %d: %q is at %v", layout, words, p)
			}
			for other, q := range at {
				if other != words && p.x == q.x && p.y == q.y {
					t.Errorf("layout %d: %q and %q are in one place", layout, words, other)
				}
			}
		}
	}
}

func TestAnyPlaneDraws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var planes []Plane
		for range rapid.IntRange(0, 2).Draw(t, "planes") {
			p := Plane{Panel: Panel{Title: rapid.String().Draw(t, "title")},
				TopLabel: rapid.SampledFrom([]string{"", "C²"}).Draw(t, "top")}
			p.X = Axis{Log: rapid.Bool().Draw(t, "log x"), Zero: rapid.Bool().Draw(t, "zero"),
				Marks: rapid.SliceOfN(extremeFloats(), 0, 3).Draw(t, "marks"),
				Reach: rapid.SliceOfN(extremeFloats(), 0, 2).Draw(t, "reach")}
			p.Y = Axis{Log: rapid.Bool().Draw(t, "log y")}
			for i := range rapid.IntRange(0, 3).Draw(t, "series") {
				n := rapid.IntRange(0, 4).Draw(t, "points")
				p.Series = append(p.Series,
					Series{Name: rapid.String().Draw(t, "name"), Style: i, Theory: i == 2,
						X: rapid.SliceOfN(extremeFloats(), n, n).Draw(t, "x"),
						Y: rapid.SliceOfN(extremeFloats(), n, n).Draw(t, "y")})
			}
			for range rapid.IntRange(0, 3).Draw(t, "remarks") {
				p.Top = append(p.Top,
					Mark{extremeFloats().Draw(t, "mark"), rapid.String().Draw(t, "mark's name")})
				p.Levels = append(p.Levels,
					Level{rapid.String().Draw(t, "level"), extremeFloats().Draw(t, "at")})
				p.Remarks = append(p.Remarks,
					Annotation{Sign: rapid.SampledFrom([]Sign{Ring, Gap, Foot}).Draw(t, "sign"),
						X: extremeFloats().Draw(t, "remark x"), Y: extremeFloats().Draw(t, "remark y"),
						To:   extremeFloats().Draw(t, "to"),
						Text: rapid.SliceOfN(rapid.String(), 0, 2).Draw(t, "text")})
			}
			planes = append(planes, p)
		}
		drawChart(t, "planes", func() (*Chart, error) { return Planes("t", planes) })
	})
}
