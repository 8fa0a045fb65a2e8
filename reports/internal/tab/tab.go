// Package tab runs browser tests of pages. The tests of a package share one Chromium.
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

// A Tab is the only tab of the shared Chromium, without a network. An error in a page fails the
// test.
type Tab struct {
	T        testing.TB
	ctx      context.Context
	mu       sync.Mutex
	requests []string
	errors   []string // of scripts, and on the console
}

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

// browser is nil until a test needs it: starting Chromium needs 1.6 s of CPU time, another tab 0.5
// s, and most tests less. Tests run sequentially.
var browser *running

type running struct {
	ctx context.Context
	end func()
}

// Main is the TestMain of a package whose tests use tabs.
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
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"),
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

// New returns the tab with an empty page. After a failed test the next one gets a new browser,
// because the old one may hang.
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
	// a hanging browser fails the test, not the suite
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
	// the tab's window is not the only one
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

func Run[T any](b *Tab, action chromedp.Action[T]) T {
	b.T.Helper()
	out, err := chromedp.Run(b.ctx, action)
	if err != nil {
		b.T.Fatal(err)
	}
	return out
}

func Call[P, R any](b *Tab, command cdp.Command[P, R], params P) {
	b.T.Helper()
	if _, err := chromedp.Call(b.ctx, command, params); err != nil {
		b.T.Fatal(err)
	}
}

// In CSS pixels.
func (b *Tab) Size(width, height int64) {
	b.T.Helper()
	Run(b, chromedp.EmulateViewport(width, height))
}

// Media emulates a preference for light or dark, and for no motion.
func (b *Tab) Media(scheme string) {
	b.T.Helper()
	Call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme},
			{Name: "prefers-reduced-motion", Value: "reduce"}}})
}

// hash is an anchor.
func (b *Tab) Open(path, hash string) {
	b.T.Helper()
	Run(b, chromedp.Navigate(Address(path, hash)))
}

func Address(path, hash string) string {
	u := url.URL{Scheme: "file", Path: path}
	return u.String() + hash
}

func (b *Tab) Settled() {
	b.T.Helper()
	Eval[bool](b, `new Promise(r =>
		requestAnimationFrame(() => requestAnimationFrame(() => r(true))))`)
}

// Eval waits if the expression is a promise.
func Eval[T any](b *Tab, script string) T {
	b.T.Helper()
	return Run(b, chromedp.Evaluate[T](script, chromedp.EvalAwaitPromise))
}

func (b *Tab) Key(key string) {
	b.T.Helper()
	Run(b, chromedp.KeyEvent(key))
	b.Settled()
}

// Click moves the pointer away afterwards.
func (b *Tab) Click(selector string) {
	b.T.Helper()
	// A click is aimed at a point, so nothing may move meanwhile.
	Run(b, chromedp.ScrollIntoView(selector))
	b.Settled()
	Run(b, chromedp.Click(selector))
	Eval[bool](b, `document.activeElement.blur(), true`)
	b.Settled()
}

func (b *Tab) Reload() {
	b.T.Helper()
	Run(b, chromedp.Reload())
	b.Settled()
}

// Back preserves the scroll position.
func (b *Tab) Back() {
	b.T.Helper()
	Eval[bool](b, `new Promise(done => {
		addEventListener("hashchange", () => done(true), {once: true});
		history.back();
	})`)
	b.Settled()
}

func (b *Tab) Requests() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.requests)
}

// CutOff returns the texts that exceed the selected pictures in a possible font.
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

// Axe returns the source of axe-core in the directory of a page's scripts, or skips the test.
func Axe(t testing.TB, front string) string {
	t.Helper()
	source, err := os.ReadFile(filepath.Join(front, "node_modules", "axe-core", "axe.min.js"))
	if err != nil {
		need.Skip(t, "axe-core is not installed: npm ci in reports/page/front")
	}
	return string(source)
}

func (b *Tab) Violations(axe string) []string {
	b.T.Helper()
	Eval[bool](b, axe+";true")
	return Eval[[]string](b, `axe.run().then(r => r.violations.flatMap(v =>
		v.nodes.map(n => v.id + ": " + n.html.slice(0, 150) + " " + n.failureSummary)))`)
}
