package charts

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot/vg"
	"pgregory.net/rapid"
)

var absent = RowValue{math.NaN(), math.NaN(), math.NaN()}

const longRow = "segregated:short=2,long=3,spill=true,queue=unbounded,steal=always"

func sampleRows() ([]string, []RowPanel) {
	return []string{"worker_pool", longRow, "ants"}, []RowPanel{
		{Title: "p99 response", X: Axis{Label: "response (log scale)", Log: true, Format: Seconds},
			Levels: []Level{{"the limit", 0.012}, {"impossible", 0}},
			Series: []RowSeries{
				{Name: "default", Style: 0, Values: []RowValue{{0.01, 0.009, 0.013}, absent,
					{0.02, math.NaN(), math.NaN()}}},
				{
					Name:   "tuned",
					Style:  1,
					Values: []RowValue{{0.005, 0.004, 0.006}, {0.05, 0.06, 0.07}, {0, 0, 0}},
				},
			}},
		{Title: "goodput", X: Axis{Label: "share", Reach: []float64{0}, Name: "share"},
			Series: []RowSeries{{Name: "tuned", Style: 1,
				Values: []RowValue{{0.9, 0.9, 0.9}, absent, {0.5, 0.4, 0.6}}}}},
		{Title: "of nothing",
			Series: []RowSeries{
				{Name: "default", Style: 0, Values: []RowValue{absent, absent, absent}},
			}},
	}
}

func TestRowsTexts(t *testing.T) {
	rows, panels := sampleRows()
	c, err := Rows("t", rows, panels)
	if err != nil {
		t.Fatal(err)
	}
	for layout, times := range map[Layout]int{Wide: 1, Narrow: 2} {
		texts, _ := record(c, layout)
		for _, want := range []string{"p99 response", "goodput", "response (log scale)", "share",
			"10 ms", "0.4", "default", "tuned", "the limit"} {
			if !slices.Contains(texts, want) {
				t.Errorf("layout %d: %q is not written: %q", layout, want, texts)
			}
		}
		for _, not := range []string{"impossible", "of nothing"} {
			if slices.Contains(texts, not) {
				t.Errorf("layout %d: %q is written", layout, not)
			}
		}
		if got := len(slices.DeleteFunc(texts,
			func(s string) bool { return s != "worker_pool" })); got != times {
			t.Errorf("layout %d: the first row is named %d times, want %d", layout, got, times)
		}
	}
	if want := []string{
		"p99 response: 1 point of tuned omitted (0 or not a number)"}; !slices.Equal(c.Notes,
		want) {
		t.Errorf("notes %q, want %q", c.Notes, want)
	}
	var svg bytes.Buffer
	if err := c.InlineSVG(&svg, Narrow); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"<title>worker_pool\ndefault  10 ms  (9 ms to 13 ms)</title>",
		"<title>" + longRow + "\ntuned  50 ms</title>",
		"<title>ants\ntuned  share  0.5  (0.4 to 0.6)</title>"} {
		if !strings.Contains(svg.String(), want) {
			t.Errorf("no %q in the picture", want)
		}
	}
	if n := strings.Count(svg.String(), `class="pb-pt"`); n != 6 {
		t.Errorf("%d points are drawn, want 6", n)
	}
}

func TestRowsLegend(t *testing.T) {
	rows, panels := sampleRows()
	for n, want := range map[int]bool{1: false, 2: true} {
		p := panels[0]
		p.Series, p.Levels = p.Series[:n], nil
		c, err := Rows("t", rows, []RowPanel{p})
		if err != nil {
			t.Fatal(err)
		}
		if texts, _ := record(c, Wide); slices.Contains(texts, "default") != want {
			t.Errorf("of %d series, the first is named: %v, want %v", n, !want, want)
		}
	}
}

func TestRowsOrder(t *testing.T) {
	at := func(style int) RowSeries {
		return RowSeries{
			Name:   "s" + string(rune('0'+style)),
			Style:  style,
			Values: []RowValue{{1, 1, 1}, {1, 1, 1}},
		}
	}
	c, err := Rows("t", []string{"first", "second"},
		[]RowPanel{{Series: []RowSeries{at(0), at(1)}}})
	if err != nil {
		t.Fatal(err)
	}
	_, strokes := record(c, Wide)
	var heights []vg.Length // first point of each marker, by series
	shapes := map[int]bool{}
	for _, s := range strokes {
		if s.width == 1.5 && (s.color == palette[0] || s.color == palette[1]) {
			heights = append(heights, s.path[0].Pos.Y)
			shapes[len(s.path)] = true
		}
	}
	if len(heights) != 4 || len(shapes) != 2 {
		t.Fatalf("%d markers of %d shapes, want 4 of 2", len(heights), len(shapes))
	}
	if !(heights[0] > heights[2] && heights[2] > heights[1] && heights[1] > heights[3]) {
		t.Errorf("from above: first and second row of one series, then of the other, stand at %v",
			heights)
	}
}

func TestRowsHeight(t *testing.T) {
	height := func(rows, series int) vg.Length {
		p := RowPanel{}
		for s := range series {
			p.Series = append(p.Series,
				RowSeries{Name: "s", Style: s, Values: slices.Repeat([]RowValue{{1, 1, 1}}, rows)})
		}
		c, err := Rows("t", slices.Repeat([]string{"row"}, rows), []RowPanel{p})
		if err != nil {
			t.Fatal(err)
		}
		_, h := c.Size(Wide, true)
		return h
	}
	if one, other := height(11, 1)-height(10, 1), height(45, 1)-height(44, 1); one < rowPitch ||
		math.Abs(float64(one-other)) > 1e-6 {
		t.Errorf("a row more takes %v and %v", one, other)
	}
	if four, one := height(11, 4)-height(10, 4), height(11, 1)-height(10, 1); four <= one {
		t.Errorf("a row of four series takes %v, of one %v", four, one)
	}
}

func TestEmptyRows(t *testing.T) {
	for _, panels := range [][]RowPanel{nil, {{}},
		{{Series: []RowSeries{{Name: "a", Style: 0, Values: []RowValue{absent}}}}},
		{{X: Axis{Log: true},
			Series: []RowSeries{{Name: "a", Values: []RowValue{{-1, -1, -1}}}}}}} {
		if _, err := Rows("t", []string{"row"}, panels); !isEmpty(err) {
			t.Errorf("%v: %v", panels, err)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("a series of another length did not panic")
		}
	}()
	_, err := Rows("t", []string{"row"}, []RowPanel{{Series: []RowSeries{{Name: "a"}}}})
	t.Error(err)
}

func TestFoldName(t *testing.T) {
	style := textStyle(textSize, xfont.WeightNormal, ink)
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringMatching(`[a-zA-Z]{1,30}([ :,/][a-z0-9=]{1,20}){0,4}`).Draw(t, "name")
		lines := foldName(name, 140, style)
		if len(lines) > 2 {
			t.Fatalf("%q has %d lines", lines, len(lines))
		}
		for _, line := range lines {
			if style.Width(line) > 140 {
				t.Fatalf("%q is %v wide", line, style.Width(line))
			}
		}
		if all := strings.Join(lines, ""); !strings.HasSuffix(all, "…") &&
			strings.ReplaceAll(all, " ", "") != strings.ReplaceAll(name, " ", "") {
			t.Fatalf("%q became %q", name, lines)
		}
	})
}

func TestAnyRowsDraw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := rapid.SliceOfN(rapid.String(), 0, 20).Draw(t, "rows")
		var panels []RowPanel
		for range rapid.IntRange(0, 4).Draw(t, "panels") {
			p := RowPanel{Title: rapid.String().Draw(t, "title"),
				X: Axis{Log: rapid.Bool().Draw(t, "log"), Zero: rapid.Bool().Draw(t, "zero"),
					Label: rapid.String().Draw(t, "label"),
					Marks: rapid.SliceOfN(extremeFloats(), 0, 3).Draw(t, "marks"),
					Reach: rapid.SliceOfN(extremeFloats(), 0, 2).Draw(t, "reach")}}
			for range rapid.IntRange(0, 3).Draw(t, "series") {
				s := RowSeries{Name: rapid.String().Draw(t, "name"),
					Style: rapid.IntRange(0, 50).Draw(t, "style")}
				for range rows {
					s.Values = append(s.Values,
						RowValue{extremeFloats().Draw(t, "mid"), extremeFloats().Draw(t, "lo"), extremeFloats().Draw(t, "hi")})
				}
				p.Series = append(p.Series, s)
			}
			if rapid.Bool().Draw(t, "with a level") {
				p.Levels = append(p.Levels,
					Level{rapid.String().Draw(t, "level"), extremeFloats().Draw(t, "at")})
			}
			panels = append(panels, p)
		}
		drawChart(t, "rows", func() (*Chart, error) { return Rows("t", rows, panels) })
	})
}
