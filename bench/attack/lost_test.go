package attack_test

import (
	"bytes"
	"context"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"

	"golang.org/x/net/http2"

	"github.com/poolbench/poolbench/bench/attack"
)

// The server closes the connection at every tenth request, before the answer. Idempotent requests
// must be retried unless retries are off.
func TestLost(t *testing.T) {
	const tasks, lost = 45, 4
	type connKey struct{}
	var seen atomic.Int64
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter,
		r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if seen.Add(1)%10 == 0 {
			_ = r.Context().Value(connKey{}).(net.Conn).Close()
			<-r.Context().Done()
		}
	}))
	server.Config.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
		return context.WithValue(ctx, connKey{}, c)
	}
	server.Config.Protocols = new(http.Protocols)
	server.Config.Protocols.SetHTTP1(true)
	server.Config.Protocols.SetUnencryptedHTTP2(true)
	server.Start()
	defer server.Close()
	for _, h2c := range []bool{false, true} {
		for method, repeatable := range map[string]bool{"GET": true, "HEAD": true, "PUT": true,
			"DELETE": true, "POST": false, "PATCH": false} {
			for _, resend := range []bool{false, true} {
				seen.Store(0)
				a := attack.Attack{Clients: 1, Tasks: tasks, H2C: h2c, Resend: resend,
					Requests: []attack.Request{{Method: method, URL: server.URL + "/"}}}
				r, err := attack.Run(t.Context(), a)
				if err != nil {
					t.Fatal(err)
				}
				count := func(unit string) int {
					return int(math.Round(metric(t, r, unit) * tasks))
				}
				failed, resent := lost, 0
				if resend && repeatable {
					failed, resent = 0, lost
				}
				if count("failed/op") != failed || count("resent/op") != resent ||
					int(seen.Load()) != tasks+resent {
					t.Errorf("%s, h2c %v, resend %v: %d failed, %d resent, %d seen: %v", method, h2c,
						resend, count("failed/op"), count("resent/op"), seen.Load(), r.Errors)
				}
			}
		}
	}
}

func TestGoneAtOnce(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	gone := &goneFirst{Listener: listener}
	server := &http.Server{Protocols: new(http.Protocols),
		Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})}
	server.Protocols.SetUnencryptedHTTP2(true)
	var serving sync.WaitGroup
	serving.Go(func() { _ = server.Serve(gone) })
	defer func() {
		_ = server.Close()
		serving.Wait()
		gone.ending.Wait()
	}()
	a := attack.Attack{Clients: 1, Tasks: 3, H2C: true, Resend: true,
		Requests: []attack.Request{{URL: "http://" + listener.Addr().String() + "/"}}}
	r, err := attack.Run(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	if n := gone.accepted.Load(); metric(t, r, "failed/op") != 0 || n != 3 {
		t.Errorf("%v, %d connections", r.Errors, n)
	}
}

// goneFirst sends GOAWAY after the settings of its first two connections.
type goneFirst struct {
	net.Listener
	accepted atomic.Int64
	ending   sync.WaitGroup
}

func (g *goneFirst) Accept() (net.Conn, error) {
	for {
		c, err := g.Listener.Accept()
		if err != nil || g.accepted.Add(1) > 2 {
			return c, err
		}
		g.ending.Go(func() {
			var both bytes.Buffer
			w := http2.NewFramer(&both, nil)
			_ = w.WriteSettings()
			_ = w.WriteGoAway(0, http2.ErrCodeNo, nil)
			_, _ = c.Write(both.Bytes())
			_, _ = io.Copy(io.Discard, c)
			_ = c.Close()
		})
	}
}
