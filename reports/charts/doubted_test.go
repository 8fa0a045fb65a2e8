package charts

import (
	"strings"
	"testing"
)

func TestDoubtedPointsAreHollow(t *testing.T) {
	for _, c := range []struct {
		doubted        []bool
		filled, hollow int
	}{{[]bool{true, false, false}, 2, 1}, {nil, 0, 3}} {
		chart, err := Response("p99", Load, []Panel{{Title: "p99", Series: []Series{{Name: "a",
			X: []float64{0.9, 0.5, 0.7}, Y: []float64{3, 1, 2}, Doubted: c.doubted}}}})
		if err != nil {
			t.Fatal(err)
		}
		var svg strings.Builder
		if err := chart.InlineSVG(&svg, Compact); err != nil {
			t.Fatal(err)
		}
		_, points, _ := strings.Cut(svg.String(), `class="pb-pt"`)
		points, _, _ = strings.Cut(points, "<text") // without the sample of the legend
		if got := [2]int{strings.Count(points, `class="f-s0 s-s0"`),
			strings.Count(points, `class="f-paper s-s0"`)}; got != [2]int{c.filled, c.hollow} {
			t.Errorf("doubted %v: %d filled and hollow, want %d and %d:\n%s", c.doubted, got,
				c.filled, c.hollow, points)
		}
		if last := strings.LastIndex(points, "load 0.9"); c.doubted != nil &&
			!strings.Contains(points[last:], "f-paper") {
			t.Errorf("the doubted point is not the hollow one:\n%s", points)
		}
	}
}

func TestDoubtedRowsAreHollow(t *testing.T) {
	v := RowValue{Mid: 1, Lo: 1, Hi: 1}
	for _, c := range []struct {
		sure           []bool
		filled, hollow int
	}{{[]bool{true, false, true}, 2, 1}, {nil, 0, 3}} {
		chart, err := Rows(
			"p99",
			[]string{"a", "b", "c"},
			[]RowPanel{{Series: []RowSeries{{Name: "s",
				Values: []RowValue{v, v, v}, Sure: c.sure}}}},
		)
		if err != nil {
			t.Fatal(err)
		}
		var svg strings.Builder
		if err := chart.InlineSVG(&svg, Compact); err != nil {
			t.Fatal(err)
		}
		if got := [2]int{strings.Count(svg.String(), `class="f-s0 s-s0"`),
			strings.Count(svg.String(), `class="f-paper s-s0"`)}; got !=
			[2]int{c.filled, c.hollow} {
			t.Errorf(
				"sure %v: %d filled and hollow, want %d and %d",
				c.sure,
				got,
				c.filled,
				c.hollow,
			)
		}
	}
}
