package looks

import (
	"slices"
	"testing"
)

// A drawing is a static chart of a page, as it is shown.
type drawing struct {
	Kind  string  // compact, rows, panels
	Width float64 // in px
	Scale float64 // px of a unit of the picture, in which all layouts have letters of one size
}

// TestLetters: the letters of static charts have one size on the pages of all commands, large
// enough to read, and charts of one panel have one width.
func TestLetters(t *testing.T) {
	b := newTab(t)
	for _, width := range []int64{1440, 1024, 390} {
		var all []drawing
		for _, p := range allPages(t) {
			b.size(width, 900)
			b.open(p)
			on := evaluate[[]drawing](b, `[...document.querySelectorAll(".chart > svg")].
				filter(s => s.getBoundingClientRect().width).map(s => {
					const width = s.getBoundingClientRect().width;
					return {Kind: s.closest(".plot").className, Width: width,
						Scale: width / s.viewBox.baseVal.width};
				})`)
			if len(on) == 0 && p.name != "capacity" { // whose chart is the explorer's
				t.Errorf("%s at %d px has no chart", p.name, width)
			}
			all = append(all, on...)
		}
		size := func(d drawing) float64 { return d.Scale }
		least, most := extremes(all, size)
		if least < 0.78 || most > 1.25*least {
			t.Errorf("at %d px letters are %.2f to %.2f times as large as drawn", width, least, most)
		}
		if width < 1024 {
			continue // names beside a chart are cut off
		}
		single := slices.DeleteFunc(all, func(d drawing) bool { return d.Kind == "plot panels" })
		least, most = extremes(single, func(d drawing) float64 { return d.Width })
		if most > 1.01*least {
			t.Errorf("at %d px charts are %.0f to %.0f px wide", width, least, most)
		}
	}
}

func extremes(all []drawing, of func(drawing) float64) (least, most float64) {
	var values []float64
	for _, d := range all {
		values = append(values, of(d))
	}
	return slices.Min(values), slices.Max(values)
}
