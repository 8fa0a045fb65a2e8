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
	"sync"
	"syscall"
	"time"

	"github.com/poolbench/poolbench/internal/once"
)

// A wiring is the connections of an attack, without what net/http does for those who share one. Its
// goroutines and their hand-overs cost as much as the rest of a call on loopback, and would be
// measured as the server's.
type wiring struct {
	*caller
	encoded [][]byte // of each request
	mu      sync.Mutex
	idle    map[string][]*wire // by address, the last used last
}

// A wire is a connection, or is to be one.
type wire struct {
	of     *wiring
	to     string
	conn   net.Conn // nil: none is open
	raw    syscall.RawConn
	limit  limited
	reader *bufio.Reader
	began  time.Time // of the last call
}

// maxWired is the largest body that goes over a wire. It fits the buffers of a socket, so that a
// server that answers without reading it is heard.
const maxWired = 16 << 10

// canWire reports whether each request can go over a wire: plain HTTP, without a proxy, a password,
// a large body, redirects to be followed, or fewer connections than can be in flight.
func (c *caller) canWire(a Attack) bool {
	if a.Redirects > 0 || a.Connections > 0 && (a.Clients == 0 || a.Connections < a.Clients) ||
		a.Clients == 0 && !canPeek {
		return false
	}
	for i, r := range c.built {
		proxy, err := http.ProxyFromEnvironment(r)
		if r.URL.Scheme != "http" || r.URL.User != nil || proxy != nil || err != nil ||
			len(c.requests[i].Body) > maxWired {
			return false
		}
	}
	return true
}

// newWiring makes of each request what goes over a wire.
func (c *caller) newWiring() *wiring {
	all := &wiring{caller: c, idle: map[string][]*wire{}}
	for i, r := range c.built {
		r := r.Clone(context.Background())
		if body := c.requests[i].Body; len(body) > 0 {
			r.Body = io.NopCloser(bytes.NewReader(body))
		}
		var b bytes.Buffer
		if err := r.Write(&b); err != nil {
			panic(fmt.Sprintf("attack: Validate let a request pass: %v", err)) // memory takes all
		}
		all.encoded = append(all.encoded, b.Bytes())
	}
	return all
}

// call makes a call over the wire to its host that was used last, or over a new one.
func (all *wiring) call(ctx context.Context, which int) answer {
	to := all.built[which].URL
	address := to.Host
	if to.Port() == "" {
		address = net.JoinHostPort(to.Hostname(), "80")
	}
	w := all.take(address)
	if w == nil {
		w = &wire{of: all, to: address, reader: bufio.NewReader(nil)}
	}
	defer all.give(w)
	return w.call(ctx, which)
}

func (all *wiring) take(address string) *wire {
	all.mu.Lock()
	defer all.mu.Unlock()
	idle := all.idle[address]
	if len(idle) == 0 {
		return nil
	}
	last := len(idle) - 1
	all.idle[address] = idle[:last]
	return idle[last]
}

func (all *wiring) give(w *wire) {
	all.mu.Lock()
	defer all.mu.Unlock()
	all.idle[w.to] = append(all.idle[w.to], w)
}

// call is caller.call over the wire. On a connection that the server has closed since the last call
// it is made anew, once: where nothing was written, or where a request may be sent again.
func (w *wire) call(ctx context.Context, which int) answer {
	used := w.conn != nil
	a, got := w.try(ctx, which)
	if a.err == nil || !used || got == begun || ctx.Err() != nil || isTimeout(a.err) {
		return a
	}
	if got == written {
		if !w.of.resend || !once.Idempotent(w.of.built[which]) {
			return a
		}
		w.of.resent.Add(1)
	}
	a, _ = w.try(ctx, which)
	return a
}

// How far a call got.
type reached int

const (
	nothing reached = iota
	written         // the request, or a part of it
	begun           // the answer
)

func (w *wire) try(ctx context.Context, which int) (a answer, got reached) {
	if err := w.open(ctx); err != nil {
		return answer{err: err}, nothing
	}
	if ctx.Done() != w.of.ctx.Done() { // else the end of the attack closes the connection
		c := w.conn
		// one that is closed has ended, too
		stop := context.AfterFunc(ctx, func() { _ = c.SetDeadline(time.Unix(1, 0)) })
		defer func() {
			if !stop() {
				w.close()
			}
		}()
	}
	if n, err := w.conn.Write(w.of.encoded[which]); err != nil {
		w.close()
		return answer{err: err}, min(written, reached(n))
	}
	w.limit.left = maxHeader
	if _, err := w.reader.Peek(1); err != nil {
		w.close()
		return answer{err: err}, written
	}
	resp, err := w.head(w.of.built[which])
	if err != nil {
		w.close()
		return answer{err: err}, begun
	}
	w.limit.left = math.MaxInt64
	a = read(resp)
	if a.err != nil || resp.Close || w.reader.Buffered() > 0 {
		// what comes after an answer is nobody's
		w.close()
	}
	return a, begun
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

// longIdle is how long after its last call began a connection is asked whether it still stands:
// servers close what is idle for seconds.
const longIdle = time.Millisecond

// open sees to the connection.
func (w *wire) open(ctx context.Context) error {
	now := time.Now()
	deadline, idle := now.Add(w.of.timeout), now.Sub(w.began) > longIdle
	w.began = now
	if w.conn != nil {
		if err := w.conn.SetDeadline(deadline); err == nil && (!idle || quiet(w.raw)) {
			return nil
		}
		w.close()
	}
	dialing, cancel := context.WithDeadline(ctx, deadline)
	defer cancel()
	made, err := w.of.conns.dial(dialing, "tcp", w.to)
	if err != nil {
		return err
	}
	w.conn, w.limit.from, w.raw = made, made, nil
	if c, ok := made.(*conn).Conn.(syscall.Conn); ok {
		if w.raw, err = c.SyscallConn(); err != nil {
			return err
		}
	}
	w.reader.Reset(&w.limit)
	return w.conn.SetDeadline(deadline)
}

func (w *wire) close() {
	if w.conn != nil {
		_ = w.conn.Close() // it is of no more use
		w.conn = nil
	}
}

func isTimeout(err error) bool {
	var t interface{ Timeout() bool }
	return errors.As(err, &t) && t.Timeout()
}

// A limited reader lets so many bytes pass before it fails: http.ReadResponse would read a header
// without end.
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
