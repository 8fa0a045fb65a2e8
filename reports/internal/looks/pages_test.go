package looks

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/poolbench/poolbench/reports/internal/tab"
)

func TestMain(m *testing.M) { tab.Main(m) }

type drawing struct {
	Kind  string  // compact, rows, panels
	Width float64 // in px
	Scale float64 // px per unit of the picture, which determines the size of letters
}

func TestPages(t *testing.T) {
	b := tab.New(t)
	axe, front := "", filepath.Join("..", "..", "page", "front")
	t.Run("axe", func(t *testing.T) { axe = tab.Axe(t, front) })
	pages := allPages(t)
	for i, at := range []struct {
		width  int64
		scheme string
		axe    bool // only at two widths, because package page tests the others
	}{{1440, "light", true}, {1024, "light", false}, {390, "dark", true}, {320, "light", false}} {
		fonts := []string{"DejaVu Sans", "Liberation Sans", "Roboto"}
		if testing.Short() {
			if i%2 != 0 {
				continue
			}
			fonts, at.axe = fonts[:1], at.scheme == "dark"
		}
		b.Media(at.scheme)
		b.Size(at.width, 900)
		var drawings []drawing
		for _, p := range pages {
			open(b, p)
			on := drawn(b)
			if len(on) == 0 && p.name != "capacity" { // capacity has only the explorer's chart
				t.Errorf("%s at %d px has no chart", p.name, at.width)
			}
			drawings = append(drawings, on...)
			checkFits(b, p, at.width)
			checkApart(b, p, at.width)
			if axe != "" && at.axe {
				for _, v := range b.Violations(axe) {
					t.Errorf("%s, %s, %d px: %s", p.name, at.scheme, at.width, v)
				}
			}
			for _, font := range fonts {
				for _, text := range b.CutOff("svg", font) {
					t.Errorf("%s: in %s at %d px %q is cut off", p.name, font, at.width, text)
				}
			}
		}
		if at.width >= 390 {
			checkReadable(t, drawings, at.width)
		}
	}
}

func open(b *tab.Tab, p openedPage) {
	b.T.Helper()
	b.Open(p.path, p.hash)
	b.Settled()
}

func drawn(b *tab.Tab) []drawing {
	b.T.Helper()
	return tab.Eval[[]drawing](b, `[...document.querySelectorAll(".chart > svg")].
		filter(s => s.getBoundingClientRect().width).map(s => {
			const width = s.getBoundingClientRect().width;
			return {Kind: s.closest(".plot").className, Width: width,
				Scale: width / s.viewBox.baseVal.width};
		})`)
}

// checkFits checks that the page does not scroll sideways. A compact chart has no label column, and
// must not cut off text elsewhere.
func checkFits(b *tab.Tab, p openedPage, width int64) {
	b.T.Helper()
	if wide := tab.Eval[int64](b, `document.documentElement.scrollWidth`); wide > width {
		b.T.Errorf("%s: at %d px the page is %d px wide", p.name, width, wide)
	}
	for _, text := range tab.Eval[[]string](b, `[...document.querySelectorAll(".plot.compact")].
		flatMap(p => [...p.querySelectorAll("text")].filter(t => t.getBBox().x < 366 &&
			t.getBoundingClientRect().right > p.getBoundingClientRect().right + 1).
			map(t => t.textContent))`) {
		b.T.Errorf("%s: at %d px %q is cut off where the names were", p.name, width, text)
	}
}

// The command above a headline must not touch it.
func checkApart(b *tab.Tab, p openedPage, width int64) {
	b.T.Helper()
	gap := tab.Eval[float64](b, `(document.querySelector("h1").getBoundingClientRect().top -
		(document.querySelector(".sub") ?? document.body).getBoundingClientRect().bottom)`)
	if gap < 8 && tab.Eval[bool](b, `document.querySelector(".sub") != null`) {
		b.T.Errorf("%s: at %d px the headline is %.0f px below the line above it", p.name, width, gap)
	}
}

// checkReadable checks that static charts on all pages have the same letter size of at least 12 px,
// and that charts outside of panels have the same width.
func checkReadable(t *testing.T, all []drawing, width int64) {
	t.Helper()
	least, most := extremes(all, func(d drawing) float64 { return d.Scale })
	if least < 0.99 || most > 1.25*least {
		t.Errorf("at %d px letters are %.2f to %.2f times as large as drawn", width, least, most)
	}
	if width < 1024 {
		return // names beside a chart are cut off
	}
	single := slices.DeleteFunc(all, func(d drawing) bool { return d.Kind == "plot panels" })
	least, most = extremes(single, func(d drawing) float64 { return d.Width })
	if most > 1.01*least {
		t.Errorf("at %d px charts are %.0f to %.0f px wide", width, least, most)
	}
}

func extremes(all []drawing, of func(drawing) float64) (least, most float64) {
	var values []float64
	for _, d := range all {
		values = append(values, of(d))
	}
	return slices.Min(values), slices.Max(values)
}
