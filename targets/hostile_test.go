package targets_test

import (
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/poolbench/poolbench/targets"
)

// sendSlowly writes the text byte by byte until the server closes the connection.
func sendSlowly(head, text string, pause time.Duration) func(*testing.T, *net.TCPConn) {
	return func(t *testing.T, conn *net.TCPConn) {
		_, err := io.WriteString(conn, head)
		for i := 0; err == nil; i++ {
			time.Sleep(pause)
			_, err = conn.Write([]byte{text[i%len(text)]})
		}
		if errors.Is(err, os.ErrDeadlineExceeded) {
			t.Error("the server takes it all")
		}
	}
}

func sendFast(head, text string) func(*testing.T, *net.TCPConn) {
	return func(t *testing.T, conn *net.TCPConn) {
		_, err := io.WriteString(conn, head)
		for block := strings.Repeat(text, 100); err == nil; {
			_, err = io.WriteString(conn, block)
		}
		if errors.Is(err, os.ErrDeadlineExceeded) {
			t.Error("the server takes it all")
		}
	}
}

// Each connection must end, the next client must be served, and no goroutine may leak.
func TestHostileClients(t *testing.T) {
	noise := make([]byte, 64<<10)
	for i, r := 0, rand.New(rand.NewPCG(1, 1)); i < len(noise); i++ {
		noise[i] = byte(r.Uint32())
	}
	h := host(t, "conn_pool:conns=2,timeout=10s", nothing, shortTimeouts)
	var wg sync.WaitGroup
	for name, c := range map[string]struct {
		attack func(*testing.T, *net.TCPConn)
		want   []int // expected statuses; nil: any
	}{
		"silence":                 {sends(""), []int{}},
		"silence after an answer": {sends(request), []int{200}},
		"slow header": {sendSlowly("GET / HTTP/1.1\r\nHost: x\r\nX: ", "a",
			20*time.Millisecond), nil},
		"slow first line": {sendSlowly("", "GET /", 20*time.Millisecond), nil},
		"slow headers": {sendSlowly("GET / HTTP/1.1\r\nHost: x\r\n", "X: a\r\n",
			20*time.Millisecond), nil},
		"slow body": {sendSlowly("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: "+
			"100000\r\n\r\n", "a", 20*time.Millisecond), nil},
		"slow chunks": {sendSlowly("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: "+
			"chunked\r\n\r\n", "1\r\na\r\n", 20*time.Millisecond), nil},
		"huge header": {sends("GET / HTTP/1.1\r\nHost: x\r\nX: " +
			strings.Repeat("a", 20<<10) + "\r\n\r\n"), []int{431}},
		"endless header":     {sendFast("GET / HTTP/1.1\r\nHost: x\r\nX: ", "a"), nil},
		"endless headers":    {sendFast("GET / HTTP/1.1\r\nHost: x\r\n", "X: a\r\n"), nil},
		"endless first line": {sendFast("GET /", "a"), nil},
		"endless body": {sendFast("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: "+
			"999999999999\r\n\r\n", "a"), nil},
		"endless chunks": {sendFast("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: "+
			"chunked\r\n\r\n", "1\r\na\r\n"), nil},
		"endless chunk extension": {
			sendFast("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1;", "a"), nil},
		"noise": {sends(string(noise)), nil},
		"a TLS hello": {sends("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n"),
			[]int{400}},
		"the preface of HTTP/2": {sends("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), nil},
		"no version":            {sends("GET /\r\n\r\n"), []int{400}},
		"no host":               {sends("GET / HTTP/1.1\r\n\r\n"), []int{400}},
		"two lengths": {sends("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: " +
			"1\r\nContent-Length: 2\r\n\r\nab"), []int{400}},
		"a negative length": {
			sends("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n"), []int{400}},
		"chunks that are none": {
			sends("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzzz\r\n"),
			[]int{400}},
		"a body that never comes": {
			sends("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n"), []int{400}},
		"expects to continue": {
			sends("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\nExpect: 100-continue\r\n\r\n"), nil},
		"pipelined noise": {sends(request + request + "\x00\x01\x02\r\n\r\n" + request),
			[]int{200, 200, 400}},
		"does not read": {sendFast("", request), nil},
		"half closed": {func(t *testing.T, c *net.TCPConn) {
			sends(request)(t, c)
			_ = c.CloseWrite()
		}, nil},
		"half closed in a header": {func(t *testing.T, c *net.TCPConn) {
			sends(request[:20])(t, c)
			_ = c.CloseWrite()
		}, nil},
		"reset in a header": {func(t *testing.T, c *net.TCPConn) {
			sends(request[:20])(t, c)
			_ = c.SetLinger(0)
			_ = c.Close()
		}, nil},
		"reset after the question": {func(t *testing.T, c *net.TCPConn) {
			sends(request)(t, c)
			_ = c.SetLinger(0)
			_ = c.Close()
		}, nil},
	} {
		conn := h.dial(t)
		wg.Go(func() {
			c.attack(t, conn)
			got := statuses(t, conn)
			if c.want != nil && !slices.Equal(got, c.want) {
				t.Errorf("%s: answers %v, want %v", name, got, c.want)
			}
			if slices.Contains(got, 500) && name != "half closed" && name != "does not read" {
				// 500 is expected only after a disconnection
				t.Errorf("%s: answers %v", name, got)
			}
		})
	}
	wg.Wait()
	conn := h.dial(t)
	sends(strings.Replace(request, "\r\n\r\n", "\r\nConnection: close\r\n\r\n", 1))(t, conn)
	if got := statuses(t, conn); !slices.Equal(got, []int{200}) {
		t.Errorf("after all that a client is answered %v", got)
	}
	if q := h.target.(targets.Metered).Quota(); q.Remaining != 2 {
		t.Errorf("after all that %+v", q)
	}
}
