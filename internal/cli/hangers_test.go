package cli

import (
	"context"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/poolbench/poolbench/targets"
)

// The server must end despite open connections and work that never ends by itself.
func TestServeEndsWithHangers(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	busy := make(chan struct{})
	server := targets.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		close(busy)
		<-r.Context().Done()
	}))
	ctx, cancel := context.WithCancel(t.Context())
	var end sync.WaitGroup
	end.Go(func() {
		if err := serveUntil(ctx, server, listener, 20*time.Millisecond); err != nil {
			t.Error(err)
		}
	})
	for _, sent := range []string{"", "GET / HT", "GET / HTTP/1.1\r\nX: ", "\x16\x03\x01 garbage",
		"GET / HTTP/1.1\r\nHost: x\r\n\r\n"} {
		c, err := net.Dial("tcp", listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if _, err := io.WriteString(c, sent); err != nil {
			t.Fatal(err)
		}
	}
	<-busy
	cancel()
	end.Wait()
}
