package transport_test

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/poolbench/poolbench/internal/transport"
)

// The server resets every second request. Transport, unlike net/http, must not retry.
func TestTransport(t *testing.T) {
	for _, idempotent := range []*http.Request{
		httptest.NewRequest(http.MethodGet, "/", nil),
		httptest.NewRequest(http.MethodHead, "/", nil),
		httptest.NewRequest(http.MethodGet, "/", http.NoBody),
		httptest.NewRequest(http.MethodGet, "/", strings.NewReader("body")),
	} {
		for _, again := range []bool{false, true} {
			var seen atomic.Int64
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter,
				r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				if seen.Add(1) != 2 {
					return
				}
				c, _, err := w.(http.Hijacker).Hijack()
				if err != nil {
					t.Error(err)
					return
				}
				_ = c.(*net.TCPConn).SetLinger(0)
				_ = c.Close()
			}))
			plain := &http.Transport{}
			client := http.Client{Transport: transport.Transport{Transport: plain}}
			if again {
				client.Transport = plain
			}
			failed := 0
			for range 3 {
				var body io.Reader
				if idempotent.ContentLength > 0 {
					body = strings.NewReader("body")
				}
				r, err := http.NewRequest(idempotent.Method, server.URL, body)
				if err != nil {
					t.Fatal(err)
				}
				answer, err := client.Do(r)
				if err != nil {
					failed++
					continue
				}
				_ = answer.Body.Close()
			}
			if n := seen.Load(); again && (n != 4 || failed != 0) || !again &&
				(n != 3 || failed != 1) {
				t.Errorf("%s, again %v: the server saw %d, %d failed", idempotent.Method,
					again, n, failed)
			}
			plain.CloseIdleConnections()
			server.Close()
		}
	}
}

func TestSend(t *testing.T) {
	for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodOptions,
		http.MethodTrace, http.MethodPost, http.MethodPut, http.MethodDelete} {
		for _, text := range []string{"", "body"} {
			r := func() *http.Request {
				r, err := http.NewRequest(method, "http://h/", strings.NewReader(text))
				if err != nil {
					t.Fatal(err)
				}
				return r
			}
			plain, sent := r(), r()
			transport.Send(sent)
			want, err := httputil.DumpRequestOut(plain, true)
			if err != nil {
				t.Fatal(err)
			}
			got, err := httputil.DumpRequestOut(sent, true)
			if err != nil || string(got) != string(want) || sent.GetBody != nil {
				t.Errorf("%s %q: %q, %v, want %q", method, text, got, err, want)
			}
		}
	}
}
