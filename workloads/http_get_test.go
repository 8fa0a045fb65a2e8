package workloads_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/poolbench/poolbench/workloads"
)

// raw starts a server that calls answer for each request, and returns its URL.
func raw(t *testing.T, answer func(c net.Conn)) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	all.Go(func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			all.Go(func() {
				defer c.Close()
				for r := bufio.NewReader(c); ; {
					request, err := http.ReadRequest(r)
					if err != nil {
						return
					}
					request.Body.Close()
					answer(c)
				}
			})
		}
	})
	t.Cleanup(func() {
		listener.Close()
		all.Wait()
	})
	return "http://" + listener.Addr().String() + "/"
}

// drip writes the text repeatedly until the client disconnects.
func drip(c net.Conn, text string) {
	for {
		if _, err := io.WriteString(c, text); err != nil {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

func TestHostileServers(t *testing.T) {
	// only cases with this error use a short timeout
	const tooLate = "no complete answer within 100ms"
	write := func(text string) func(net.Conn) {
		return func(c net.Conn) { io.WriteString(c, text) }
	}
	for name, c := range map[string]struct {
		answer func(net.Conn)
		want   string // in the error
	}{
		"silence": {func(c net.Conn) { io.Copy(io.Discard, c) }, tooLate},
		"slow header": {func(c net.Conn) {
			io.WriteString(c, "HTTP/1.1 200 OK\r\nX: ")
			drip(c, "x")
		}, tooLate},
		"endless header": {func(c net.Conn) {
			io.WriteString(c, "HTTP/1.1 200 OK\r\nX: ")
			drip(c, strings.Repeat("x", 1<<14))
		}, "exceeded"},
		"slow body": {func(c net.Conn) {
			io.WriteString(c, "HTTP/1.1 200 OK\r\n\r\n")
			drip(c, "x")
		}, tooLate},
		"endless body": {func(c net.Conn) {
			io.WriteString(c, "HTTP/1.1 200 OK\r\n\r\n")
			drip(c, strings.Repeat("x", 1<<16))
		},
			"the body is larger than 1 MiB"},
		"endless chunks": {func(c net.Conn) {
			io.WriteString(c, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
			drip(c, "10000\r\n"+strings.Repeat("x", 1<<16)+"\r\n")
		}, "the body is larger than 1 MiB"},
		"body shorter than said": {
			func(c net.Conn) {
				io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nfour")
				c.Close()
			}, "unexpected EOF"},
		"body that does not come": {func(c net.Conn) {
			io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nfour")
			io.Copy(io.Discard, c)
		},
			tooLate},
		"length of nonsense": {write("HTTP/1.1 200 OK\r\nContent-Length: -7\r\n\r\n"),
			"bad Content-Length"},
		"lengths that differ": {
			write("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n"),
			"Content-Length"},
		"redirects in a loop": {
			write("HTTP/1.1 302 Found\r\nLocation: /again\r\nContent-Length: 0\r\n\r\n"),
			"stopped after 10 redirects"},
		"reset before the answer": {func(c net.Conn) { c.(*net.TCPConn).SetLinger(0); c.Close() },
			""},
		"reset in the answer": {func(c net.Conn) {
			io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nfour")
			c.(*net.TCPConn).SetLinger(0)
			c.Close()
		}, ""},
		"garbage": {write("\x00\xff\x00 garbage\r\n\r\n"), "malformed HTTP"},
	} {
		t.Run(name, func(t *testing.T) {
			address := raw(t, c.answer)
			timeout := "1h"
			if c.want == tooLate {
				timeout = "100ms"
			}
			w := build(t, "http_get:conns=2,timeout="+timeout+",url="+address, 1)
			for seq := range uint64(3) {
				// a failed task must not use up a connection of the pool
				err := w.Do(context.Background(), seq)
				if err == nil || !strings.Contains(err.Error(), c.want) ||
					errors.Is(err, context.Canceled) {
					t.Fatalf("task %d: %v, want %q", seq, err, c.want)
				}
				if strings.Contains(err.Error(), address) {
					t.Errorf("the error names the url: %v", err)
				}
			}
		})
	}
}

// The client cannot detect bytes after Content-Length, but must not read them as the next response.
func TestBodyLongerThanSaid(t *testing.T) {
	var n int
	w := build(t, "http_get:conns=1,timeout=5s,url="+raw(t, func(c net.Conn) {
		n++ // no lock: one connection at a time
		io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nConnection: "+
			"close\r\n\r\nfourHTTP/1.1 500 Injected\r\n\r\n")
		c.Close()
	}), 1)
	for seq := range uint64(3) {
		if err := w.Do(context.Background(), seq); err != nil {
			t.Errorf("task %d: %v", seq, err)
		}
	}
	if n != 3 {
		t.Errorf("%d requests, want 3", n)
	}
}

func TestRefusalsSayWhenToComeAgain(t *testing.T) {
	for header, want := range map[string]time.Duration{"": 0, "Retry-After: 7\r\n": 7 * time.Second,
		"Retry-After: soon, or never\r\n": 0} {
		for _, code := range []int{400, 403, 429, 500, 503} {
			address := raw(t, func(c net.Conn) {
				fmt.Fprintf(c, "HTTP/1.1 %d Text\r\n%sContent-Length: 3\r\n\r\nno\n", code, header)
			})
			w := build(t, "http_get:url="+address, 1)
			err := w.Do(context.Background(), 1)
			var status *workloads.StatusError
			if !errors.As(err, &status) ||
				*status != (workloads.StatusError{Code: code, RetryAfter: want}) {
				t.Errorf("%d with %q: %v, want retry after %v", code, header, err, want)
			}
		}
	}
	address := raw(t, func(c net.Conn) {
		io.WriteString(c, "HTTP/1.1 429 No\r\n\r\n")
		drip(c, "x")
	})
	var status *workloads.StatusError
	if err := build(t, "http_get:timeout=100ms,url="+address, 1).Do(context.Background(),
		1); !errors.As(err, &status) || status.Code != 429 {
		t.Errorf("a refusal whose body does not end: %v", err)
	}
}

// A task may wait for a response, for the rest of its body or for a connection.
func TestGetEndsWithItsContext(t *testing.T) {
	began, release := make(chan struct{}, 10), make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		io.WriteString(rw, "part")
		rw.(http.Flusher).Flush()
		began <- struct{}{}
		select {
		case <-r.Context().Done():
		case <-release:
		}
	}))
	t.Cleanup(server.Close)
	w := build(t, "http_get:conns=1,timeout=1h,url="+server.URL, 1)
	ctx, cancel := context.WithCancel(context.Background())
	failed := make(chan error)
	for range 2 { // one has the connection, one waits for it
		go func() { failed <- w.Do(ctx, 1) }()
	}
	<-began
	cancel()
	for range 2 {
		if err := <-failed; err != context.Canceled {
			t.Errorf("cancelled: %v", err)
		}
	}
	if err := w.Do(ctx, 1); err != context.Canceled {
		t.Errorf("with an ended context: %v", err)
	}
	close(release)
	if err := w.Do(context.Background(), 1); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

// The timeout must include the wait for a connection.
func TestConnectionsRunOut(t *testing.T) {
	began, release := make(chan struct{}, 10), make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		began <- struct{}{}
		<-release
	}))
	t.Cleanup(server.Close)
	t.Cleanup(func() { close(release) })
	w := build(t, "http_get:conns=1,timeout=300ms,url="+server.URL, 1)
	failed := make(chan error)
	go func() { failed <- w.Do(context.Background(), 1) }()
	<-began
	if err := w.Do(context.Background(), 2); err == nil ||
		err.Error() != "no complete answer within 300ms" {
		t.Errorf("without a connection: %v", err)
	}
	if err := <-failed; err == nil {
		t.Error("with the connection, but no answer, the task did not fail")
	}
}

// With an external URL, the harness calls the target before Do, because it runs no server.
func TestGetFromOthers(t *testing.T) {
	var seq string
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter,
		r *http.Request) {
		seq = r.Header.Get("Poolbench-Seq")
	}))
	t.Cleanup(server.Close)
	w := build(t, "http_get:service=hyperexp(5ms,9),url="+server.URL, 1)
	if _, served := w.(workloads.Served); served {
		t.Error("it is Served")
	}
	if w.Mean() != 5*time.Millisecond || w.C2() != 9 {
		t.Errorf("mean %v, C² %v, want what is assumed", w.Mean(), w.C2())
	}
	if err := w.Do(context.Background(), 1<<63); err != nil ||
		seq != strconv.FormatUint(1<<63, 10) {
		t.Errorf("%v; the task was %s", err, seq)
	}
	if err := w.(io.Closer).Close(); err != nil {
		t.Error(err)
	}
	if err := w.Do(context.Background(), 1); err == nil ||
		!strings.Contains(err.Error(), "there is no server") {
		t.Errorf("after Close: %v", err)
	}
}

func TestImpossibleGets(t *testing.T) {
	for in, want := range map[string]string{
		"http_get:conns=0": "workload http_get: conns: must be positive, got 0",
		"http_get:timeout=0s": "workload http_get: timeout: must be positive " +
			"and at most 1h, got 0s",
		"http_get:timeout=2h": "workload http_get: timeout: must be positive " +
			"and at most 1h, got 2h",
		"http_get:url=localhost": "workload http_get: url: want an address such as " +
			"http://127.0.0.1:8080/path",
		"http_get:url=ftp://localhost": "workload http_get: url: want an address such as " +
			"http://127.0.0.1:8080/path",
		"http_get:url=http://": "workload http_get: url: want an address such as " +
			"http://127.0.0.1:8080/path",
		"http_get:url=http://u:secret@h:port/": "workload http_get: url: want an address such as " +
			"http://127.0.0.1:8080/path",
		"http_get:url=http://localhost:99999/": "workload http_get: url: want a port from 1 to " +
			"65535",
		"http_get:url=http://u:secret@h/": "workload http_get: url: must contain neither a user " +
			"nor a password, because names of results contain the url",
		"http_get:protocol=http2": "workload http_get: protocol: http2 needs TLS, and its own " +
			"server has no TLS: want h2c",
		"http_get:url=https://localhost,protocol=h2c": "workload http_get: protocol: h2c is " +
			"without TLS: want an http url, or http2",
		"http_get:url=http://localhost,protocol=http2": "workload http_get: protocol: http2 " +
			"needs TLS: want an https url, or h2c",
		"http_get:url=http://localhost,service=0s": "workload http_get: service: the mean must " +
			"be positive",
	} {
		if v, err := parse(in); err == nil || err.Error() != want {
			t.Errorf("%s: %v, %v; want the error %s", in, v, err, want)
		}
	}
}
