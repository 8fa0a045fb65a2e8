package attack

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/poolbench/poolbench/internal/transport"
)

// A wiring sends over its own connections instead of net/http's, whose goroutines and hand-overs
// cost as much as the rest of a call on loopback, and would be measured as the server's time.
type wiring struct {
	*caller
	tls   *tls.Config
	mu    sync.Mutex
	hosts map[string]*host
}

type outgoing struct {
	*http.Request
	to     *host
	bytes  []byte // head and body
	body   int64  // of it, the body
	closes bool
}

type wire struct {
	conn   *trackedConn       // nil: none is open
	stream io.ReadWriteCloser // the conn, or TLS on it
	raw    syscall.RawConn
	limit  limited
	reader *bufio.Reader
	turn   connTurn
	first  [2 << 10]byte // buffer of first reads
	// of the last call
	sent, ended, deadline time.Time
}

// Wires are not used with a proxy, or on systems where a connection cannot be tested for being
// open.
func (c *caller) canWire(a Attack) (ok bool, why string) {
	if a.netHTTP {
		return false, "as requested"
	}
	if a.Clients == 0 && !canPeek {
		return false, "this system cannot check whether a connection is still open"
	}
	for _, m := range c.messages {
		if a.UnixSocket != "" {
			break
		}
		if proxy, err := http.ProxyFromEnvironment(m.built); proxy != nil || err != nil {
			return false, "the environment defines a proxy"
		}
	}
	return true, ""
}

func (c *caller) newWiring() *wiring {
	all := &wiring{caller: c, hosts: map[string]*host{}, tls: c.tls.Clone()}
	all.tls.NextProtos = []string{"http/1.1"}
	all.tls.ClientSessionCache = tls.NewLRUClientSessionCache(0)
	return all
}

func (all *wiring) prepare(m *message) (err error) {
	if m.form == nil {
		m.wired, err = all.encode(m.withCookies(context.Background()))
		return err
	}
	marked, ok := m.form.Marked()
	if !ok {
		marked = *m.request // encoded in full each time
	}
	marked = withoutUser(marked)
	r, err := marked.Request()
	if err != nil {
		return err
	}
	if m.wired, err = all.encode(r); err == nil && ok {
		// a request with a mark twice is encoded in full each time, too
		m.form.frame, _ = m.form.Frame(m.wired.bytes)
	}
	return err
}

func (all *wiring) spoken() string { return all.spokenOr("") }

func (all *wiring) close() {} // the caller closes connections

func (all *wiring) encode(r *http.Request) (*outgoing, error) {
	o, err := all.encoded(r)
	return &o, err
}

func (all *wiring) encoded(r *http.Request) (outgoing, error) {
	to, err := all.host(r)
	if err != nil {
		return outgoing{}, err
	}
	r.Close = r.Close || all.attack.NoKeepAlive // adds Connection: close
	var b bytes.Buffer
	if err := r.Write(&b); err != nil {
		return outgoing{}, err
	}
	o := outgoing{Request: r, to: to, bytes: b.Bytes(), body: max(r.ContentLength, 0),
		closes: r.Close}
	for _, token := range strings.Split(strings.Join(r.Header["Connection"], ","), ",") {
		o.closes = o.closes || strings.EqualFold(strings.TrimSpace(token), "close")
	}
	return o, nil
}

// call sends over the last used wire to the host, or over a new one.
func (all *wiring) call(ctx context.Context, m *message) answer {
	now := time.Now()
	deadline := now.Add(all.attack.Timeout)
	a := all.exchange(ctx, m.wired, now, deadline)
	if a.redirect != nil {
		return all.follow(ctx, m, deadline, a)
	}
	return a
}

func (all *wiring) exchange(
	ctx context.Context, o *outgoing, now, deadline time.Time,
) (a answer) {
	w, waited, err := o.to.acquire(ctx, deadline)
	if err != nil {
		return answer{err: err}
	}
	if w.sent = now; waited {
		w.sent = time.Now()
	}
	w.deadline = deadline
	used := w.conn != nil
	got := all.try(ctx, w, o, now.Sub(w.ended) > longIdle, &a)
	all.retry(ctx, w, o, used, &a, got)
	w.ended = time.Now()
	o.to.release(w)
	return a
}

// retry repeats the call if the server had closed the idle connection, if nothing was written, or
// if resending is allowed.
func (all *wiring) retry(
	ctx context.Context, w *wire, o *outgoing, used bool, a *answer, got reached,
) {
	if a.err == nil || !used || got == begun || ctx.Err() != nil || isTimeout(a.err) {
		return
	}
	if got == written && !(all.attack.Resend && transport.Repeatable(o.Request)) {
		return
	}
	*a = answer{}
	if all.try(ctx, w, o, false, a) != nothing && got == written {
		all.resent.Add(1)
	}
}

type reached int

const (
	nothing reached = iota
	written         // the request, or a part of it
	begun           // the answer
)

// A request of at most atOnce bytes fits the buffers of a socket. It is written before reading, so
// the answer of a server that does not read it is received.
const atOnce = 16 << 10

func (all *wiring) try(
	ctx context.Context, w *wire, o *outgoing, idle bool, a *answer,
) (got reached) {
	if a.err = all.open(ctx, w, o.to, idle); a.err != nil {
		return nothing
	}
	if ctx.Done() != all.ctx.Done() { // else the end of the attack closes the connection
		c := w.conn
		stop := context.AfterFunc(ctx, c.GiveUp)
		defer func() {
			if !stop() {
				w.close()
			}
		}()
	}
	finish := func() bool { return true }
	if len(o.bytes) > atOnce {
		finish = w.writing(o.bytes)
	} else if n, err := w.write(o.bytes); err != nil {
		w.close()
		a.err = err
		return min(written, reached(n))
	}
	return all.answer(w, o, finish, a)
}

func (all *wiring) answer(
	w *wire, o *outgoing, finish func() bool, a *answer,
) (got reached) {
	got = w.read(o, all.attack.Redirects > 0, all.caller, a)
	if !finish() || a.err != nil || a.closes || o.closes || w.reader.Buffered() > 0 ||
		len(w.limit.come) > 0 {
		w.close()
	}
	return got
}

func (w *wire) write(b []byte) (n int, err error) {
	if canPeek && w.raw != nil && w.stream == io.ReadWriteCloser(w.conn) {
		if n, w.limit.come, err = w.turn.Do(w.conn, w.raw, b, w.first[:]); err != nil {
			return n, err
		}
	}
	if n < len(b) {
		var more int
		more, err = w.stream.Write(b[n:])
		n += more
	}
	return n, err
}

// Writing may continue after the answer, as in net/http.
const patience = 50 * time.Millisecond

// finish stops the writing, which is concurrent with reading, and reports whether all was written.
func (w *wire) writing(b []byte) (finish func() bool) {
	ended := make(chan error, 1)
	go func() {
		_, err := w.stream.Write(b)
		ended <- err
	}()
	return func() bool {
		late := time.NewTimer(patience)
		defer late.Stop()
		select {
		case err := <-ended:
			return err == nil
		case <-late.C:
			_ = w.conn.Conn.Close() // ends the writer
			<-ended
			return false
		}
	}
}

// A connection is tested for being open after longIdle. Servers close connections that are idle for
// seconds.
const longIdle = time.Millisecond

func (all *wiring) open(ctx context.Context, w *wire, to *host, idle bool) error {
	if w.conn != nil {
		if err := w.conn.Expect(w.deadline); err == nil && (!idle || quiet(w.raw)) {
			return nil
		}
		w.close()
	}
	dialing, cancel := context.WithDeadline(ctx, w.deadline)
	defer cancel()
	made, err := all.conns.Dial(dialing, "tcp", to.address)
	if err != nil {
		return err
	}
	c := made.(*trackedConn)
	if err := w.use(c); err != nil {
		return err
	}
	w.sent = time.Now()
	if to.tls != nil {
		secure, err := transport.Secure(dialing, c, to.tls)
		if all.conns.Secured(dialing, err) != nil {
			w.close()
			return err
		}
		w.stream = secure
		now := time.Now()
		all.calls.Secured(now.Sub(w.sent))
		w.sent = now
		over := "HTTP/1.1 over " + tls.VersionName(secure.ConnectionState().Version)
		all.protocol.CompareAndSwap(nil, &over)
	}
	w.limit.from = w.stream
	return c.Expect(w.deadline)
}

func (w *wire) use(c *trackedConn) (err error) {
	w.conn, w.stream, w.raw = c, c, nil
	if under, ok := c.Conn.(syscall.Conn); ok {
		if w.raw, err = under.SyscallConn(); err != nil {
			w.close()
			return err
		}
	}
	w.limit.from, w.limit.come = c, nil
	w.reader.Reset(&w.limit)
	return nil
}

func (w *wire) close() {
	if w.conn != nil {
		_ = w.stream.Close() // it is closed anyway
		w.conn = nil
	}
}

func isTimeout(err error) bool {
	var t interface{ Timeout() bool }
	return errors.As(err, &t) && t.Timeout()
}

// http.ReadResponse would read a header without limit.
type limited struct {
	come []byte // already received
	from io.Reader
	left int64
}

func (l *limited) Read(p []byte) (int, error) {
	if l.left <= 0 {
		return 0, errors.New("the header is larger than 1 MiB")
	}
	p = p[:min(int64(len(p)), l.left)]
	var n int
	var err error
	if len(l.come) > 0 {
		n = copy(p, l.come)
		l.come = l.come[n:]
	} else {
		n, err = l.from.Read(p)
	}
	l.left -= int64(n)
	return n, err
}
