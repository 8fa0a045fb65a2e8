package page

import (
	"bytes"
	"context"
	"image"
	"image/png"
	"math"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// A tab is one of the Chromium of all tests, with a profile of its own and without a network. What
// the page asks for, and what goes wrong in it, is kept.
type tab struct {
	t        testing.TB
	ctx      context.Context
	mu       sync.Mutex
	requests []string // addresses
	errors   []string // of scripts, and on the console
}

// chromium is the program; a test is skipped where there is none.
func chromium(t testing.TB) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome",
		"chrome-headless-shell"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("Chromium is not installed: apt-get install chromium")
	return ""
}

// browser is the Chromium of the tests, nil until one needs it. Starting one takes longer than most
// tests; they come one after another.
var browser *running

type running struct {
	ctx context.Context
	end func()
}

func TestMain(m *testing.M) {
	code := m.Run()
	browser.close()
	os.Exit(code)
}

func (r *running) close() {
	if r != nil {
		r.end()
	}
}

func startBrowser(t testing.TB) *running {
	t.Helper()
	profile, err := os.MkdirTemp("", "chromium")
	if err != nil {
		t.Fatal(err)
	}
	options := append([]chromedp.ExecAllocatorOption{chromedp.ExecPath(chromium(t)),
		chromedp.NoSandbox, chromedp.DisableGPU, chromedp.UserDataDir(profile),
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-dev-shm-usage", true), chromedp.Flag("hide-scrollbars", true),
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND"),
		chromedp.WSURLReadTimeout(time.Minute),
	}, chromedp.DefaultExecAllocatorOptions[:]...)
	process, end := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, closeFirst := chromedp.NewContext(process)
	r := &running{ctx, func() { closeFirst(); end(); _ = os.RemoveAll(profile) }}
	if err := chromedp.Do(ctx); err != nil {
		r.end()
		t.Fatal(err)
	}
	return r
}

// newTab opens a tab that closes with the test. After a test that fails the next has a browser of
// its own: this one may hang.
func newTab(t testing.TB) *tab {
	t.Helper()
	chromium(t)
	if browser == nil {
		browser = startBrowser(t)
	}
	t.Cleanup(func() {
		if t.Failed() {
			browser.close()
			browser = nil
		}
	})
	ctx, closeTab := chromedp.NewContext(browser.ctx, chromedp.WithNewBrowserContext())
	t.Cleanup(closeTab)
	// a browser that hangs fails the test, and not the suite
	ctx, release := context.WithTimeout(ctx, 3*time.Minute)
	t.Cleanup(release)
	out := &tab{t: t, ctx: ctx}
	if err := chromedp.Listen(ctx, out.hear); err != nil {
		t.Fatal(err)
	}
	call(out, network.Enable, network.EnableParams{})
	call(out, runtime.Enable, cdp.Empty{})
	// the window of the tab is not the only one
	call(out, emulation.SetFocusEmulationEnabled,
		emulation.SetFocusEmulationEnabledParams{Enabled: true})
	out.media("light")
	t.Cleanup(func() {
		out.mu.Lock()
		defer out.mu.Unlock()
		for _, e := range out.errors {
			t.Errorf("in the page: %s", e)
		}
	})
	return out
}

// hear keeps what the browser reports.
func (b *tab) hear(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		b.requests = append(b.requests, e.Request.URL)
	case *runtime.EventExceptionThrown:
		text := e.ExceptionDetails.Text
		if thrown := e.ExceptionDetails.Exception; thrown != nil {
			text += " " + thrown.Description
		}
		b.errors = append(b.errors, text)
	case *runtime.EventConsoleAPICalled:
		for _, arg := range e.Args {
			b.errors = append(b.errors, string(arg.Value))
		}
	}
}

// run does something in the tab.
func run[T any](b *tab, action chromedp.Action[T]) T {
	b.t.Helper()
	out, err := chromedp.Run(b.ctx, action)
	if err != nil {
		b.t.Fatal(err)
	}
	return out
}

// call gives the browser a command of its protocol.
func call[P, R any](b *tab, command cdp.Command[P, R], params P) {
	b.t.Helper()
	if _, err := chromedp.Call(b.ctx, command, params); err != nil {
		b.t.Fatal(err)
	}
}

// size sets the size of the window, in CSS pixels.
func (b *tab) size(width, height int64) {
	b.t.Helper()
	run(b, chromedp.EmulateViewport(width, height))
}

// media shows the page to a reader who prefers light or dark, and nothing that moves.
func (b *tab) media(scheme string) {
	b.t.Helper()
	call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme},
			{Name: "prefers-reduced-motion", Value: "reduce"}}})
}

// open shows a file, at a place named after #.
func (b *tab) open(path, hash string) {
	b.t.Helper()
	run(b, chromedp.Navigate(address(path, hash)))
}

func address(path, hash string) string {
	u := url.URL{Scheme: "file", Path: path}
	return u.String() + hash
}

// settled waits until two frames have been drawn.
func (b *tab) settled() {
	b.t.Helper()
	evaluate[bool](b, `new Promise(r => requestAnimationFrame(() => requestAnimationFrame(() => r(true))))`)
}

// evaluate runs an expression in the page, and waits for it where it is a promise.
func evaluate[T any](b *tab, script string) T {
	b.t.Helper()
	return run(b, chromedp.Evaluate[T](script, chromedp.EvalAwaitPromise))
}

// key presses a key.
func (b *tab) key(key string) {
	b.t.Helper()
	run(b, chromedp.KeyEvent(key))
	b.settled()
}

// picture is what is in the window, from the explorer on.
func (b *tab) picture() image.Image {
	b.t.Helper()
	evaluate[bool](b, `document.getElementById("explore").scrollIntoView(), true`)
	b.settled()
	content := run(b, chromedp.CaptureScreenshot())
	img, err := png.Decode(bytes.NewReader(content))
	if err != nil {
		b.t.Fatal(err)
	}
	return img
}

// different is the share of pixels in which two pictures of one size differ to the eye.
func different(t testing.TB, a, b image.Image) float64 {
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

// written is the report of a directory as a file.
func written(t testing.TB, dir string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(path, []byte(page(t, dir)), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestNoRequest: a page asks for nothing but itself, whatever is opened in it.
func TestNoRequest(t *testing.T) {
	path := written(t, small(t))
	b := newTab(t)
	b.open(path, "#explore?m=p50&v=1")
	run(b, chromedp.Click(`.explore [data-do="PNG"]`))
	b.settled()
	b.key(kb.Tab)
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.requests) == 0 || slices.ContainsFunc(b.requests, func(r string) bool {
		return !strings.HasPrefix(r, "data:") && !strings.HasPrefix(r, "blob:") &&
			!strings.HasPrefix(r, address(path, ""))
	}) {
		t.Errorf("asked for %q", b.requests)
	}
}

// click is that of a reader, whose pointer then leaves.
func (b *tab) click(selector string) {
	b.t.Helper()
	// a click is aimed at a point, where nothing may move meanwhile
	run(b, chromedp.ScrollIntoView(selector))
	b.settled()
	run(b, chromedp.Click(selector))
	evaluate[bool](b, `document.activeElement.blur(), true`)
	b.settled()
}

func (b *tab) reload() {
	b.t.Helper()
	run(b, chromedp.Reload())
	b.settled()
}

// back leaves the page where it is scrolled to, as far as a test sees.
func (b *tab) back() {
	b.t.Helper()
	evaluate[bool](b, `new Promise(done => {
		addEventListener("hashchange", () => done(true), {once: true});
		history.back();
	})`)
	b.settled()
}

func keyEvent(key string) chromedp.Action[chromedp.Void] { return chromedp.KeyEvent(key) }
