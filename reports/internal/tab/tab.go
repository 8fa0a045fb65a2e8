// Package tab is for tests that look at pages: those of a package share one Chromium.
package tab

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/poolbench/poolbench/internal/project/need"
)

// A Tab is a test's use of the one tab of the Chromium that all tests share, without a network. It
// records the page's requests, and an error in the page fails the test.
type Tab struct {
	T        testing.TB
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
	need.Skip(t, "Chromium is not installed: apt-get install chromium")
	return ""
}

// browser is the Chromium of the tests with its one tab, nil until a test needs it: starting one
// takes 1.6 s of CPU time, another tab 0.5 s, and most tests less. They come one after another.
var browser *running

type running struct {
	ctx context.Context
	end func()
}

// Main is the TestMain of a package whose tests have tabs.
func Main(m *testing.M) {
	m.Run()
	browser.close()
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
	ctx, closeTab := chromedp.NewContext(process)
	r := &running{ctx, func() { closeTab(); end(); _ = os.RemoveAll(profile) }}
	if err := chromedp.Do(ctx); err != nil {
		r.end()
		t.Fatal(err)
	}
	return r
}

// New is the tab with nothing in it, as Chromium opens one: a page keeps nothing in its profile.
// After a test that fails the next has a browser of its own: this one may hang.
func New(t testing.TB) *Tab {
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
	// a browser that hangs fails the test, and not the suite
	ctx, release := context.WithTimeout(browser.ctx, 3*time.Minute)
	t.Cleanup(release)
	out := &Tab{T: t, ctx: ctx}
	Run(out, chromedp.Navigate("about:blank"))
	Call(out, emulation.ClearDeviceMetricsOverride, cdp.Empty{})
	Call(out, emulation.SetScriptExecutionDisabled,
		emulation.SetScriptExecutionDisabledParams{Value: false})
	if err := chromedp.Listen(ctx, out.hear); err != nil {
		t.Fatal(err)
	}
	Call(out, network.Enable, network.EnableParams{})
	Call(out, runtime.Enable, cdp.Empty{})
	// the window of the tab is not the only one
	Call(out, emulation.SetFocusEmulationEnabled,
		emulation.SetFocusEmulationEnabledParams{Enabled: true})
	out.Media("light")
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
func (b *Tab) hear(event any) {
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

// Run does something in the tab.
func Run[T any](b *Tab, action chromedp.Action[T]) T {
	b.T.Helper()
	out, err := chromedp.Run(b.ctx, action)
	if err != nil {
		b.T.Fatal(err)
	}
	return out
}

// Call gives the browser a command of its protocol.
func Call[P, R any](b *Tab, command cdp.Command[P, R], params P) {
	b.T.Helper()
	if _, err := chromedp.Call(b.ctx, command, params); err != nil {
		b.T.Fatal(err)
	}
}

// Size sets the size of the window, in CSS pixels.
func (b *Tab) Size(width, height int64) {
	b.T.Helper()
	Run(b, chromedp.EmulateViewport(width, height))
}

// Media shows the page to a reader who prefers light or dark, and nothing that moves.
func (b *Tab) Media(scheme string) {
	b.T.Helper()
	Call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme},
			{Name: "prefers-reduced-motion", Value: "reduce"}}})
}

// Open shows a file, at a place named after #.
func (b *Tab) Open(path, hash string) {
	b.T.Helper()
	Run(b, chromedp.Navigate(Address(path, hash)))
}

// Address is that of a file, and of a place in it that is named after #.
func Address(path, hash string) string {
	u := url.URL{Scheme: "file", Path: path}
	return u.String() + hash
}

// Settled waits until two frames have been drawn.
func (b *Tab) Settled() {
	b.T.Helper()
	Eval[bool](b, `new Promise(r =>
		requestAnimationFrame(() => requestAnimationFrame(() => r(true))))`)
}

// Eval runs an expression in the page, and waits for it where it is a promise.
func Eval[T any](b *Tab, script string) T {
	b.T.Helper()
	return Run(b, chromedp.Evaluate[T](script, chromedp.EvalAwaitPromise))
}

// Key presses a key.
func (b *Tab) Key(key string) {
	b.T.Helper()
	Run(b, chromedp.KeyEvent(key))
	b.Settled()
}

// Click is that of a reader, whose pointer then leaves.
func (b *Tab) Click(selector string) {
	b.T.Helper()
	// a click is aimed at a point, where nothing may move meanwhile
	Run(b, chromedp.ScrollIntoView(selector))
	b.Settled()
	Run(b, chromedp.Click(selector))
	Eval[bool](b, `document.activeElement.blur(), true`)
	b.Settled()
}

// Reload shows what is open anew.
func (b *Tab) Reload() {
	b.T.Helper()
	Run(b, chromedp.Reload())
	b.Settled()
}

// Back leaves the page where it is scrolled to, as far as a test sees.
func (b *Tab) Back() {
	b.T.Helper()
	Eval[bool](b, `new Promise(done => {
		addEventListener("hashchange", () => done(true), {once: true});
		history.back();
	})`)
	b.Settled()
}

// Requests are the addresses that were asked for.
func (b *Tab) Requests() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.requests)
}

// CutOff are the texts that leave their pictures in a font that may come: those of the pictures
// that a selector finds and that are shown.
func (b *Tab) CutOff(pictures, font string) []string {
	b.T.Helper()
	return Eval[[]string](b, fmt.Sprintf(`(() => {
		const shown = [...document.querySelectorAll(%q)].filter((svg) => !svg.matches(".pb-swatch") &&
			svg.getAttribute("viewBox") && svg.getBoundingClientRect().width);
		for (const svg of shown) svg.setAttribute("font-family", %q);
		return shown.flatMap((svg) => {
			const [x, y, w, h] = svg.getAttribute("viewBox").split(" ").map(Number);
			return [...svg.querySelectorAll("text")].map((t) => [t, t.getBBox()]).filter(([, b]) =>
				b.x < x - 1 || b.y < y - 1 || b.x + b.width > x + w + 1 || b.y + b.height > y + h + 1).
				map(([t, b]) => t.textContent + " " + [b.x, b.y, b.width, w]);
		});
	})()`, pictures, font))
}

// Axe is the source of axe-core, which stands beside that of a page's scripts; a test is skipped
// where it does not.
func Axe(t testing.TB, front string) string {
	t.Helper()
	source, err := os.ReadFile(filepath.Join(front, "node_modules", "axe-core", "axe.min.js"))
	if err != nil {
		need.Skip(t, "axe-core is not installed: npm ci in reports/page/front")
	}
	return string(source)
}

// Violations are what axe finds in the page.
func (b *Tab) Violations(axe string) []string {
	b.T.Helper()
	Eval[bool](b, axe+";true")
	return Eval[[]string](b, `axe.run().then(r => r.violations.flatMap(v =>
		v.nodes.map(n => v.id + ": " + n.html.slice(0, 150) + " " + n.failureSummary)))`)
}
