package charts

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func held(i int) string { return fmt.Sprintf("%d held", i) }

func TestStacksWords(t *testing.T) {
	c, err := Stacks("Why", "share",
		[]Stack{{"time", []float64{1, 2, 5}}, {"nothing", []float64{0, math.NaN()}},
			{"waiting", []float64{0, 0.5, 0.5}}}, held)
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
	if want := []string{"nothing left out, 0 or not a number"}; !slices.Equal(c.Notes, want) {
		t.Errorf("notes %q, want %q", c.Notes, want)
	}
	var svg bytes.Buffer
	if err := c.InlineSVG(&svg, Wide); err != nil {
		t.Fatal(err)
	}
	if want := "time\n0 held  12.5 %"; !strings.Contains(svg.String(), want) {
		t.Errorf("no %q in the picture", want)
	}
	if _, err := Stacks("t", "share", nil, held); !isEmpty(err) {
		t.Errorf("a chart of nothing: %v", err)
	}
}

// TestShades: each part is darker than the one before, with or without colour, and text on the
// darkest can be read.
func TestShades(t *testing.T) {
	for n := 1; n < 10; n++ {
		for i := 1; i < n; i++ {
			if shade(i, n) <= shade(i-1, n) {
				t.Errorf("part %d of %d has the shade %v, the one before %v", i, n,
					shade(i, n), shade(i-1, n))
			}
		}
	}
	for mode, of := range shades() {
		tint, on, a := parseHex(of(palette[0])), parseHex(of(paper)), shade(8, 9)
		mixed := ""
		for i := range tint {
			mixed += fmt.Sprintf("%02x", uint8(a*float64(tint[i])+(1-a)*float64(on[i])))
		}
		if got := contrast(of(ink), "#"+mixed); got < 4.5 {
			t.Errorf("%s: text on the darkest part has a contrast of %.2f, want 4.5", mode, got)
		}
	}
}

// Whatever the shares, stacks are drawn within their bounds or refused as empty.
func TestAnyStacksDraw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var stacks []Stack
		for range rapid.IntRange(0, 12).Draw(t, "rows") {
			stacks = append(stacks,
				Stack{rapid.String().Draw(t, "name"),
					rapid.SliceOfN(wild(), 0, 7).Draw(t, "parts")})
		}
		drawChart(t, "stacks", func() (*Chart, error) { return Stacks("t", "share", stacks, held) })
	})
}
