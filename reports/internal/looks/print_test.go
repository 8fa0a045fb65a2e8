package looks

import (
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// TestPrint: on a sheet, which nobody can scroll, no page is wider than the paper. 718 px are A4
// without its margins.
func TestPrint(t *testing.T) {
	const paper = 718
	b := newTab(t)
	b.size(paper, 1000)
	if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia,
		emulation.SetEmulatedMediaParams{Media: "print"}); err != nil {
		t.Fatal(err)
	}
	for _, p := range allPages(t) {
		b.open(p)
		for _, wide := range evaluate[[]string](b, `[...document.querySelectorAll("body *")].filter(e =>
			e.getBoundingClientRect().right > innerWidth + 1).map(e => e.tagName + "." +
			(e.getAttribute("class") || "") + " " + e.getBoundingClientRect().right + " " + e.textContent.slice(0, 40))`) {
			t.Errorf("%s: %s", p.name, wide)
		}
	}
}
