package attack_test

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/poolbench/poolbench/bench/attack"
)

// Without keep-alive each request must use its own connection, also after a redirect.
func TestNoKeepAlive(t *testing.T) {
	for name, a := range ways(t) {
		for _, off := range []bool{false, true} {
			for _, path := range []string{"/", "/{{seq}}", "/redirect"} {
				var opened, asked, closes atomic.Int64
				server := httptest.NewUnstartedServer(http.HandlerFunc(
					func(w http.ResponseWriter, r *http.Request) {
						asked.Add(1)
						if r.Close {
							closes.Add(1)
						}
						if r.URL.Path == "/redirect" {
							http.Redirect(w, r, "/", http.StatusFound)
							return
						}
						_, _ = io.WriteString(w, "good")
					}))
				server.Config.ConnState = func(_ net.Conn, s http.ConnState) {
					if s == http.StateNew {
						opened.Add(1)
					}
				}
				server.Start()
				a := a
				a.Requests = []attack.Request{{Method: "GET", URL: server.URL + path}}
				a.NoKeepAlive, a.Templates, a.Redirects = off, true, 1
				if a.Tasks = 60; a.Clients == 0 {
					a.Rate = 1000
					if !off && a.Limit == 0 { // a busy machine may have all requests in flight
						a.MaxInFlight = 30
					}
				}
				r, err := attack.Run(t.Context(), a)
				server.Close()
				if err != nil {
					t.Fatal(err)
				}
				of := name + path
				n := int64(60)
				if path == "/redirect" {
					n *= 2
				}
				if asked.Load() != n || len(r.Errors) > 0 ||
					len(r.Statuses) != 1 || r.Statuses[0].N != 60 {
					t.Errorf("%s: %d requests: %v %v", of, asked.Load(), r.Statuses, r.Errors)
				}
				want := int64(0)
				if off {
					want = n
				}
				if closes.Load() != want || off != (opened.Load() == n) {
					t.Errorf("%s, off %v: %d connections, %d of %d are to be closed", of, off,
						opened.Load(), closes.Load(), n)
				}
				if off != strings.Contains(r.Name, "/keepalive=false") {
					t.Errorf("%s: the name is %s", of, r.Name)
				}
			}
		}
	}
	a := attack.Attack{NoKeepAlive: true, H2C: true, Tasks: 1,
		Requests: []attack.Request{{URL: "http://127.0.0.1/"}}}
	if err := a.Validate(); err == nil || !strings.Contains(err.Error(), "want HTTP/1.1") {
		t.Errorf("error %v", err)
	}
}
