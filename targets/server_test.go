package targets_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/poolbench/poolbench/targets"
)

type hosted struct {
	addr   string
	target targets.Target
}

// shortTimeouts are still long compared with scheduling stalls of a busy machine.
func shortTimeouts(s *http.Server) {
	s.ReadHeaderTimeout, s.ReadTimeout, s.WriteTimeout, s.IdleTimeout = 500*time.Millisecond,
		time.Second, 2*time.Second, 500*time.Millisecond
}

func host(
	t *testing.T, spelling string, work func(context.Context, uint64) error,
	change func(*http.Server),
) hosted {
	t.Helper()
	target := build(t, spelling)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := targets.NewServer(targets.Handler(target, work))
	change(server)
	server.ErrorLog = log.New(io.Discard, "", 0)
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
	})
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
		wg.Wait()
	})
	return hosted{listener.Addr().String(), target}
}

func (h hosted) dial(t *testing.T) *net.TCPConn {
	t.Helper()
	conn, err := net.Dial("tcp", h.addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	return conn.(*net.TCPConn)
}

func (h hosted) count(name string) int64 {
	for _, c := range h.target.(targets.Counted).Counts() {
		if c.Name == name {
			return c.Value
		}
	}
	panic("no counter " + name)
}

func (h hosted) waitForCount(name string, value int64) {
	for h.count(name) != value {
		time.Sleep(time.Millisecond)
	}
}

func statuses(t *testing.T, conn net.Conn) (all []int) {
	t.Helper()
	for r := bufio.NewReader(conn); ; {
		answer, err := http.ReadResponse(r, nil)
		if err != nil {
			if errors.Is(err, os.ErrDeadlineExceeded) {
				t.Error("the server holds on to the connection")
			}
			return all
		}
		all = append(all, answer.StatusCode)
		if _, err := io.Copy(io.Discard, answer.Body); err != nil {
			return all
		}
	}
}

const request = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"

func sends(text string) func(*testing.T, *net.TCPConn) {
	return func(t *testing.T, conn *net.TCPConn) { _, _ = io.WriteString(conn, text) }
}

// A client that disconnects must leave the queue for a connection.
func TestClientLeavesTheLine(t *testing.T) {
	finish := make(chan struct{})
	h := host(t, "conn_pool:conns=1,timeout=1h",
		func(context.Context, uint64) error { <-finish; return nil }, func(s *http.Server) {
			s.IdleTimeout = 100 * time.Millisecond
		})
	first, second, third := h.dial(t), h.dial(t), h.dial(t)
	sends(request)(t, first)
	h.waitForCount("admitted-calls", 1)
	sends(request)(t, second)
	h.waitForCount("delayed-calls", 1)
	sends(request)(t, third)
	h.waitForCount("delayed-calls", 2)
	if err := second.Close(); err != nil {
		t.Fatal(err)
	}
	h.waitForCount("abandoned-calls", 1)
	close(finish)
	for name, conn := range map[string]net.Conn{"first": first, "third": third} {
		if got := statuses(t, conn); !slices.Equal(got, []int{200}) {
			t.Errorf("the %s client is answered %v", name, got)
		}
	}
}

type pipes chan net.Conn

func (p pipes) Accept() (net.Conn, error) {
	if conn, open := <-p; open {
		return conn, nil
	}
	return nil, net.ErrClosed
}
func (p pipes) Close() error   { return nil }
func (p pipes) Addr() net.Addr { return &net.IPAddr{} }

// After arbitrary bytes and a disconnection, the connection must end. There may be no more calls
// than requests.
func FuzzServer(f *testing.F) {
	for _, s := range []string{"", request, request + request, request[:20], "\x00",
		"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc",
		"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n",
		"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "GET / HTTP/1.0\r\n\r\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, sent []byte) {
		target := build(t, "concurrency_cap:limit=1")
		server := targets.NewServer(targets.Handler(target, nothing))
		server.ErrorLog = log.New(io.Discard, "", 0)
		ended := make(chan struct{})
		server.ConnState = func(_ net.Conn, state http.ConnState) {
			if state == http.StateClosed || state == http.StateHijacked {
				close(ended)
			}
		}
		client, other := net.Pipe()
		listener := make(pipes, 1)
		listener <- other
		close(listener)
		if err := server.Serve(listener); !errors.Is(err, net.ErrClosed) {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		wg.Go(func() { _, _ = io.Copy(io.Discard, client) })
		_, _ = client.Write(sent) // the server may close it first
		_ = client.Close()
		wg.Wait()
		<-ended
		counts := target.(targets.Counted).Counts()
		if n := counts[0].Value + counts[1].Value +
			counts[2].Value; n > int64(bytes.Count(sent, []byte("HTTP/"))) || counts[1].Value != 0 {
			t.Errorf("%q leads to %v", sent, counts)
		}
	})
}
