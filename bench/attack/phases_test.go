package attack_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/poolbench/poolbench/bench/attack"
)

// The times to connect, to the first byte and to the end of an answer must be exact to the
// nanosecond.
func TestPhases(t *testing.T) {
	const connect, first, rest = 3 * time.Millisecond, 5 * time.Millisecond, 7 * time.Millisecond
	const moved = "<a href=\"/\">Found</a>.\n\n" // body written by http.Redirect
	handler := func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/gone" {
			http.Redirect(w, r, "/", http.StatusFound)
			return
		}
		time.Sleep(first)
		_ = http.NewResponseController(w).Flush()
		time.Sleep(rest)
		_, _ = w.Write([]byte("hello"))
	}
	for name, by := range map[string]func(attack.Attack) attack.Attack{
		"wires":    func(a attack.Attack) attack.Attack { return a },
		"net/http": attack.Attack.ByNetHTTP,
	} {
		for _, clients := range []int{0, 2} {
			a := attack.Attack{Clients: clients, Tasks: 100, Redirects: 1}
			a.Requests = []attack.Request{
				{Method: "POST", URL: "http://127.0.0.1/", Body: []byte("abc")},
				{Method: "GET", URL: "http://127.0.0.1/gone"}}
			synctest.Test(t, func(t *testing.T) {
				listener := &pipes{make(chan net.Conn), make(chan struct{})}
				server := &http.Server{Handler: http.HandlerFunc(handler)}
				go func() { _ = server.Serve(listener) }()
				var dials atomic.Int64
				report, err := attack.Run(t.Context(), by(a).Virtual(
					func(ctx context.Context, network, address string) (net.Conn, error) {
						dials.Add(1)
						time.Sleep(connect)
						return listener.dial(ctx, network, address)
					}))
				if err != nil {
					t.Fatal(err)
				}
				if err := server.Close(); err != nil {
					t.Error(err)
				}
				time.Sleep(time.Hour)
				for unit, want := range map[string]float64{
					"mean-first-byte-sec": first.Seconds(), "max-first-byte-sec": first.Seconds(),
					"mean-connect-sec": connect.Seconds(), "received-B/op": (5 + float64(len(moved)) + 5) / 2,
					"sent-B/op": 1.5, "connections/op": float64(dials.Load()) / 100,
				} {
					if got, ok := report.Metric(unit); !ok || got < want-1e-12 || got > want+1e-12 {
						t.Errorf("%s, %d clients: %s is %v (%v), want %v", name, clients, unit,
							got, ok, want)
					}
				}
				if _, ok := report.Metric("mean-tls-sec"); ok {
					t.Errorf("%s: a handshake, without TLS", name)
				}
			})
		}
	}
}

// A client may reuse the connection of a client that has ended, so there may be fewer handshakes
// than clients.
func TestHandshakes(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer server.Close()
	a := attack.Attack{Requests: []attack.Request{{Method: "GET", URL: server.URL}}, Clients: 3,
		Tasks: 60, Insecure: true}
	for name, a := range map[string]attack.Attack{"wires": a, "net/http": a.ByNetHTTP()} {
		report, err := attack.Run(t.Context(), a)
		if err != nil {
			t.Fatal(err)
		}
		connections, _ := report.Metric("connections/op")
		tls, ok := report.Metric("mean-tls-sec")
		first, _ := report.Metric("mean-first-byte-sec")
		service, _ := report.Metric("mean-service-sec")
		if connections < 1./60 || !ok || tls <= 0 || first <= 0 || first > service {
			t.Errorf("%s: %v connections, TLS %v, first byte %v of %v", name, connections, tls,
				first, service)
		}
	}
}

func TestRingPhases(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write(make([]byte, 100))
	}))
	defer server.Close()
	report, err := attack.Run(t.Context(), attack.Attack{Clients: 8, Tasks: 2000,
		Requests: []attack.Request{{Method: "GET", URL: server.URL}}})
	if err != nil {
		t.Fatal(err)
	}
	for unit, want := range map[string]float64{"received-B/op": 100, "connections/op": 8. / 2000} {
		if got, _ := report.Metric(unit); got != want {
			t.Errorf("%s is %v, want %v", unit, got, want)
		}
	}
	first, _ := report.Metric("max-first-byte-sec")
	service, _ := report.Metric("max-service-sec")
	if first <= 0 || first > service {
		t.Errorf("the first byte after %v, the whole answer after %v", first, service)
	}
}
