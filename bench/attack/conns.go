package attack

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"sync"
	"time"

	"github.com/poolbench/poolbench/bench/record"
	"github.com/poolbench/poolbench/internal/transport"
)

// connOptions say what a Set connects to, and whom it tells.
type connOptions struct {
	Connect func(ctx context.Context, network, address string) (net.Conn, error)
	Hosts   int                 // that are called
	Calls   *record.CallCounter // which connections are counted by
	Give    func(why error)     // the attack up, with a *NobodyError
}

// A connSet is the open connections. Closing them is how requests in flight are given up: it costs
// a request nothing, where a context of its own would cost it an allocation or two.
type connSet struct {
	connOptions
	mu         sync.Mutex
	open       map[*trackedConn]struct{}
	made       bool // a connection, ever
	refused    int  // dials that failed while none was made
	trusted    bool // the certificate of a server, ever
	distrusted int  // servers whose certificates were not accepted while none was
	closed     bool
}

// newSet has none yet.
func newSet(o connOptions) *connSet {
	return &connSet{connOptions: o, open: map[*trackedConn]struct{}{}}
}

// A NobodyError ends an attack at once: as many dials as there are hosts have failed, and none has
// succeeded.
type NobodyError struct{ error }

// Error implements error.
func (e *NobodyError) Error() string {
	if _, ok := errors.AsType[*transport.TLSError](e.error); ok {
		return "cannot connect: " + e.error.Error()
	}
	return "nobody answers: " + e.error.Error()
}

// Unwrap is why the last dial failed.
func (e *NobodyError) Unwrap() error { return e.error }

// Dialed counts a connection that somebody else has made, in such a time, or has not.
func (s *connSet) Dialed(ctx context.Context, took time.Duration, err error) {
	if err != nil {
		s.failed(ctx, err)
		return
	}
	s.Calls.Connected(took)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.made = true
}

// Dial is the DialContext of a transport. What it makes is a *Conn.
func (s *connSet) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	s.mu.Lock()
	closed := s.closed
	s.mu.Unlock()
	if closed {
		return nil, net.ErrClosed
	}
	begun := time.Now()
	raw, err := s.Connect(ctx, network, address)
	if err != nil {
		s.failed(ctx, err)
		return nil, err
	}
	s.Calls.Connected(time.Since(begun))
	return s.Add(raw)
}

// Add takes a connection to those that are open.
func (s *connSet) Add(raw net.Conn) (net.Conn, error) {
	made := &trackedConn{Conn: raw, of: s}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.made = true
	if s.closed {
		_ = raw.Close() // nothing was sent on it
		return nil, net.ErrClosed
	}
	s.open[made] = struct{}{}
	return made, nil
}

// failed counts a dial that came to nothing, unless it was given up.
func (s *connSet) failed(ctx context.Context, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.made || s.closed || ctx.Err() != nil {
		return
	}
	if s.refused++; s.refused == s.Hosts {
		s.Give(&NobodyError{err})
	}
}

// Secured notes the end of a handshake, and returns err. If the certificate of no server was
// accepted, as many failures as there are hosts end the attack: every other would fail, too.
func (s *connSet) Secured(ctx context.Context, err error) error {
	_, distrusts := errors.AsType[*tls.CertificateVerificationError](err)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil {
		s.trusted = true
	} else if distrusts && !s.trusted && ctx.Err() == nil {
		if s.distrusted++; s.distrusted == s.Hosts {
			s.Give(&NobodyError{err})
		}
	}
	return err
}

// Close closes every connection, and those that are still to come.
func (s *connSet) Close() {
	s.mu.Lock()
	s.closed = true
	open := s.open
	s.open = nil
	s.mu.Unlock()
	for made := range open {
		_ = made.Conn.Close() // whoever is on it learns of it by an error
	}
}
