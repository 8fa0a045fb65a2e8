package charts

import (
	"slices"
	"testing"
)

func TestMeasuredTicks(t *testing.T) {
	for _, c := range []struct{ at, want []float64 }{
		{[]float64{0.3, 0.5, 0.7, 0.9, 1.1}, []float64{0.3, 0.5, 0.7, 0.9, 1.1}},
		{[]float64{0.1, 0.98, 0.99, 1}, []float64{0.1, 0.98}},
		{[]float64{0.8}, []float64{0.8}},
	} {
		chart, err := Response("x", Load, []Panel{{Series: []Series{{Name: "a", X: c.at,
			Y: slices.Repeat([]float64{1}, len(c.at))}}}})
		if err != nil {
			t.Fatal(err)
		}
		var got []float64
		x := chart.Panels[0].X
		for _, tick := range x.Tick.Marker.Ticks(x.Min, x.Max) {
			got = append(got, tick.Value)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%v: %v, want %v", c.at, got, c.want)
		}
	}
}
