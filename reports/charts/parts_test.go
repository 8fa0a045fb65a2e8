package charts

import (
	"slices"
	"testing"
)

func TestPartsOfPanels(t *testing.T) {
	values := func(style int) RowSeries {
		return RowSeries{Name: []string{"a", "b"}[style], Style: style,
			Values: []RowValue{{Mid: 1, Lo: 1, Hi: 1}, {Mid: 2, Lo: 2, Hi: 2}}}
	}
	axis := Axis{Label: "seconds", Format: Count}
	c, err := Rows("What is lost", []string{"one", "two"}, []RowPanel{
		{Title: "lost", X: axis, Series: []RowSeries{values(0), values(1)}},
		{Title: "late", X: axis, Series: []RowSeries{values(0)}}})
	if err != nil {
		t.Fatal(err)
	}
	parts := c.Parts()
	if len(parts) != 2 || len(c.Key()) != 2 || !slices.Equal(c.InPage(), []Layout{Narrow}) {
		t.Fatalf("%d parts, %d names", len(parts), len(c.Key()))
	}
	for i, title := range []string{"lost", "late"} {
		texts, _ := record(parts[i], Narrow)
		for _, want := range []string{title, "one", "two", "seconds"} {
			if !slices.Contains(texts, want) {
				t.Errorf("part %d does not say %q: %q", i, want, texts)
			}
		}
		if slices.Contains(texts, "a") {
			t.Errorf("part %d names the series", i)
		}
	}
	if got := [2]string{parts[0].alt(), parts[1].alt()}; got != [2]string{"What is lost", "late"} {
		t.Errorf("the parts are described as %q", got)
	}
}
