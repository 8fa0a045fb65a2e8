//go:build !js

package workloads

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"github.com/poolbench/poolbench/bench/dist"
	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/internal/machine"
)

var _ = register(Spec{
	Name: "dns_lookup",
	Summary: "looks up a different name in each task with Go's resolver, over UDP, at a server " +
		"on loopback that the workload starts",
	Kind: IO,
	Keys: []param.Key{
		{Name: "answer", Kind: param.Distribution, Default: "exp(1ms)",
			Doc: "time until the server answers"},
		{Name: "lost", Kind: param.Float, Default: "0",
			Doc: "share of names with a lost first query, which the resolver repeats after 5s, or " +
				"the timeout in resolv.conf"},
		{Name: "timeout", Kind: param.Duration, Default: "20s",
			Doc: "time after which a task fails, at most 1h"},
	},
	New: newLookups,
	Check: func(v param.Values) error {
		if s := v.Float("lost"); !(s >= 0 && s <= 1) {
			return fmt.Errorf("lost: must be from 0 to 1, got %s", dist.FormatFloat(s))
		}
		if d := v.Duration("timeout"); d <= 0 || d > time.Hour {
			return fmt.Errorf("timeout: must be positive and at most 1h, got %s",
				dist.FormatDuration(d))
		}
		return nil
	},
})

// lookups resolves the IPv4 address of a name that contains the task's number, so no cache answers.
// The system resolver (cgo) cannot be directed to our server.
type lookups struct {
	timeMoments
	timeout  time.Duration
	resolver net.Resolver
	server   *nameServer
}

func newLookups(seed uint64, v param.Values) (Workload, error) {
	answer := v.Dist("answer")
	w, err := lookUpAt(newWaits(seed, answer).Do, v.Float("lost"), v.Duration("timeout"))
	if err != nil {
		return nil, fmt.Errorf("a name server on loopback: %w", err)
	}
	trip, err := machine.TimeAlone(func() error { return w.look(context.Background(), "alone") })
	if err != nil {
		return nil, errors.Join(err, w.Close())
	}
	w.timeMoments = timeMoments{answer.Mean(), answer.C2()}.plus(trip) // which is taken for constant
	return w, nil
}

func lookUpAt(wait Work, lost float64, timeout time.Duration) (*lookups, error) {
	s, err := serveNames(wait, lost)
	if err != nil {
		return nil, err
	}
	w := &lookups{server: s, timeout: timeout}
	address := s.conn.LocalAddr().String()
	w.resolver = net.Resolver{PreferGo: true, StrictErrors: true,
		Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
			q, of := ctx.Value(questionKey{}).(*question)
			if !of {
				return nil, errAskedEnough
			}
			return q.dial(ctx, address)
		}}
	return w, nil
}

// A question is the sockets of a lookup. The resolver continues a cancelled lookup for other
// waiters. Closing the sockets ends it.
type question struct {
	mu      sync.Mutex
	sockets []net.Conn
	over    bool
}

type questionKey struct{}

var errAskedEnough = errors.New("the client no longer waits for the answer")

func (q *question) dial(ctx context.Context, address string) (net.Conn, error) {
	var d net.Dialer
	conn, err := d.DialContext(ctx, "udp", address)
	if err != nil {
		return nil, err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.over {
		_ = conn.Close() // of a socket that nothing was sent on
		return nil, errAskedEnough
	}
	q.sockets = append(q.sockets, conn)
	return conn, nil
}

func (q *question) end() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.over = true
	for _, conn := range q.sockets {
		_ = conn.Close() // most are closed already
	}
}

// nameZone is a reserved domain. The final dot disables the search list.
const nameZone = ".poolbench.invalid."

func (w *lookups) Do(ctx context.Context, seq uint64) error {
	return w.look(ctx, strconv.FormatUint(seq, 10))
}

func (w *lookups) look(ctx context.Context, name string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	timed, cancel := context.WithTimeout(ctx, w.timeout)
	defer cancel()
	q := new(question)
	defer q.end()
	asking := context.WithValue(timed, questionKey{}, q)
	found, err := w.resolver.LookupNetIP(asking, "ip4", name+nameZone)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return fmt.Errorf("looking up %s: %w", name+nameZone, err)
	case len(found) != 1 || !found[0].IsLoopback():
		return fmt.Errorf("looking up %s: found %v", name+nameZone, found)
	}
	return nil
}

func (w *lookups) Close() error { return w.server.close() }

type nameServer struct {
	conn   net.PacketConn
	wait   Work
	lost   float64
	ctx    context.Context
	cancel context.CancelFunc
	ended  sync.WaitGroup

	mu    sync.Mutex
	asked map[uint64]bool // whose first question was lost
	err   error
}

func serveNames(wait Work, lost float64) (*nameServer, error) {
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &nameServer{conn: conn, wait: wait, lost: lost, asked: make(map[uint64]bool)}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.ended.Go(s.serve)
	return s, nil
}

func (s *nameServer) close() error {
	s.cancel()
	err := s.conn.Close()
	s.ended.Wait()
	return errors.Join(err, s.err)
}

func (s *nameServer) serve() {
	packet := make([]byte, 1500)
	for {
		n, from, err := s.conn.ReadFrom(packet)
		if err != nil {
			if s.ctx.Err() == nil {
				s.err = err // and the tasks fail; Close tells why
			}
			return
		}
		var p dnsmessage.Parser
		head, err := p.Start(packet[:n])
		if err != nil {
			continue // no question: nobody waits for an answer
		}
		question, err := p.Question()
		if err != nil {
			continue
		}
		s.ended.Go(func() { s.answer(head, question, from) })
	}
}

func (s *nameServer) answer(head dnsmessage.Header, q dnsmessage.Question, to net.Addr) {
	name, _, _ := strings.Cut(q.Name.String(), ".")
	seq, err := strconv.ParseUint(name, 10, 64)
	if err == nil && (s.loses(seq) || s.wait(s.ctx, seq) != nil) {
		return
	}
	m := dnsmessage.Message{
		Header: dnsmessage.Header{ID: head.ID, Response: true, Authoritative: true,
			RecursionDesired: head.RecursionDesired, RecursionAvailable: true},
		Questions: []dnsmessage.Question{q},
		Answers: []dnsmessage.Resource{{
			Header: dnsmessage.ResourceHeader{Name: q.Name, Type: dnsmessage.TypeA, Class: q.Class},
			Body:   &dnsmessage.AResource{A: [4]byte{127, 0, 0, 1}},
		}},
	}
	if packet, err := m.Pack(); err == nil {
		_, _ = s.conn.WriteTo(packet, to) // what is lost here is asked for again
	}
}

func (s *nameServer) loses(seq uint64) bool {
	// the golden ratio spreads consecutive numbers evenly
	if share := float64(seq*0x9e3779b97f4a7c15>>11) / (1 << 53); share >= s.lost {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	again := s.asked[seq]
	s.asked[seq] = true
	return !again
}
