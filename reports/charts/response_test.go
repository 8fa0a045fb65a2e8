package charts

import (
	"strings"
	"testing"
)

func TestResponseLevel(t *testing.T) {
	panel := Panel{Title: "p99", Series: []Series{{Name: "a", X: []float64{0.5, 1},
		Y: []float64{0.01, 0.02}}}}
	c, err := Response("Response", Load, []Panel{panel}, Level{Name: "deadline 30 ms", Y: 0.03},
		Level{Name: "objective 300 ms", Y: 0.3}, Level{Name: "none", Y: 0})
	if err != nil {
		t.Fatal(err)
	}
	if top := c.Panels[0].Y.Max; top < 0.03 || top > 0.1 {
		t.Errorf("the axis ends at %v", top)
	}
	var svg strings.Builder
	if err := c.SVG(&svg, Wide); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(svg.String(), "deadline 30 ms") ||
		!strings.Contains(svg.String(), "objective 300 ms: above all") ||
		strings.Contains(svg.String(), ">none<") {
		t.Error("the levels are not those that can be drawn")
	}
	bare, err := Response("Response", Load, []Panel{panel})
	if err != nil {
		t.Fatal(err)
	}
	var without strings.Builder
	if err := bare.SVG(&without, Wide); err != nil {
		t.Fatal(err)
	}
	dashes := func(s string) int { return strings.Count(s, "dasharray") }
	if dashes(svg.String()) <= dashes(without.String()) {
		t.Error("no line is drawn at the deadline")
	}
}
