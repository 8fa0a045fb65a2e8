package looks

import (
	"testing"

	"github.com/chromedp/cdproto/emulation"

	"github.com/poolbench/poolbench/reports/internal/tab"
)

// Paper cannot scroll. 718 px is the width of A4 without its margins.
func TestPrint(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	const paper = 718
	b := tab.New(t)
	b.Size(paper, 1000)
	tab.Call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"})
	for _, p := range allPages(t) {
		open(b, p)
		for _, wide := range tab.Eval[[]string](b, `[...document.querySelectorAll("body *")].filter(e =>
			e.getBoundingClientRect().right > innerWidth + 1).map(e => e.tagName + "." +
			(e.getAttribute("class") || "") + " " + e.getBoundingClientRect().right + " " + e.textContent.slice(0, 40))`) {
			t.Errorf("%s: %s", p.name, wide)
		}
	}
}
