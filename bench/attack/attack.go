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
	"github.com/poolbench/poolbench/internal/transport"
	"github.com/poolbench/poolbench/strategies"
)

// A Request is the method, URL, header and body of a request.
type Request = vegeta.Target

// Unlimited, as Attack.MaxInFlight, leaves the number to file descriptors and memory.
const Unlimited = -1

// Defaults of an Attack.
const (
	DefaultRate    = 50
	DefaultLimit   = 4
	DefaultTimeout = 30 * time.Second
	DefaultDrain   = 5 * time.Second
	DefaultStreams = transport.Default
)

// Defaults returns the attack that `poolbench attack` sends if only a URL is given.
func Defaults() Attack {
	return Attack{Redirects: 10, Templates: true, Resend: true, DNSTTL: 30 * time.Second,
		Duration: 10 * time.Second}
}

// An Attack is a load on HTTP servers, an open loop unless Clients is set. Every field has a useful
// zero except Requests and one of Tasks and Duration.
type Attack struct {
	Requests []Request // sent in turn, or the steps of the Session
	// steps of sessions: Rate, Tasks and Arrival then count sessions; nil: single requests
	Session *sessions.Session
	// fill in {{…}} in URL, headers and bodies for each request
	Templates bool
	Data      *requests.Data // for templates: request i uses row i modulo their number; nil: none
	DataOnce  bool           // use each row once: the attack ends after the last row
	// variables already filled into the requests; their values are masked in all output
	Environment []requests.Variable
	// an answer that fails a check fails its request. An answer that passes a check on the status
	// is completed, whatever the status
	Checks checks.List
	// bytes of a decompressed body that checks and captures read; 0: checks.MaxBody
	CheckBytes int
	StopIf     []checks.Stop // rules that end the attack early, with a *Stopped as Report.Cut
	// query parameters whose values are shown; all others are masked
	ShowQuery []string
	// name of the target in the result; "": host and path of the first request
	Label string

	Arrival arrivals.Variant // when requests are due; zero is constant
	// requests per second; 0: DefaultRate, unless the arrival process sets it
	Rate    float64
	Clients int // above 0: a closed loop of this many clients, each with one connection
	// numbers of clients over time. Clients is then the maximum, and Duration the length of all
	// stages. A client sends requests while the level is above its number, counted from 0
	ClientStages []arrivals.Stage
	Tasks        int           // requests to send; 0: until Duration
	Duration     time.Duration // requests due later are not sent; 0: until Tasks are sent
	// how long open requests may take after the last due request; 0: DefaultDrain
	Drain time.Duration

	Strategy strategies.Variant // in front of the client; zero: none
	Limit    int                // maximum requests in flight through the strategy; 0 is DefaultLimit
	Queue    int                // slots of the strategy's queue, as bench.Scenario.Queue

	// maximum requests in flight of an open loop without a strategy; 0: Unlimited
	MaxInFlight int
	Connections int // maximum connections to a host; 0: no limit
	// from sending a request to the end of its answer; 0: DefaultTimeout
	Timeout time.Duration
	// redirects to follow; one more is an error. 0: the redirect is the answer
	Redirects int
	// retry a request on a fresh connection if the server did not process it, or if it is
	// idempotent and its reused connection ended before any byte of an answer (RFC 9113, 6.8; RFC
	// 9110, 9.2.2)
	Resend   bool
	Insecure bool // do not verify certificates
	TLS      TLS
	Resolve  []Resolve // addresses of hosts and ports that replace DNS
	// how long the addresses of a host are used before the next lookup; 0: for one connection
	DNSTTL      time.Duration
	NoKeepAlive bool
	// share of the requests that carry a traceparent header (see TraceID)
	Trace float64
	// HTTP/2 over TLS, or without TLS; neither: HTTP/1.1
	HTTP2, H2C bool
	HTTP3      bool // over QUIC, by package http3
	// maximum concurrent requests on a connection of HTTP/2, HTTP/3 or gRPC; 0: 100
	Streams int
	// a Unix socket for all connections
	UnixSocket string
	// an encoded FileDescriptorSet for gRPC; nil: use server reflection
	Descriptors []byte
	// status with which the server's own strategy sheds, such as 503; 0: none
	Shed int
	Seed uint64 // of the arrivals
	// keep no record of single requests, as bench.Scenario.Soak. Always on beyond record.MaxTasks
	// requests
	Soak bool
	// result of an interrupted soak to continue, as bench.Scenario.Before
	Before *bench.Result

	// Agents above 0 share the attack. This agent, number Agent from 0, sends its part of the plan.
	// Limits apply to each agent. Clients are divided.
	Agents, Agent int
	Profile       string // what is profiled beside, as bench.Scenario.Profile; "": nothing is
	// Start of the plan, by the clock of this machine; zero: now
	Start time.Time

	// Vegeta receives each result in vegeta's encoding, without headers and bodies, with the due
	// time as timestamp and the response time as latency.
	Vegeta io.Writer
	// DeadLetters store the requests that a retrying strategy gave up: seq, method, url and the
	// last status. The attack ends if one cannot be stored.
	DeadLetters strategies.DeadLetters
	// Watch is called with the progress several times a second.
	Watch func(Progress)

	dial func(ctx context.Context, network, address string) (net.Conn, error) // nil: the network
	// the clock is a synctest bubble's
	virtual bool
	netHTTP bool      // send everything through net/http
	names   []string  // of the captures of the session
	spoken  *Protocol // protocol of the requests; nil: HTTP
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
	if slices.ContainsFunc(a.Requests, hasUser) {
		a.Requests = slices.Clone(a.Requests)
		for i, r := range a.Requests {
			a.Requests[i] = withoutUser(r)
		}
	}
	a.spoken = a.protocol()
	if a.Session != nil {
		a.names = a.Session.Names()
	}
	return a
}

func (a Attack) through() bool { return a.Strategy.Spec.New != nil }

func (a Attack) params() strategies.Params {
	return strategies.Params{Limit: a.Limit, Queue: a.QueueSlots(a.Strategy.Spec, a.Queue, a.Limit),
		Values: a.Strategy.Values}
}

// QueueSlots returns the queue slots of a strategy of this attack.
func (a Attack) QueueSlots(spec strategies.Spec, queue, limit int) int {
	a = a.withDefaults()
	planned := max(a.Tasks, a.Clients) * a.perArrival()
	if planned == 0 && !a.Arrival.IsClosed() { // Validate refuses it
		const most = 1 << 20 // enough for any queue, and counted in 20 ms
		planned, _ = a.Arrival.Planned(a.Rate, a.Seed, a.Duration, most)
		planned *= a.perArrival()
	}
	return spec.QueueSlots(queue, limit, planned)
}

// TraceID returns the trace id of request number seq, "" if it carries none. It is a pure function
// of the seed.
func (a Attack) TraceID(seq uint64) string { return a.sampled().ID(seq) }

func (a *Attack) sampled() traceSample { return traceSample{Share: a.Trace, Seed: a.Seed} }
