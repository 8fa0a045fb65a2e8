package attack

import (
	"cmp"
	"context"
	"io"
	"net"
	"slices"
	"time"

	vegeta "github.com/tsenart/vegeta/v12/lib"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/arrivals"
	"github.com/poolbench/poolbench/bench/attack/checks"
	"github.com/poolbench/poolbench/bench/attack/requests"
	"github.com/poolbench/poolbench/bench/attack/sessions"
	"github.com/poolbench/poolbench/strategies"
)

// A Request says what is sent: method, URL, header and body.
type Request = vegeta.Target

// Unlimited, as Attack.MaxInFlight, is as many as are due, up to what file descriptors and memory
// allow.
const Unlimited = -1

// Defaults of an Attack.
const (
	DefaultRate    = 50
	DefaultLimit   = 4
	DefaultTimeout = 30 * time.Second
	DefaultDrain   = 5 * time.Second
)

// Defaults is what `poolbench attack` sends when nothing but a URL is given. An Attack has a useful
// zero but for what it takes from here: redirects are followed, {{…}} is filled in, and it ends.
func Defaults() Attack {
	return Attack{Redirects: 10, Templates: true, Duration: 10 * time.Second}
}

// An Attack is a load on HTTP servers. It is open unless Clients says otherwise. Every field but
// Requests and one of Tasks and Duration has a useful zero.
type Attack struct {
	Requests []Request // sent in turn, or the steps of the Session
	// what is sent is sessions of these steps, as WithSession has it: Rate, Tasks and Arrival are
	// of sessions. nil: there are none
	Session *sessions.Session
	// {{…}} in URL, headers and bodies is filled in for each request, as package requests says;
	// else it is sent as it stands
	Templates bool
	Data      *requests.Data // of templates: request i has row i mod their number; nil: none
	DataOnce  bool           // no row is used twice: the attack ends when the rows are used up
	// whose values the requests contain already: they are masked wherever they would be shown
	Environment []requests.Variable
	// what answers are to be; a request of whose answer one does not hold has failed. What passes a
	// check on the status is completed, whatever it is
	Checks checks.List
	StopIf []checks.Stop // rules by which the attack ends early, with Report.Cut a *Stopped
	// of the query of URLs, the names whose values are shown; all others are masked
	ShowQuery []string
	// of what is attacked, in the name of the result; "" is the first request's host and path
	Label string

	Arrival arrivals.Variant // when requests are due; zero is constant
	// requests per second; 0 is DefaultRate, unless the arrival settles it
	Rate     float64
	Clients  int           // above 0: a closed loop of so many, each with one connection
	Tasks    int           // requests to send; 0: until Duration
	Duration time.Duration // requests due later are not sent; 0: until Tasks are
	// what is open so long after the last request was due, sent or not, is abandoned; 0 is
	// DefaultDrain
	Drain time.Duration

	Strategy strategies.Variant // what stands before the client; zero: nothing
	Limit    int                // most requests in flight through it; 0 is DefaultLimit
	Queue    int                // slots of its queue, where it has one: as bench.Scenario.Queue

	// open loop without a strategy: requests that can be in flight; 0 is Unlimited
	MaxInFlight int
	Connections int // most connections to a host; 0: as many as it takes
	// of one request, from the moment it is sent to the end of its answer; 0 is DefaultTimeout
	Timeout time.Duration
	// that are followed; one more is an error. 0: a redirect is the answer
	Redirects int
	// net/http may send an idempotent request again, unasked, when a connection that was used
	// before breaks
	Resend   bool
	Insecure bool // certificates are not checked
	TLS      TLS
	Resolve  []Resolve // of hosts and ports, instead of DNS
	// of the requests, such a share carries a traceparent header: see TraceID. 0: none does
	Trace float64
	// HTTP/2 over TLS, or in the clear; neither: HTTP/1.1
	HTTP2, H2C bool
	HTTP3      bool // which package http3 speaks, over QUIC
	// most requests at once on a connection of HTTP/2 or HTTP/3, also below gRPC; 0: as many as a
	// server should bear, 100
	Streams int
	// a Unix socket that all connections go to, whatever the URLs say; "": none
	UnixSocket string
	// an encoded FileDescriptorSet, of which gRPC knows methods and messages; nil: the server says
	Descriptors []byte
	// a status by which the server's own strategy sheds, such as 503; 0: there is none
	Shed int
	Seed uint64 // of the arrivals
	// no record of single requests is kept, so that an open loop may go on for any time, as by
	// bench.Scenario.Soak. So it is anyhow beyond bench.SoakFrom requests
	Soak bool
	// what a soak had when it was cut off, as in bench.Scenario.Before; nil: it begins anew
	Before *bench.Result

	// Agents above 0 share the attack: this one, number Agent of them from 0, sends its part of the
	// plan. Limit, Queue, Workers and Connections are of each; Clients are shared.
	Agents, Agent int
	Profile       string // what is profiled beside, as bench.Scenario.Profile; "": nothing is
	// Start is when the plan begins, by the clock of this machine; zero: at once
	Start time.Time

	// Vegeta gets each result in vegeta's own encoding, for vegeta report and vegeta plot: counted
	// from due like ours, so timestamp is when the request was due and latency the response.
	// Without headers and bodies. nil: nobody gets them.
	Vegeta io.Writer
	// DeadLetters keep the requests that a strategy which retries has given up: seq, method, url
	// and the last status. When a letter is not kept, the attack is given up. nil: nobody keeps
	// them.
	DeadLetters strategies.DeadLetters
	// Watch is told of the progress several times a second; nil: nobody is.
	Watch func(Progress)

	dial func(ctx context.Context, network, address string) (net.Conn, error) // nil: the network
	// the clock is that of a bubble
	virtual bool
	netHTTP bool      // all goes by net/http
	names   []string  // of what sessions capture
	spoken  *Protocol // of the requests; nil: HTTP
}

func (a Attack) withDefaults() Attack {
	if a.Arrival.Spec.Name == "" {
		a.Arrival = arrivals.MustParse("constant")
	}
	if a.Rate == 0 && a.Clients == 0 && a.Arrival.TakesRate() {
		a.Rate = DefaultRate
	}
	a.MaxInFlight, a.Limit = cmp.Or(a.MaxInFlight, Unlimited), cmp.Or(a.Limit, DefaultLimit)
	a.Timeout, a.Drain = cmp.Or(a.Timeout, DefaultTimeout), cmp.Or(a.Drain, DefaultDrain)
	if a.Queue == bench.NoQueue && !a.Strategy.Spec.UsesQueue {
		a.Queue = 0
	}
	a.Requests = slices.Clone(a.Requests)
	for i, r := range a.Requests {
		a.Requests[i] = withoutUser(r)
	}
	a.spoken = a.protocol()
	if a.Session != nil {
		a.names = a.Session.Names()
	}
	return a
}

// through reports whether there is a strategy.
func (a Attack) through() bool { return a.Strategy.Spec.New != nil }

func (a Attack) params() strategies.Params {
	return strategies.Params{Limit: a.Limit, Queue: a.QueueSlots(a.Strategy.Spec, a.Queue, a.Limit),
		Values: a.Strategy.Values}
}

// QueueSlots is bench.QueueSlots for a strategy that the attack goes through.
func (a Attack) QueueSlots(spec strategies.Spec, queue, limit int) int {
	a = a.withDefaults()
	planned := max(a.Tasks, a.Clients) * a.perArrival()
	if planned == 0 && !a.Arrival.IsClosed() { // which Validate refuses
		const most = 1 << 20 // enough for any queue, and counted in 20 ms
		planned, _ = a.Arrival.Planned(a.Rate, a.Seed, a.Duration, most)
		planned *= a.perArrival()
	}
	return bench.QueueSlots(spec, queue, limit, planned)
}

// TraceID is the id of the trace that request number seq says it is of; "" where it is of none. It
// is a pure function of the seed.
func (a Attack) TraceID(seq uint64) string { return a.sampled().ID(seq) }

// sampled are the requests that carry a trace.
func (a *Attack) sampled() traceSample { return traceSample{Share: a.Trace, Seed: a.Seed} }
