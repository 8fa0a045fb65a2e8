package rpc_test

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"slices"
	"testing"
	"time"

	"golang.org/x/net/http2"

	"github.com/poolbench/poolbench/bench/attack"
)

// A request that has no connection for a retry must not count as retried. The server closes after
// reading a request, over HTTP/2 with GOAWAY.
func TestResentNowhere(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"HTTP/1.1", "h2c", "gRPC"} {
		i := slices.IndexFunc(protocols, func(p protocol) bool { return p.name == name })
		p := protocols[i]
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		gone := make(chan error, 1)
		go func() {
			c, err := listener.Accept()
			if err == nil {
				defer c.Close()
				err = goesAway(c, p.plain, listener.Close)
			}
			gone <- err
		}()
		a := attack.Attack{Clients: 1, Tasks: 2, Resend: true, Timeout: time.Minute}
		p.set(t, &a, listener.Addr().String())
		r, err := attack.Run(t.Context(), a)
		if err := errors.Join(err, <-gone); err != nil {
			t.Fatal(err)
		}
		failed, _ := r.Metric("failed/op")
		if resent, ok := r.Metric("resent/op"); failed == 0 || !ok || resent != 0 {
			t.Errorf("%s: %v failed, %v were sent again: %v", name, failed, resent, r.Errors)
		}
	}
}

// goesAway reads a request and closes the server. Over HTTP/1.1 it answers one request before.
func goesAway(c net.Conn, plain bool, closing func() error) error {
	if plain {
		r := bufio.NewReader(c)
		_, err := http.ReadRequest(r)
		_, told := io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
		_, more := http.ReadRequest(r)
		return errors.Join(err, told, more, closing())
	}
	if _, err := io.ReadFull(c, make([]byte, len(http2.ClientPreface))); err != nil {
		return err
	}
	frames := http2.NewFramer(c, c)
	if err := frames.WriteSettings(); err != nil {
		return err
	}
	for {
		switch f, err := frames.ReadFrame(); {
		case err != nil:
			return err
		case f.Header().Type == http2.FrameHeaders:
			return errors.Join(closing(), frames.WriteGoAway(0, http2.ErrCodeNo, nil))
		}
	}
}
