package attack

import (
	"context"
	"net"
	"net/netip"
	"slices"
	"sync"
	"time"
)

// names connects to the addresses of a host in turn. net.Dialer would prefer the first address, and
// look the host up for each connection.
type names struct {
	ttl    time.Duration // how long addresses are used; 0: for one connection
	turn   int           // of the first connection to each host
	lookup func(ctx context.Context, host string) ([]netip.Addr, error)
	to     connect // connects to an address

	mu    sync.Mutex
	hosts map[string]*name
}

type name struct {
	free  chan struct{} // has a token unless somebody looks the host up
	all   []netip.Addr
	until time.Time
	turn  int
}

func (a *Attack) newNames(to connect) *names {
	return &names{ttl: a.DNSTTL, turn: a.Agent, to: to, hosts: map[string]*name{},
		lookup: func(ctx context.Context, host string) ([]netip.Addr, error) {
			return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
		}}
}

func (n *names) host(host string) *name {
	n.mu.Lock()
	defer n.mu.Unlock()
	h := n.hosts[host]
	if h == nil {
		h = &name{free: make(chan struct{}, 1), turn: n.turn}
		h.free <- struct{}{}
		n.hosts[host] = h
	}
	return h
}

// The preferred family comes first (RFC 6724), beginning with the address whose turn it is.
func (n *names) addresses(
	ctx context.Context, address string,
) (preferred, others []string, err error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, nil, err
	}
	if _, err := netip.ParseAddr(host); err == nil || host == "" {
		return []string{address}, nil, nil
	}
	h := n.host(host)
	select {
	case <-h.free:
	case <-ctx.Done():
		return nil, nil, ctx.Err()
	}
	defer func() { h.free <- struct{}{} }()
	if now := time.Now(); len(h.all) == 0 || !now.Before(h.until) {
		if h.all, err = n.lookup(ctx, host); err == nil && len(h.all) == 0 {
			err = &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
		}
		if err != nil {
			h.all = nil
			return nil, nil, &net.OpError{Op: "dial", Net: "tcp", Err: err}
		}
		h.until = time.Now().Add(n.ttl)
	}
	is4 := h.all[0].Unmap().Is4()
	for _, ip := range h.all {
		to := net.JoinHostPort(ip.Unmap().WithZone(ip.Zone()).String(), port)
		if ip.Unmap().Is4() == is4 {
			preferred = append(preferred, to)
		} else {
			others = append(others, to)
		}
	}
	at := h.turn % len(preferred)
	h.turn++
	return slices.Concat(preferred[at:], preferred[:at]), others, nil
}

func (n *names) connect(ctx context.Context, network, address string) (net.Conn, error) {
	preferred, others, err := n.addresses(ctx, address)
	if err != nil {
		return nil, err
	}
	if len(others) == 0 {
		return n.oneOf(ctx, network, preferred)
	}
	return n.race(ctx, network, preferred, others)
}

// minTry is the least time for an address, if there is a deadline, as in package net.
const minTry = 2 * time.Second

// oneOf tries the addresses in turn, each for its part of the time.
func (n *names) oneOf(
	ctx context.Context, network string, all []string,
) (conn net.Conn, first error) {
	for i, address := range all {
		trying, cancel := ctx, context.CancelFunc(func() {})
		if deadline, ok := ctx.Deadline(); ok && i < len(all)-1 {
			part := time.Until(deadline) / time.Duration(len(all)-i)
			trying, cancel = context.WithTimeout(ctx, max(part, minTry))
		}
		conn, err := n.to(trying, network, address)
		cancel()
		if err == nil {
			return conn, nil
		}
		if first == nil {
			first = err
		}
		if ctx.Err() != nil {
			break
		}
	}
	return nil, first
}

// headStart is the time before the other family is tried (RFC 8305), as in package net.
const headStart = 300 * time.Millisecond

func (n *names) race(
	ctx context.Context, network string, preferred, others []string,
) (net.Conn, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type outcome struct {
		conn net.Conn
		err  error
	}
	outcomes := make(chan outcome)
	running := 0
	begin := func(all []string) {
		running++
		go func() {
			conn, err := n.oneOf(ctx, network, all)
			outcomes <- outcome{conn, err}
		}()
	}
	begin(preferred)
	late := time.NewTimer(headStart)
	defer late.Stop()
	var won net.Conn
	var first error
	for running > 0 {
		select {
		case <-late.C:
		case o := <-outcomes:
			running--
			switch {
			case o.err != nil && first == nil:
				first = o.err
			case o.err == nil && won == nil:
				won = o.conn
				cancel()
			case o.err == nil:
				_ = o.conn.Close() // nothing was sent on it
			}
		}
		if won == nil && others != nil {
			begin(others)
			others = nil
		}
	}
	if won != nil {
		return won, nil
	}
	return nil, first
}
