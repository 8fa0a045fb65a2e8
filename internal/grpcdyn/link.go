package grpcdyn

import (
	"bytes"
	"context"
	"net"
	"slices"
	"sync"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
	"google.golang.org/grpc/codes"
)

// A link is a connection of HTTP/2 that carries calls. Whoever calls leaves frames in a buffer that
// one goroutine writes, so that calls at once are one write (write.go); another one reads, and
// hands each answer to whoever waits for it (read.go). By grpc-go's own client, which
// has a context, a timer and a dozen objects for each call, a unary call takes 38 to 55 µs of CPU
// time where it takes 14 to 19 here (50 at once, in pairs, on a busy machine), and that would be
// measured as the server's.
type link struct {
	conn    net.Conn
	to      *peer
	running sync.WaitGroup
	ready   chan struct{} // closed when the server has spoken, or the link is dead
	wake    chan struct{} // the writer
	idle    sync.Pool     // of *flight

	mu      sync.Mutex
	out     []byte // frames to be written
	head    bytes.Buffer
	encoder *hpack.Encoder
	next    uint32 // stream
	calls   map[uint32]*flight
	most    int       // calls at once, the server says
	queue   []*flight // that are more
	blocked []*flight // that wait for a window
	window  int64     // of the connection: bytes that may be sent
	first   int64     // of a stream that begins
	largest int       // frame
	owed    int       // bytes that came, of the connection's window
	acks    int       // that wait to be written
	gone    bool      // it takes no new call
	spoken  bool      // the server has
	dead    error     // why; nil: it is not
}

const (
	firstWindow  = 65535     // RFC 9113, 6.9.2
	firstFrame   = 16 << 10  // 6.5.2
	streamWindow = 1 << 20   // that servers may send of one answer at once
	linkWindow   = 16 << 20  // and of all
	lastStream   = 1<<31 - 1 // 5.1.1
)

// newLink speaks HTTP/2 on c.
func newLink(c net.Conn, to *peer) *link {
	l := &link{conn: c, to: to, ready: make(chan struct{}), wake: make(chan struct{}, 1), next: 1,
		calls: map[uint32]*flight{}, most: lastStream, window: firstWindow, first: firstWindow,
		largest: firstFrame}
	l.idle.New = newFlight
	l.encoder = hpack.NewEncoder(&l.head)
	l.greet()
	l.running.Go(l.read)
	l.running.Go(l.write)
	return l
}

// A flight is a call on a link. Whoever holds the link's lock may change it until it is done.
type flight struct {
	reply
	message *Message
	timeout string
	until   time.Time     // when it gives up
	id      uint32        // its stream; 0: it has not begun
	rest    []byte        // of what is sent
	window  int64         // of it
	blocked bool          // it waits for a window
	done    chan struct{} // has a token when it is over
	timer   *time.Timer
}

func newFlight() any {
	f := &flight{done: make(chan struct{}, 1), timer: time.NewTimer(time.Hour)}
	f.timer.Stop()
	return f
}

// call makes a call, and waits for the answer.
func (l *link) call(ctx context.Context, m *Message, deadline time.Time, wants bool) reply {
	left := time.Until(deadline)
	f := l.idle.Get().(*flight)
	f.reply, f.message, f.timeout = reply{wants: wants, one: !m.Streams()}, m, spellTimeout(left)
	f.until, f.id, f.rest, f.blocked = deadline, 0, nil, false
	l.mu.Lock()
	switch {
	case l.gone:
		l.mu.Unlock()
		f.unsent = true
		f.fail(codes.Unavailable, "the connection has ended")
		return l.put(f)
	case len(l.calls) < l.most:
		l.begin(f)
	default:
		l.queue = append(l.queue, f)
	}
	l.mu.Unlock()
	f.timer.Reset(left)
	select {
	case <-f.done:
	case <-ctx.Done():
		l.giveUp(f, codes.Canceled, context.Cause(ctx).Error())
	case <-f.timer.C:
		l.giveUp(f, codes.DeadlineExceeded, "no answer in time")
	}
	f.timer.Stop()
	return l.put(f)
}

// put has the flight used again, and is what came of it.
func (l *link) put(f *flight) reply {
	r := f.reply
	f.reply, f.message, f.rest = reply{}, nil, nil
	l.idle.Put(f)
	return r
}

// giveUp ends a call from this side.
func (l *link) giveUp(f *flight, code codes.Code, why string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch at := slices.Index(l.queue, f); {
	case at >= 0:
		l.queue = slices.Delete(l.queue, at, at+1)
	case l.calls[f.id] == f:
		l.reset(f.id, http2.ErrCodeCancel)
		l.drop(f)
	default:
		<-f.done // its answer came just now
		return
	}
	f.fail(code, why)
}

// end is that of a call whose answer is complete, or will not be.
func (l *link) end(f *flight) {
	if len(f.rest) > 0 { // nobody reads it
		l.reset(f.id, http2.ErrCodeCancel)
	}
	l.drop(f)
	f.done <- struct{}{}
}

// drop forgets a call, and has the next one begin in its place.
func (l *link) drop(f *flight) {
	delete(l.calls, f.id)
	if f.blocked {
		l.blocked = slices.DeleteFunc(l.blocked, func(b *flight) bool { return b == f })
	}
	l.advance()
	if l.gone && len(l.calls) == 0 && l.dead == nil {
		l.die(net.ErrClosed)
	}
}

// advance has calls begin that the server would not have before.
func (l *link) advance() {
	for len(l.queue) > 0 && len(l.calls) < l.most && !l.gone {
		next := l.queue[0]
		l.queue = slices.Delete(l.queue, 0, 1)
		l.begin(next)
	}
}

// leave has the link take no new call.
func (l *link) leave() {
	l.gone = true
	for _, f := range l.queue {
		f.unsent = true
		f.fail(codes.Unavailable, "the connection has ended")
		f.done <- struct{}{}
	}
	l.queue = nil
	if len(l.calls) == 0 && l.dead == nil {
		l.die(net.ErrClosed)
	}
}

// die ends the link and its calls.
func (l *link) die(err error) {
	if l.dead != nil {
		return
	}
	l.dead = err
	l.leave()
	for _, f := range l.calls {
		f.fail(codes.Unavailable, "the connection broke: "+err.Error())
		f.done <- struct{}{}
	}
	clear(l.calls)
	l.blocked = nil
	if !l.spoken {
		close(l.ready)
	}
	_ = l.conn.Close() // both goroutines learn of it by an error
	l.rouse()
}

// fail is die, for who does not hold the lock.
func (l *link) fail(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.die(err)
}

// isGone reports whether it takes no new call.
func (l *link) isGone() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.gone
}

// why is why it is dead; nil: it is not.
func (l *link) why() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.dead
}

// close ends the link, and waits for its goroutines.
func (l *link) close() {
	l.fail(net.ErrClosed)
	l.running.Wait()
}
