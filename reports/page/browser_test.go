package page

import (
	"bytes"
	"image"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/poolbench/poolbench/reports/internal/tab"
)

func TestMain(m *testing.M) { tab.Main(m) }

func picture(b *tab.Tab) image.Image {
	b.T.Helper()
	tab.Eval[bool](b, `document.getElementById("explore").scrollIntoView(), true`)
	b.Settled()
	content := tab.Run(b, chromedp.CaptureScreenshot())
	img, err := png.Decode(bytes.NewReader(content))
	if err != nil {
		b.T.Fatal(err)
	}
	return img
}

func differentShare(t testing.TB, a, b image.Image) float64 {
	t.Helper()
	if a.Bounds() != b.Bounds() {
		t.Fatalf("pictures of %v and %v", a.Bounds(), b.Bounds())
	}
	n := 0
	for y := range a.Bounds().Dy() {
		for x := range a.Bounds().Dx() {
			r1, g1, b1, _ := a.At(x, y).RGBA()
			r2, g2, b2, _ := b.At(x, y).RGBA()
			if d := func(p, q uint32) float64 { return math.Abs(float64(p) - float64(q)) }; max(
				d(r1, r2), d(g1, g2), d(b1, b2)) > 0x1000 {
				n++
			}
		}
	}
	return float64(n) / float64(a.Bounds().Dx()*a.Bounds().Dy())
}

func reportFile(t testing.TB, dir string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(path, []byte(page(t, dir)), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestNoRequest(t *testing.T) {
	path := reportFile(t, smallRun(t))
	b := tab.New(t)
	b.Open(path, "#explore?m=p50&v=1")
	tab.Run(b, chromedp.Click(`.explore [data-do="PNG"]`))
	b.Settled()
	b.Key(kb.Tab)
	asked := b.Requests()
	if len(asked) == 0 || slices.ContainsFunc(asked, func(r string) bool {
		return !strings.HasPrefix(r, "data:") && !strings.HasPrefix(r, "blob:") &&
			!strings.HasPrefix(r, tab.Address(path, ""))
	}) {
		t.Errorf("asked for %q", asked)
	}
}
