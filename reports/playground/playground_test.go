package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/poolbench/poolbench/reports/internal/tab"
)

func TestMain(m *testing.M) {
	tab.Main(m)
	if site.dir != "" {
		_ = os.RemoveAll(site.dir)
	}
}

// site is the page, built once.
var site struct {
	once sync.Once
	dir  string
	err  error
}

// serve builds the page and serves it on this machine, and returns its address.
func serve(t *testing.T) (address string) {
	t.Helper()
	if testing.Short() {
		t.Skip("builds a program and runs it in a browser")
	}
	site.once.Do(func() {
		if site.dir, site.err = os.MkdirTemp("", "playground"); site.err == nil {
			site.err = build(site.dir)
		}
	})
	if site.err != nil {
		t.Fatal(site.err)
	}
	server := httptest.NewServer(http.FileServer(http.Dir(site.dir)))
	t.Cleanup(server.Close)
	return server.URL + "/"
}

// open shows the page with settings, and waits for its first answer or, if final, its last.
func open(b *tab.Tab, address, hash string) {
	b.T.Helper()
	tab.Run(b, chromedp.Navigate("about:blank"))
	tab.Run(b, chromedp.Navigate(address+hash))
	answered(b)
}

// answered waits until both sides have the figures of a full run.
func answered(b *tab.Tab) {
	b.T.Helper()
	for range 1200 {
		if tab.Eval[bool](b, `/^20000 /.test(document.querySelector(".status")?.textContent ?? "")`) {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	b.T.Fatal("no answer: " + tab.Eval[string](b, `document.querySelector("#answer")?.textContent ?? ""`))
}

func TestShots(t *testing.T) {
	address := serve(t)
	b := tab.New(t)
	for _, at := range []struct {
		name   string
		width  int64
		scheme string
	}{{"1280l", 1280, "light"}, {"390d", 390, "dark"}, {"1280d", 1280, "dark"}, {"390l", 390, "light"}} {
		b.Size(at.width, 900)
		b.Media(at.scheme)
		open(b, address, os.Getenv("HASH"))
		time.Sleep(8 * time.Second)
		img := tab.Run(b, chromedp.CaptureScreenshot())
		os.WriteFile("/tmp/shot-"+at.name+".png", img, 0o666)
		h := tab.Eval[int64](b, `document.documentElement.scrollHeight`)
		b.Size(at.width, h)
		b.Settled()
		time.Sleep(500 * time.Millisecond)
		img = tab.Run(b, chromedp.CaptureScreenshot())
		os.WriteFile("/tmp/shot-"+at.name+"-full.png", img, 0o666)
	}
}
