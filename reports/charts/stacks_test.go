package charts

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
	"pgregory.net/rapid"
)

func partName(i int) string { return fmt.Sprintf("%d held", i) }

func TestStacksTexts(t *testing.T) {
	c, err := Stacks("Why", "share",
		[]Stack{{"time", []float64{1, 2, 5}}, {"nothing", []float64{0, math.NaN()}},
			{"waiting", []float64{0, 0.5, 0.5}}}, partName)
	if err != nil {
		t.Fatal(err)
	}
	for _, layout := range []Layout{Wide, Narrow} {
		texts, _ := record(c, layout)
		for _, want := range []string{"Why", "share", "time", "waiting", "2 held: 50 %",
			"1 held: 50 %", "100 %"} {
			if !slices.Contains(texts, want) {
				t.Errorf("layout %d: %q is not written: %q", layout, want, texts)
			}
		}
	}
	if want := []string{"nothing omitted (0 or not a number)"}; !slices.Equal(c.Notes, want) {
		t.Errorf("notes %q, want %q", c.Notes, want)
	}
	var svg bytes.Buffer
	if err := c.InlineSVG(&svg, Wide); err != nil {
		t.Fatal(err)
	}
	if want := "time\n0 held  12.5 %"; !strings.Contains(svg.String(), want) {
		t.Errorf("no %q in the picture", want)
	}
	if _, err := Stacks("t", "share", nil, partName); !isEmpty(err) {
		t.Errorf("a chart of nothing: %v", err)
	}
}

func TestLengths(t *testing.T) {
	c, err := Lengths("Slow", "response", []Stack{{"task 7", []float64{0.49999, 1.50001}},
		{"task 9", []float64{0, 0.5}}}, partName)
	if err != nil {
		t.Fatal(err)
	}
	var svg bytes.Buffer
	if err := c.InlineSVG(&svg, Wide); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"task 7\n1 held  1.5 s", "task 9\n1 held  500 ms", ">2 s<"} {
		if !strings.Contains(svg.String(), want) {
			t.Errorf("no %q in the picture", want)
		}
	}
	if p := c.Panels[0]; p.X.Max != 2 {
		t.Errorf("the axis ends at %v", p.X.Max)
	}
}

func TestStackPartsDiffer(t *testing.T) {
	low, high := vg.Point{X: 10, Y: 5}, vg.Point{X: 50, Y: 24}
	slope := func(i int) string {
		lines := hatching(i, low, high)
		for _, l := range lines {
			for _, pt := range l {
				if pt.X < low.X-1e-9 || pt.X > high.X+1e-9 || pt.Y < low.Y-1e-9 ||
					pt.Y > high.Y+1e-9 {
					t.Errorf("part %d: a line of its hatching reaches %v", i, pt)
				}
			}
		}
		if len(lines) == 0 {
			return "none"
		}
		l := slices.MaxFunc(lines, func(a, b []vg.Point) int {
			return cmp.Compare(a[1].Y-a[0].Y, b[1].Y-b[0].Y)
		})
		return fmt.Sprintf("%.1f", float64((l[1].X-l[0].X)/(l[1].Y-l[0].Y)))
	}
	seen := make(map[string]int)
	for i := range 2 * len(palette) {
		look := partTint(i).class + " " + slope(i)
		if before, ok := seen[look]; ok {
			t.Errorf("parts %d and %d look the same: %s", before, i, look)
		}
		seen[look] = i
		if i > 0 && slope(i) == slope(i-1) {
			t.Errorf("parts %d and %d have the same hatching, %s", i-1, i, slope(i))
		}
		for mode, of := range shades() {
			tint, on := parseHex(of(partTint(i))), parseHex(of(paper))
			mixed := ""
			for i := range tint {
				mixed += fmt.Sprintf("%02x",
					uint8(partAlpha*float64(tint[i])+(1-partAlpha)*float64(on[i])))
			}
			if got := contrast(of(ink), "#"+mixed); got < 4.5 {
				t.Errorf("%s: text on part %d has a contrast of %.2f, want 4.5", mode, i, got)
			}
		}
	}
}

func TestAnyStacksDraw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var stacks []Stack
		for range rapid.IntRange(0, 12).Draw(t, "rows") {
			stacks = append(stacks,
				Stack{rapid.String().Draw(t, "name"),
					rapid.SliceOfN(extremeFloats(), 0, 7).Draw(t, "parts")})
		}
		drawChart(t, "stacks", func() (*Chart, error) { return Stacks("t", "share", stacks, partName) })
	})
}
