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

type connOptions struct {
	Connect func(ctx context.Context, network, address string) (net.Conn, error)
	Hosts   int
	Calls   *record.CallCounter
	Give    func(why error) // ends the attack, with a *NobodyError
}

// Closing a connSet cancels the requests in flight. A context for each request would cost one or
// two allocations.
type connSet struct {
	connOptions
	mu         sync.Mutex
	open       map[*trackedConn]struct{}
	made       bool // a connection was ever made
	refused    int  // failed dials before the first connection
	trusted    bool // a server's certificate was ever accepted
	distrusted int  // rejected certificates before the first accepted one
	closed     bool
}

func newSet(o connOptions) *connSet {
	return &connSet{connOptions: o, open: map[*trackedConn]struct{}{}}
}

// A NobodyError ends an attack at once: as many dials as there are hosts failed, and none
// succeeded.
type NobodyError struct{ error }

func (e *NobodyError) Error() string {
	if _, ok := errors.AsType[*transport.TLSError](e.error); ok {
		return "cannot connect: " + e.error.Error()
	}
	return "nobody answers: " + e.error.Error()
}

func (e *NobodyError) Unwrap() error { return e.error }

// Dialed counts a connection that another package made, or failed to make, in the time took.
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

// Secured counts the end of a handshake and returns err. If no server's certificate was accepted,
// as many failures as there are hosts end the attack.
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

// Close closes later connections, too.
func (s *connSet) Close() {
	s.mu.Lock()
	s.closed = true
	open := s.open
	s.open = nil
	s.mu.Unlock()
	for made := range open {
		_ = made.Conn.Close() // its users get an error
	}
}
