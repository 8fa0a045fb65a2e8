package charts

import (
	"slices"
	"testing"

	"gonum.org/v1/plot/vg"
)

func TestTimelineGap(t *testing.T) {
	for _, points := range []int{20, 5000} {
		s := Series{Name: "a", Gaps: []Span{{6, 7}, {7, 8}, {14, 15}}}
		for i := range points {
			x := 20 * float64(i) / float64(points)
			if slices.ContainsFunc(s.Gaps, func(g Span) bool { return g.From < x && x <= g.To }) {
				continue
			}
			s.X, s.Y = append(s.X, x), append(s.Y, float64(3+i%2))
		}
		chart, err := Timeline("t", 0, []Panel{{"in flight", []Series{s}}, {"queued", []Series{s}}})
		if err != nil {
			t.Fatal(err)
		}
		texts, strokes := record(chart, Wide)
		named := 0
		for _, text := range texts {
			if text == "not recorded" {
				named++
			}
		}
		if named != 2*2 { // two gaps are adjacent
			t.Errorf("%d points: named %d times", points, named)
		}
		begun := 0
		for _, s := range strokes {
			for i, c := range s.path {
				if s.width == lineWidth && c.Type == vg.MoveComp && i+2 < len(s.path) {
					begun++
				}
			}
		}
		if begun != 2*3 {
			t.Errorf("%d points: the lines are in %d parts", points, begun)
		}
	}
}

// A short queue and an endlessly growing queue need a logarithmic axis.
func TestTimelineScale(t *testing.T) {
	for _, c := range []struct{ high, least, most float64 }{{5000, 0.3, 0.6}, {60, 0.4, 0.6}} {
		chart, err := Timeline("t", 0, []Panel{{Title: "queued", Series: []Series{
			{Name: "shed", Style: 0, X: []float64{1, 2, 3}, Y: []float64{0, 30, 28}},
			{Name: "wait", Style: 1, X: []float64{1, 2, 3}, Y: []float64{0, c.high / 2, c.high}},
		}}})
		if err != nil {
			t.Fatal(err)
		}
		y := chart.Panels[0].Y
		if at := y.Scale.Normalize(y.Min, y.Max, 30); at < c.least || at > c.most {
			t.Errorf("30 of %v is at %.2f of the height", c.high, at)
		}
		if at := y.Scale.Normalize(y.Min, y.Max, 0); at != 0 {
			t.Errorf("0 is at %v", at)
		}
	}
}
