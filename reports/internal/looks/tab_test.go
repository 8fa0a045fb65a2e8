package looks

import (
	"context"
	"net/url"
	"os/exec"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// A tab is one of a Chromium of its own, without a network.
type tab struct {
	t   *testing.T
	ctx context.Context
}

func newTab(t *testing.T) *tab {
	t.Helper()
	path, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("Chromium is not installed: apt-get install chromium")
	}
	options := append([]chromedp.ExecAllocatorOption{chromedp.ExecPath(path), chromedp.NoSandbox,
		chromedp.DisableGPU, chromedp.UserDataDir(t.TempDir()),
		chromedp.Flag("disable-dev-shm-usage", true), chromedp.Flag("hide-scrollbars", true),
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND"),
		chromedp.WSURLReadTimeout(time.Minute)}, chromedp.DefaultExecAllocatorOptions[:]...)
	process, end := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(end)
	ctx, closeTab := chromedp.NewContext(process)
	t.Cleanup(closeTab)
	ctx, release := context.WithTimeout(ctx, 3*time.Minute)
	t.Cleanup(release)
	return &tab{t, ctx}
}

func run[T any](b *tab, action chromedp.Action[T]) T {
	b.t.Helper()
	out, err := chromedp.Run(b.ctx, action)
	if err != nil {
		b.t.Fatal(err)
	}
	return out
}

// evaluate runs an expression in the page, and waits for it where it is a promise.
func evaluate[T any](b *tab, script string) T {
	b.t.Helper()
	return run(b, chromedp.Evaluate[T](script, chromedp.EvalAwaitPromise))
}

func (b *tab) size(width, height int64) {
	b.t.Helper()
	run(b, chromedp.EmulateViewport(width, height))
}

// media shows pages to a reader who prefers light or dark.
func (b *tab) media(scheme string) {
	b.t.Helper()
	if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia,
		emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
			{Name: "prefers-color-scheme", Value: scheme}}}); err != nil {
		b.t.Fatal(err)
	}
}

// open shows a page, and waits until it has been drawn.
func (b *tab) open(p looked) {
	b.t.Helper()
	run(b, chromedp.Navigate((&url.URL{Scheme: "file", Path: p.path}).String()+p.hash))
	evaluate[bool](b,
		`new Promise(r => requestAnimationFrame(() => requestAnimationFrame(() => r(true))))`)
}
