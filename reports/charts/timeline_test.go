package charts

import "testing"

// TestSteepTimeline: beside a queue that grows without end a short one keeps its room; where they
// are alike the axis is linear.
func TestSteepTimeline(t *testing.T) {
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
