package attack_test

import (
	"context"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/poolbench/poolbench/bench/attack"
)

// A heldConn is a connection whose reader is held up, as on a busy machine: Read returns the bytes
// that arrived in time, but returns later.
type heldConn struct {
	net.Conn
	held time.Duration
}

func (c heldConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	time.Sleep(c.held)
	return n, err
}

// An answer that is read after the timeout must not count as completed, by any way and any load.
func TestReadTooLate(t *testing.T) {
	const timeout, answers = 2 * time.Second, 500 * time.Millisecond
	for name, a := range map[string]attack.Attack{
		"wire":     {},
		"net/http": attack.Attack{}.ByNetHTTP(),
		"h2c":      {H2C: true},
	} {
		for load, of := range map[string]attack.Attack{"open": {Rate: 1}, "closed": {Clients: 2}} {
			a.Rate, a.Clients, a.Tasks, a.Timeout = of.Rate, of.Clients, 6, timeout
			for _, held := range []time.Duration{0, time.Second, 1600 * time.Millisecond,
				10 * time.Second} {
				synctest.Test(t, func(t *testing.T) {
					listener := &pipes{make(chan net.Conn), make(chan struct{})}
					handler := http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
						time.Sleep(answers)
					})
					server := &http.Server{Handler: handler, Protocols: new(http.Protocols)}
					server.Protocols.SetHTTP1(true)
					server.Protocols.SetUnencryptedHTTP2(true)
					done := make(chan error)
					go func() { done <- server.Serve(listener) }()
					a := a
					a.Requests = []attack.Request{{Method: "GET", URL: "http://127.0.0.1/"}}
					report, err := attack.Run(t.Context(), a.Virtual(func(ctx context.Context,
						network, address string) (net.Conn, error) {
						c, err := listener.dial(ctx, network, address)
						return heldConn{c, held}, err
					}))
					if err != nil {
						t.Fatal(err)
					}
					_ = server.Close()
					<-done
					completed := 0
					for _, s := range report.Statuses {
						completed += s.N
					}
					if held == 0 && completed != 6 || held+answers > timeout && completed > 0 {
						t.Errorf("%s, %s, held %v: %d requests completed, errors %v", name, load,
							held, completed, report.Errors)
					}
					longest, _ := report.Metric("max-service-sec")
					if longest > timeout.Seconds() && completed == 6 {
						t.Errorf("%s, %s, held %v: a completed request took %v s", name, load, held,
							longest)
					}
					time.Sleep(time.Hour) // until abandoned connections have ended
				})
			}
		}
	}
}
