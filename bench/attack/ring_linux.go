package attack

import (
	"context"
	"io"
	"math"
	"net"
	"os"
	"runtime"
	"slices"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A ring is a set of clients that one goroutine serves by waiting for all their answers at once.
// With a goroutine for each, the scheduler and network poller cost an eighth of a request. A client
// whose answer has no length, does not fit the buffer or needs a new connection continues in its
// own goroutine, even in the middle of a request.
type ring struct {
	of          *closedLoop
	to          *host
	epoll, bell int
	buffer      []byte
	flying      []*client // by number; nil: not in the ring
	check       int64     // no request is late before
	mu          sync.Mutex
	coming      []*client
	over        bool // no further client joins
}

type flight struct {
	w    *wire
	was  *trackedConn // for the text of errors
	fd   int          // of the connection, detached from the network poller
	sent int          // bytes of the request
	come []byte
	err  error // after the received bytes
	// when the first byte arrived, in ns from the start; 0: not yet
	heard int64
}

// rings uses half of the processors, because a server on loopback needs the others.
func (l *closedLoop) rings() (rings []*ring, end func()) {
	all := l.caller.wiring
	if all == nil || l.attack.Connections > 0 || l.caller.lazy ||
		l.attack.ClientStages != nil || // its clients pause
		l.attack.Session.Thinks() || // its clients would pause within a session
		l.attack.virtual || l.attack.dial != nil {
		return nil, func() {}
	}
	to := l.caller.messages[0].wired.to
	for _, m := range l.caller.messages {
		o := m.wired
		if o.to != to || o.to.tls != nil || len(o.bytes) > atOnce || o.closes {
			return nil, func() {}
		}
	}
	var running sync.WaitGroup
	for range max(1, min(runtime.GOMAXPROCS(0)/2, l.attack.Clients)) {
		r := &ring{of: l, to: to, buffer: make([]byte, 64<<10),
			flying: make([]*client, l.attack.Clients), check: math.MaxInt64}
		if !r.open() {
			break // use those made so far
		}
		rings = append(rings, r)
		running.Go(r.run)
	}
	forget := context.AfterFunc(l.ctx, func() {
		for _, r := range rings {
			r.ring()
		}
	})
	return rings, func() {
		forget()
		for _, r := range rings {
			r.mu.Lock()
			r.over = true
			r.mu.Unlock()
			r.ring()
		}
		running.Wait()
	}
}

func (r *ring) open() bool {
	var err error
	if r.epoll, err = unix.EpollCreate1(unix.EPOLL_CLOEXEC); err != nil {
		return false
	}
	if r.bell, err = unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK); err == nil {
		if err = r.await(r.bell, -1); err == nil {
			return true
		}
		_ = unix.Close(r.bell)
	}
	_ = unix.Close(r.epoll)
	return false
}

func (r *ring) await(fd int, number int32) error {
	return unix.EpollCtl(r.epoll, unix.EPOLL_CTL_ADD, fd,
		&unix.EpollEvent{Events: unix.EPOLLIN | unix.EPOLLRDHUP | unix.EPOLLET, Fd: number})
}

func (r *ring) ring() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.bell >= 0 {
		_, _ = unix.Write(r.bell, []byte{1, 0, 0, 0, 0, 0, 0, 0}) // if full, it rings already
	}
}

// takeOver makes the ring continue a client that has its answer.
func (r *ring) takeOver(c *client) bool {
	if r == nil || c.ring == nil {
		return false
	}
	w := r.to.standing()
	if w == nil {
		return false
	}
	c.flight = flight{w: w, was: w.conn, fd: -1}
	if err := w.raw.Control(func(fd uintptr) {
		c.fd, _ = unix.FcntlInt(fd, unix.F_DUPFD_CLOEXEC, 0)
	}); err != nil || c.fd < 0 {
		r.to.release(w)
		return false
	}
	w.close()
	r.mu.Lock()
	r.coming = append(r.coming, c)
	r.mu.Unlock()
	r.ring()
	return true
}

func (r *ring) run() {
	defer r.close()
	events := make([]unix.EpollEvent, 128)
	for over, wait := false, -1; !over; wait = r.late() {
		n, _ := unix.EpollWait(r.epoll, events, wait) // interrupted: none
		for _, e := range events[:max(n, 0)] {
			if e.Fd < 0 {
				over = r.land()
			} else if c := r.flying[e.Fd]; c != nil {
				r.read(c, e.Events == unix.EPOLLIN)
			}
		}
	}
}

func (r *ring) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, _ = unix.Close(r.bell), unix.Close(r.epoll)
	r.bell = -1
}

// over reports that no client is left.
func (r *ring) land() (over bool) {
	_, _ = unix.Read(r.bell, r.buffer[:8])
	r.mu.Lock()
	coming := r.coming
	r.coming, over = nil, r.over
	r.mu.Unlock()
	for _, c := range coming {
		r.flying[c.number] = c
		if !c.next() {
			r.end(c)
		} else if err := r.await(c.fd, c.number); err != nil {
			r.leave(c)
		} else {
			r.send(c)
		}
	}
	return over
}

func (r *ring) end(c *client) {
	r.flying[c.number] = nil
	_ = unix.Close(c.fd) // nothing is on it
	r.to.release(c.w)
	r.of.clients.Done()
}

func (r *ring) send(c *client) {
	r.check, c.heard = min(r.check, c.deadline()), 0
	b := c.message.wired.bytes
	if c.sent = 0; c.message.err != nil || len(b) > atOnce {
		r.leave(c)
		return
	}
	n, err := uninterrupted(syscall.Write, c.fd, b)
	if c.sent = max(n, 0); err != nil || n < len(b) {
		r.leave(c)
	}
}

func (c *client) deadline() int64 { return c.start + int64(c.of.attack.Timeout) }

func (r *ring) read(c *client, open bool) {
	n, err := uninterrupted(syscall.Read, c.fd, r.buffer)
	if err == syscall.EAGAIN && open {
		return
	}
	come := r.buffer[:max(n, 0)]
	now := r.of.now()
	if n > 0 && c.heard == 0 {
		c.heard = now
	}
	if len(c.come) > 0 {
		c.come = append(c.come, come...)
		come = c.come
	}
	o := c.message.wired
	if n <= 0 || !open {
		if c.come = slices.Clone(come); err == nil && n == 0 {
			c.err = io.EOF
		} else if err != nil && err != syscall.EAGAIN {
			c.err = opError("read", c.was, err)
		}
		r.leave(c)
		return
	}
	h, ok := parseHead(come, o.Method)
	whole := int64(h.Size) + h.Length
	switch {
	case !ok, h.Length < 0, whole > int64(len(r.buffer)),
		r.of.attack.Redirects > 0 && h.Redirects && isRedirect(h.Status):
		c.ring = nil
		fallthrough
	case h.Closes, int64(len(come)) > whole:
		c.come = slices.Clone(come)
		r.leave(c)
	case int64(len(come)) < whole:
		c.come = slices.Clone(come)
	default:
		c.come = nil
		a := answer{status: h.Status, in: h.Length, out: o.body, kept: r.of.caller.keptAnswer(h.Status),
			firstByte: time.Duration(c.heard - c.start)}
		if a.kept != nil {
			a.kept.Head = append(a.kept.Head, come[:h.Size]...)
			_, _ = a.kept.Write(come[h.Size:]) // never fails
		}
		c.settle(a, now)
		if c.next() {
			r.send(c)
		} else {
			r.end(c)
		}
	}
}

// wait is in ms.
func (r *ring) late() (wait int) {
	ended, now := r.of.ctx.Err() != nil, r.of.now()
	if ended || now >= r.check {
		r.check = math.MaxInt64
		for _, c := range r.flying {
			if c == nil {
				continue
			}
			if ended || now >= c.deadline() {
				r.leave(c)
			} else {
				r.check = min(r.check, c.deadline())
			}
		}
	}
	if r.check == math.MaxInt64 {
		return -1
	}
	return int(min((r.check-now)/1e6+1, math.MaxInt32))
}

// leave lets a goroutine finish the client's request and continue.
func (r *ring) leave(c *client) {
	r.flying[c.number] = nil
	_ = unix.EpollCtl(r.epoll, unix.EPOLL_CTL_DEL, c.fd, nil)
	go func() {
		c.settle(c.rest(r.of.caller.wiring, c.message.wired), r.of.now())
		if !c.ring.takeOver(c) {
			c.sendRequests()
		}
	}()
}

// rest is wiring.call from the point where the ring stopped.
func (c *client) rest(all *wiring, o *outgoing) answer {
	deadline := c.of.base.Add(time.Duration(c.deadline()))
	c.w.deadline, c.w.sent = deadline, c.of.base.Add(time.Duration(c.start))
	var a answer
	got := c.finish(all, o, &a)
	if c.heard > 0 {
		a.firstByte = time.Duration(c.heard - c.start)
	}
	all.retry(all.ctx, c.w, o, true, &a, got)
	c.w.ended = time.Now()
	o.to.release(c.w)
	if a.redirect != nil {
		return all.follow(all.ctx, c.message, deadline, a)
	}
	return a
}

func (c *client) finish(all *wiring, o *outgoing, a *answer) (got reached) {
	w := c.w
	if a.err = c.attach(all.conns); a.err != nil {
		return written
	}
	if a.err = c.message.err; a.err != nil {
		return begun // it is not sent again
	}
	if c.sent < len(o.bytes) {
		if n, err := w.stream.Write(o.bytes[c.sent:]); err != nil {
			w.close()
			a.err = err
			return min(written, reached(c.sent+n))
		}
	}
	if w.limit.come = c.come; c.err != nil {
		w.limit.from = ended{c.err}
	}
	return all.answer(w, o, func() bool { return c.err == nil }, a)
}

func (c *client) attach(all *connSet) error {
	f := os.NewFile(uintptr(c.fd), "")
	raw, err := net.FileConn(f)
	_ = f.Close() // raw has its own copy
	if err != nil {
		return err
	}
	made, err := all.Add(raw)
	if err != nil {
		return err
	}
	if err := c.w.use(made.(*trackedConn)); err != nil {
		return err
	}
	return c.w.conn.Expect(c.w.deadline)
}

type ended struct{ err error }

func (e ended) Read([]byte) (int, error) { return 0, e.err }
