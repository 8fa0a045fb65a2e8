package attack

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"time"
)

// A wire is the connection of one client of a closed loop, without what http.Client does for those who share connections. Its goroutines
// and their hand-overs cost as much as the rest of a call on loopback, and would be measured as the server's.
type wire struct {
	caller *caller
	conn   net.Conn // nil: none is open
	limit  limited
	reader *bufio.Reader
}

// maxWired is the largest body that goes over a wire. It fits the buffers of a socket, so that a server that answers without reading it is heard.
const maxWired = 16 << 10

// canWire reports whether each request can go over a wire: plain HTTP, without a proxy, a password, a large body or fewer connections than
// clients.
func (c *caller) canWire(a Attack) bool {
	if a.Connections > 0 && a.Connections < a.Clients {
		return false
	}
	for i, r := range c.built {
		proxy, err := http.ProxyFromEnvironment(r)
		if r.URL.Scheme != "http" || r.URL.User != nil || proxy != nil || err != nil || len(c.requests[i].Body) > maxWired {
			return false
		}
	}
	return true
}

// encode makes of each request what goes over a wire.
func (c *caller) encode() (encoded [][]byte) {
	for i, r := range c.built {
		r := r.Clone(context.Background())
		if body := c.requests[i].Body; len(body) > 0 {
			r.Body = io.NopCloser(bytes.NewReader(body))
		}
		var b bytes.Buffer
		if err := r.Write(&b); err != nil {
			panic(fmt.Sprintf("attack: Validate let a request pass: %v", err)) // memory takes all
		}
		encoded = append(encoded, b.Bytes())
	}
	return encoded
}

// errRedirect is the outcome of a call that is for http.Client to make: it knows how to follow.
var errRedirect = errors.New("a redirect to be followed")

// call is caller.call over the wire. A connection that the server has closed since the last call is made anew, once.
func (w *wire) call(ctx context.Context, seq uint64) answer {
	which := seq % uint64(len(w.caller.wired))
	used := w.conn != nil
	a, begun := w.try(ctx, int(which))
	if a.err != nil && used && !begun && ctx.Err() == nil && !isTimeout(a.err) {
		a, _ = w.try(ctx, int(which))
	}
	return a
}

// try makes the call; begun reports whether the server has begun to answer.
func (w *wire) try(ctx context.Context, which int) (a answer, begun bool) {
	deadline := time.Now().Add(w.caller.client.Timeout)
	if err := w.open(ctx, which, deadline); err != nil {
		return answer{err: err}, false
	}
	req := w.caller.built[which]
	if _, err := w.conn.Write(w.caller.wired[which]); err != nil {
		w.close()
		return answer{err: err}, false
	}
	w.limit.left = maxHeader
	if _, err := w.reader.Peek(1); err != nil {
		w.close()
		return answer{err: err}, false
	}
	resp, err := w.head(req)
	if err != nil {
		w.close()
		return answer{err: err}, true
	}
	w.limit.left = math.MaxInt64
	in, err := io.Copy(io.Discard, resp.Body)
	if e := resp.Body.Close(); err == nil {
		err = e
	}
	if err != nil || resp.Close || w.reader.Buffered() > 0 { // what comes after an answer is nobody's
		w.close()
	}
	if err != nil {
		return answer{in: in, err: err}, true
	}
	if w.caller.redirects > 0 && isRedirect(resp) {
		return answer{err: errRedirect}, true
	}
	return answer{status: resp.StatusCode, in: in, out: max(req.ContentLength, 0)}, true
}

// most1xx is how many answers before the answer there may be, as net/http has it.
const most1xx = 5

// head reads up to the body of the answer.
func (w *wire) head(req *http.Request) (*http.Response, error) {
	for range most1xx + 1 {
		resp, err := http.ReadResponse(w.reader, req)
		if err != nil {
			return nil, err
		}
		switch {
		case resp.StatusCode == http.StatusSwitchingProtocols:
			return nil, errors.New("101 Switching Protocols, which nobody asked for")
		case resp.StatusCode >= 200 || resp.StatusCode < 100:
			return resp, nil
		}
	}
	return nil, fmt.Errorf("more than %d 1xx answers", most1xx)
}

// open sees to the connection.
func (w *wire) open(ctx context.Context, which int, deadline time.Time) error {
	if w.conn == nil {
		to := w.caller.built[which].URL
		port := to.Port()
		if port == "" {
			port = "80"
		}
		dialing, cancel := context.WithDeadline(ctx, deadline)
		defer cancel()
		conn, err := w.caller.conns.dial(dialing, "tcp", net.JoinHostPort(to.Hostname(), port))
		if err != nil {
			return err
		}
		w.conn, w.limit.from = conn, conn
		w.reader.Reset(&w.limit)
	}
	return w.conn.SetDeadline(deadline)
}

func (w *wire) close() {
	if w.conn != nil {
		_ = w.conn.Close() // it is of no more use
		w.conn = nil
	}
}

// isRedirect reports whether http.Client would follow the answer.
func isRedirect(r *http.Response) bool {
	switch r.StatusCode {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return r.Header.Get("Location") != ""
	}
	return false
}

func isTimeout(err error) bool {
	var t interface{ Timeout() bool }
	return errors.As(err, &t) && t.Timeout()
}

// A limited reader lets so many bytes pass before it fails: http.ReadResponse would read a header without end.
type limited struct {
	from io.Reader
	left int64
}

// Read implements io.Reader.
func (l *limited) Read(p []byte) (int, error) {
	if l.left <= 0 {
		return 0, errors.New("the header is larger than 1 MiB")
	}
	n, err := l.from.Read(p[:min(int64(len(p)), l.left)])
	l.left -= int64(n)
	return n, err
}
