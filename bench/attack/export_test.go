package attack

import (
	"context"
	"net"
	"net/netip"
	"time"

	"github.com/poolbench/poolbench/bench/attack/checks"
	"github.com/poolbench/poolbench/bench/result"
)

// Virtual makes the attack run in a bubble, against the server behind dial.
func (a Attack) Virtual(
	dial func(ctx context.Context, network, address string) (net.Conn, error),
) Attack {
	a.dial, a.virtual = dial, true
	return a
}

// ByNetHTTP makes all requests go by net/http.
func (a Attack) ByNetHTTP() Attack {
	a.netHTTP = true
	return a
}

// RetryAfter is retryAfter.
var RetryAfter = retryAfter

// ErrorKind is errorKind.
var ErrorKind = errorKind

// CheckRequest is checkRequest.
var CheckRequest = checkRequest

// Dues are the numbers and due times of the requests that the attack sends.
func (a Attack) Dues() (seqs []uint64, dues []int64) {
	for p := a.withDefaults().plan(); p.more; p.advance() {
		seqs, dues = append(seqs, p.seq), append(dues, p.due)
	}
	return seqs, dues
}

// SumUp puts a result in the place of the share's records, as for a plan of many requests.
func (a Attack) SumUp(s *Share) error {
	r, err := merging{attack: a.withDefaults(), agents: []Agent{{Share: s}}}.recorded()
	s.Summed, s.Records = r, nil
	return err
}

// Keep sends the first request and returns what it kept of the answer.
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

// Expected is how many requests or sessions are planned, about, and when the last one is due.
func (a Attack) Expected() (n int, last time.Duration) { return a.withDefaults().expected() }

// Soaks reports whether the attack keeps no records where so many are planned.
func (a Attack) Soaks(planned int) bool { return a.withDefaults().soaks(planned) }

// DoubtsOf are the doubts about a result that these agents share.
func DoubtsOf(agents []Agent) []result.Reason { return merging{agents: agents}.doubts() }

// Connecting returns the function that connects to the addresses of hosts in turn.
func Connecting(
	ttl time.Duration, lookup func(ctx context.Context, host string) ([]netip.Addr, error),
	to func(ctx context.Context, network, address string) (net.Conn, error),
) func(ctx context.Context, network, address string) (net.Conn, error) {
	n := (&Attack{DNSTTL: ttl}).newNames(to)
	n.lookup = lookup
	return n.connect
}

// KeptMessages is how many encoded requests are kept.
func (a Attack) KeptMessages() int { return len(a.withDefaults().messages()) }
