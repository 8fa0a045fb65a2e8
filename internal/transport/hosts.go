package transport

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"
)

// Hosts manage connections that carry several concurrent calls.
type Hosts[C comparable] struct {
	// connections to each host, and concurrent calls on each; 0: as in NewDealer
	Connections, Streams int
	Stands               func(C) bool // reports whether a connection accepts calls

	mu sync.Mutex
	by map[string]*Host[C]
}

// A Host deals out its connections.
type Host[C comparable] struct {
	*Dealer
	stands func(C) bool
	mu     sync.Mutex
	slots  []slot[C]
}

type slot[C comparable] struct {
	conn   C          // zero: none
	making *making[C] // nil: not connecting
}

// A making is a connection attempt that several callers wait for.
type making[C any] struct {
	done chan struct{}
	conn C
	err  error
	left bool // its caller gave up: the host may be fine
}

// Host returns the host of that name.
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

// Standing returns connection number at, dealt out by the Dealer, if it is open.
func (h *Host[C]) Standing(at int) (conn C, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	var none C
	if at < len(h.slots) {
		conn = h.slots[at].conn
	}
	return conn, conn != none && h.stands(conn)
}

// Conn returns the connection if it is open. Otherwise the first caller makes one for all, or the
// next if that one gives up.
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
		m := s.making
		if m == nil {
			break
		}
		h.mu.Unlock()
		select {
		case <-m.done:
		case <-ctx.Done():
			return none, fmt.Errorf("dial not finished: %w", ctx.Err())
		}
		if !m.left {
			return m.conn, m.err
		}
		h.mu.Lock()
	}
	m := &making[C]{done: make(chan struct{})}
	h.slots[at].making = m
	h.mu.Unlock()
	m.conn, m.err = open(ctx)
	m.left = m.err != nil && ctx.Err() != nil
	h.mu.Lock()
	if h.slots[at].making = nil; m.err == nil {
		h.slots[at].conn = m.conn
	}
	h.mu.Unlock()
	close(m.done)
	return m.conn, m.err
}

// Use returns an open connection for a call that the Dealer assigned to connection at, and its
// number: another one if the server of that one allows fewer calls. After an error the number is
// that of the connection to give back, or below 0.
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

// Leave ends new calls on that connection. Current ones continue.
func (h *Host[C]) Leave(at int, conn C) {
	h.mu.Lock()
	defer h.mu.Unlock()
	var none C
	if h.slots[at].conn == conn {
		h.slots[at].conn = none
	}
}

// Again returns a copy of the request with its own body to send once more, or nil if impossible.
func Again(r *http.Request) *http.Request {
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
