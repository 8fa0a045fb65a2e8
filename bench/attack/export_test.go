package attack

import (
	"context"
	"net"
	"net/netip"
	"time"

	"github.com/poolbench/poolbench/bench/attack/checks"
	"github.com/poolbench/poolbench/bench/result"
)

// Virtual prepares the attack for a bubble, with connections from dial.
func (a Attack) Virtual(
	dial func(ctx context.Context, network, address string) (net.Conn, error),
) Attack {
	a.dial, a.virtual = dial, true
	return a
}

func (a Attack) ByNetHTTP() Attack {
	a.netHTTP = true
	return a
}

var RetryAfter = retryAfter

var ErrorKind = errorKind

var CheckRequest = checkRequest

func (a Attack) Dues() (seqs []uint64, dues []int64) {
	for p := a.withDefaults().plan(); p.more; p.advance() {
		seqs, dues = append(seqs, p.seq), append(dues, p.due)
	}
	return seqs, dues
}

// SumUp replaces the share's records by a summed result, as for very many requests.
func (a Attack) SumUp(s *Share) error {
	r, err := merging{attack: a.withDefaults(), agents: []Agent{{Share: s}}}.recorded()
	s.Summed, s.Records = r, nil
	return err
}

// Keep sends the first request and returns the kept part of its answer.
func (a Attack) Keep(ctx context.Context, needs checks.Needs) *checks.Answer {
	c, err := newCaller(ctx, a.withDefaults(), func(error) {})
	if err != nil {
		panic(err)
	}
	defer c.close()
	c.keep = needs
	var own *message
	return c.call(ctx, c.message(0, nil, &own)).kept
}

// Expected returns about how many requests or sessions are planned, and when the last is due.
func (a Attack) Expected() (n int, last time.Duration) { return a.withDefaults().expected() }

// Soaks reports whether so many requests would not be recorded.
func (a Attack) Soaks(planned int) bool { return a.withDefaults().soaks(planned) }

func DoubtsOf(agents []Agent) []result.Reason { return merging{agents: agents}.doubts() }

// Connecting returns a dial function that uses all addresses of a host in turn.
func Connecting(
	ttl time.Duration, lookup func(ctx context.Context, host string) ([]netip.Addr, error),
	to func(ctx context.Context, network, address string) (net.Conn, error),
) func(ctx context.Context, network, address string) (net.Conn, error) {
	n := (&Attack{DNSTTL: ttl}).newNames(to)
	n.lookup = lookup
	return n.connect
}

func (a Attack) KeptMessages() int { return len(a.withDefaults().messages()) }
