package attack_test

import (
	"errors"
	"math"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/poolbench/poolbench/bench/attack"
)

// If the server allows too few streams per connection, the attack must open more connections. With
// a fixed number of connections, requests wait.
func TestServerLimit(t *testing.T) {
	for name, c := range map[string]struct {
		allowed, streams, connections int
		opened                        float64 // connections
		waits                         bool
	}{
		"8 of the server":                  {8, 0, 0, 2, false},
		"1 of the server":                  {1, 0, 0, 15, false},
		"5 of the user":                    {8, 5, 0, 3, false},
		"a connection of the user":         {20, 0, 1, 1, false},
		"the user's one, with few streams": {10, 0, 1, 1, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				listener := &pipes{make(chan net.Conn), make(chan struct{})}
				server := &http.Server{Protocols: new(http.Protocols),
					HTTP2: &http.HTTP2Config{MaxConcurrentStreams: c.allowed},
					Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
						time.Sleep(50 * time.Millisecond)
					})}
				server.Protocols.SetUnencryptedHTTP2(true)
				done := make(chan error)
				go func() { done <- server.Serve(listener) }()
				a := attack.Attack{H2C: true, Rate: 290, Tasks: 300, Streams: c.streams,
					Connections: c.connections,
					Requests:    []attack.Request{{Method: "GET", URL: "http://127.0.0.1/"}}}
				r, err := attack.Run(t.Context(), a.Virtual(listener.dial))
				if err != nil {
					t.Error(err)
				}
				_ = server.Close()
				if err := <-done; !errors.Is(err, http.ErrServerClosed) {
					t.Error(err)
				}
				value := func(unit string) float64 {
					v, ok := r.Metric(unit)
					if !ok {
						t.Errorf("no %s", unit)
					}
					return v
				}
				if v := value("server-streams"); v != float64(c.allowed) {
					t.Errorf("the server allows %v", v)
				}
				if n := math.Round(value("connections/op") * 300); n != c.opened {
					t.Errorf("%v connections, want %v", n, c.opened)
				}
				longest := time.Duration(value("max-response-sec") * 1e9).Round(time.Millisecond)
				if c.waits != (longest > 50*time.Millisecond) || len(r.Errors) > 0 {
					t.Errorf("the longest response is %v: %v", longest, r.Errors)
				}
				time.Sleep(time.Hour) // until abandoned handlers have ended
			})
		})
	}
}
