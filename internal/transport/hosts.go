package transport

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"
)

type Hosts[C comparable] struct {
	// as in NewDealer
	Connections, Streams int
	Stands               func(C) bool // reports whether a connection accepts calls

	mu sync.Mutex
	by map[string]*Host[C]
}

type Host[C comparable] struct {
	*Dealer
	stands func(C) bool
	mu     sync.Mutex
	slots  []slot[C]
}

type slot[C comparable] struct {
	conn    C           // zero value if there is none
	attempt *attempt[C] // connection attempt in progress, or nil
}

type attempt[C any] struct {
	done      chan struct{}
	conn      C
	err       error
	abandoned bool // its caller gave up, which says nothing about the host
}

func (h *Hosts[C]) Host(name string) *Host[C] {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.by[name] == nil {
		if h.by == nil {
			h.by = map[string]*Host[C]{}
		}
		h.by[name] = &Host[C]{Dealer: NewDealer(h.Connections, h.Streams), stands: h.Stands}
	}
	return h.by[name]
}

func (h *Host[C]) Standing(at int) (conn C, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	var none C
	if at < len(h.slots) {
		conn = h.slots[at].conn
	}
	return conn, conn != none && h.stands(conn)
}

// If the connection is not open, the first caller opens it for all callers. If this caller gives
// up, the next one opens it.
func (h *Host[C]) Conn(
	ctx context.Context, at int, open func(context.Context) (C, error),
) (C, error) {
	var none C
	h.mu.Lock()
	for at >= len(h.slots) {
		h.slots = append(h.slots, slot[C]{})
	}
	for {
		s := h.slots[at]
		if s.conn != none && h.stands(s.conn) {
			h.mu.Unlock()
			return s.conn, nil
		}
		m := s.attempt
		if m == nil {
			break
		}
		h.mu.Unlock()
		select {
		case <-m.done:
		case <-ctx.Done():
			return none, fmt.Errorf("dial not finished: %w", ctx.Err())
		}
		if !m.abandoned {
			return m.conn, m.err
		}
		h.mu.Lock()
	}
	m := &attempt[C]{done: make(chan struct{})}
	h.slots[at].attempt = m
	h.mu.Unlock()
	m.conn, m.err = open(ctx)
	m.abandoned = m.err != nil && ctx.Err() != nil
	h.mu.Lock()
	if h.slots[at].attempt = nil; m.err == nil {
		h.slots[at].conn = m.conn
	}
	h.mu.Unlock()
	close(m.done)
	return m.conn, m.err
}

// Use returns an open connection and its number, which differs from at if the server of that
// connection allows fewer calls. After an error, the number is that of the connection to return
// with Give, or negative if there is none.
func (h *Host[C]) Use(
	ctx context.Context, deadline time.Time, at int,
	open func(ctx context.Context, at int) (C, error),
) (conn C, now int, err error) {
	for {
		conn, err = h.Conn(ctx, at, func(ctx context.Context) (C, error) { return open(ctx, at) })
		if err != nil {
			return conn, at, err
		}
		now, err = h.Keep(ctx, deadline, at)
		switch {
		case err != nil:
			return conn, -1, err
		case now == at:
			return conn, at, nil
		}
		at = now
	}
}

// Leave ends new calls on the connection. Current calls continue.
func (h *Host[C]) Leave(at int, conn C) {
	h.mu.Lock()
	defer h.mu.Unlock()
	var none C
	if h.slots[at].conn == conn {
		h.slots[at].conn = none
	}
}

// CloneForRetry returns a copy of the request with a new body, or nil if the body cannot be read
// again.
func CloneForRetry(r *http.Request) *http.Request {
	if r.Body == nil || r.Body == http.NoBody {
		return r
	}
	if r.GetBody == nil {
		return nil
	}
	body, err := r.GetBody()
	if err != nil {
		return nil
	}
	r = r.WithContext(r.Context())
	r.Body = body
	return r
}
