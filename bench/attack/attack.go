package attack

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"slices"
	"time"

	vegeta "github.com/tsenart/vegeta/v12/lib"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/arrivals"
	"github.com/poolbench/poolbench/bench/attack/checks"
	"github.com/poolbench/poolbench/bench/attack/sessions"
	"github.com/poolbench/poolbench/bench/attack/templates"
	"github.com/poolbench/poolbench/bench/records"
	"github.com/poolbench/poolbench/internal/machine/meter"
	"github.com/poolbench/poolbench/internal/machine/pace"
	"github.com/poolbench/poolbench/internal/machine/profiles"
	"github.com/poolbench/poolbench/strategies"
)

// A Request says what is sent: method, URL, header and body.
type Request = vegeta.Target

// Unlimited, as Attack.Workers, is as many as it takes.
const Unlimited = -1

// Defaults of an Attack.
const (
	DefaultRate    = 50
	DefaultWorkers = 64
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
	// {{…}} in URL, headers and bodies is filled in for each request, as package templates says;
	// else it is sent as it stands
	Templates bool
	Data      *templates.Data // of templates: request i has row i mod their number; nil: none
	// what answers are to be; a request of whose answer one does not hold has failed. What passes a
	// check on the status is completed, whatever it is
	Checks checks.List
	StopIf []checks.Stop // rules by which the attack ends early, with Report.Cut a *Stopped
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

	// open loop without a strategy: requests that can be in flight; 0 is DefaultWorkers
	Workers     int
	Connections int // most connections to a host; 0: as many as it takes
	// of one request, from the moment it is sent to the end of its answer; 0 is DefaultTimeout
	Timeout time.Duration
	// that are followed; one more is an error. 0: a redirect is the answer
	Redirects int
	// net/http may send an idempotent request again, unasked, when a connection that was used
	// before breaks
	Resend   bool
	Insecure bool // certificates are not checked
	// of the requests, such a share carries a traceparent header: see TraceID. 0: none does
	Trace float64
	// HTTP/2 over TLS, or in the clear; neither: HTTP/1.1
	HTTP2, H2C bool
	// most requests at once on a connection of HTTP/2, also below gRPC; 0: as many as a server
	// should bear, 100
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

// Progress is how far an attack is.
type Progress struct {
	Elapsed time.Duration
	Settled int // requests that have their answer, or will not have one
	Failed  int // of them, those that were not completed
	Counts  checks.Counts
}

// Stopped is why an attack ended early: one of Attack.StopIf came true.
type Stopped struct{ Why string }

func (s *Stopped) Error() string { return "stopped early " + s.Why }

// Stopping returns what says, told of the progress now and then, why the attack is to stop; nil: it
// is not.
func (a Attack) Stopping() func(Progress) error {
	watches := make([]*checks.Watch, len(a.StopIf))
	for i, s := range a.StopIf {
		watches[i] = s.Watch()
	}
	return func(p Progress) error {
		for _, w := range watches {
			if why := w.Look(p.Elapsed, p.Counts); why != "" {
				return &Stopped{why}
			}
		}
		return nil
	}
}

// boundedWorkers reports whether somebody has said how many requests of an open loop without a
// strategy can be in flight.
func (a Attack) boundedWorkers() bool {
	return a.Clients == 0 && !a.through() && a.Workers != Unlimited && a.Workers != DefaultWorkers
}

// A Report is the result of an Attack, and what a bench.Result has no field for.
type Report struct {
	*bench.Result
	Statuses []Count // of answers, by status
	// of requests without an answer, and of answers of which a check does not hold, the most
	// frequent first
	Errors   []Count
	Failures checks.Failures // the first answers that failed; nil where there are no checks
	Traced   []Traced        // the slowest that carried a trace, the slowest first: at most 50
	Cut      error           // why the attack ended before its plan did; nil: it did not
	// how requests went, where that is not HTTP/1.1 on connections of our own
	Over string
	// Statuses and Errors lack those of an earlier process, which the Result has
	Resumed bool
	Agents  []Agent // that shared it; nil: nobody did
}

// Break adds a law that does not hold: the report is INVALID.
func (r *Report) Break(law string) {
	r.Broken = append(r.Broken, law)
	r.Doubt(bench.Invalid, "broken law", "%s", law)
	for i, m := range r.Metrics {
		switch m.Unit {
		case "broken-laws":
			r.Metrics[i].Value++
		case "verdict":
			r.Metrics[i].Value = float64(r.Verdict)
		}
	}
}

// A Count is how often something came.
type Count struct {
	What string `json:"what"`
	N    int    `json:"n"`
}

func (a Attack) withDefaults() Attack {
	if a.Arrival.Spec.Name == "" {
		a.Arrival = arrivals.MustParse("constant")
	}
	if a.Rate == 0 && a.Clients == 0 && a.Arrival.TakesRate() {
		a.Rate = DefaultRate
	}
	a.Workers, a.Limit = cmp.Or(a.Workers, DefaultWorkers), cmp.Or(a.Limit, DefaultLimit)
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
	planned := max(a.Tasks, a.Clients) * max(len(a.steps()), 1)
	if planned == 0 && !a.Arrival.IsClosed() { // which Validate refuses
		const most = 1 << 20 // enough for any queue, and counted in 20 ms
		planned, _ = a.Arrival.Planned(a.Rate, a.Seed, a.Duration, most)
		planned *= max(len(a.steps()), 1)
	}
	return bench.QueueSlots(spec, queue, limit, planned)
}

// maxClients bounds the goroutines and the connections of a closed loop: each client has one of
// both, and some more.
const maxClients = 100_000

// Validate reports everything that makes the attack impossible, joined. It sends nothing.
func (a Attack) Validate() error {
	given := a
	a = a.withDefaults()
	var wrong []error
	complain := func(bad bool, format string, args ...any) {
		if bad {
			wrong = append(wrong, fmt.Errorf(format, args...))
		}
	}
	complain(len(a.Requests) == 0, "requests: none is given")
	wrong = append(wrong, given.checkSession()...)
	for i, r := range given.Requests {
		if err := a.checkSent(r, i); err != nil && len(given.Requests) > 1 {
			wrong = append(wrong, fmt.Errorf("request %d: %w", i+1, err))
		} else if err != nil {
			wrong = append(wrong, err)
		}
	}
	complain(a.Data != nil && !slices.ContainsFunc(given.Requests, a.isTemplate),
		"data: no request has a {{column}} to be filled in")
	complain(a.Rate > 1e6, "rate %v: want up to 1e6 requests per second", a.Rate)
	most := float64(arrivals.MaxTasks)
	if a.maySoak() {
		most = min(arrivals.MaxSoak, math.MaxInt)
	}
	wrong = append(wrong, a.Arrival.CheckPlan(a.Rate, a.Tasks, a.Duration, most)...)
	complain(a.Soak && !a.maySoak(), "soak: want an open loop that goes on, and no stages: no "+
		"record of single requests is kept")
	complain(a.Before != nil && (!a.Soak || a.Agents > 0),
		"before: want a soak that is not shared; no other goes on")
	complain(a.Clients < 0 || a.Clients > maxClients, "clients %d: want 1 to %d",
		a.Clients, maxClients)
	complain(a.Clients > 0 && given.Rate != 0, "clients set the pace, so there is no rate")
	complain(a.Clients > 0 && given.Arrival.Spec.Name != "",
		"clients set the pace, so there is no arrival process")
	complain(a.Clients > 0 && a.through(), "clients and strategy exclude each other")
	complain(a.Clients > 0 && given.Workers != 0,
		"clients and workers exclude each other: a client is one")
	complain(a.through() && given.Workers != 0,
		"strategy and workers exclude each other: the strategy bounds what is in flight")
	complain(a.Arrival.IsClosed(), "arrival %s: it is closed; say how many clients there are",
		a.Arrival.Spec.Name)
	complain(given.Rate != 0 && a.Clients == 0 && !a.Arrival.TakesRate(),
		"arrival %s: it settles its own rate", a.Arrival.Spec.Name)
	complain(a.Arrival.Spec.AllAtOnce && a.Tasks == 0,
		"arrival %s: say how many requests there are (n)", a.Arrival.Spec.Name)
	complain(a.Tasks != 0 && a.Duration != 0, "n and duration exclude each other")
	complain(a.Tasks == 0 && a.Duration == 0, "n: want at least one request, or a duration")
	complain(a.Timeout < 0 || a.Timeout > arrivals.MaxSpan,
		"timeout %v: want a positive duration, at most 87600h", a.Timeout)
	complain(a.Drain < 0 || a.Drain > arrivals.MaxSpan,
		"drain %v: want a positive duration, at most 87600h", a.Drain)
	complain(a.Workers < Unlimited || a.Workers > maxClients, "workers %d: want 1 to %d",
		a.Workers, maxClients)
	complain(a.Connections < 0, "connections %d: want 1 or more", a.Connections)
	wrong = append(wrong, a.checkProtocol()...)
	if err := profiles.Check(a.Profile); err != nil {
		wrong = append(wrong, err)
	}
	complain(a.Profile != "" && a.Agents > 0,
		"profile: an attack that is shared has none; profile one of its agents alone")
	wrong = append(wrong, a.checkAgents()...)
	complain(!(a.Trace >= 0 && a.Trace <= 1), "trace %v: want a share of the requests, 0 to 1",
		a.Trace)
	complain(a.Redirects < 0, "redirects %d: want 0 or more", a.Redirects)
	complain(a.DeadLetters != nil && !a.Strategy.Spec.Retries,
		"dead letters: want a strategy that retries, as retry_queue does; no other gives up")
	complain(a.Strategy.Spec.Hedges, "strategy %s: a request has one record, and none of a second "+
		"attempt beside the first", a.Strategy)
	if a.through() {
		if err := a.Strategy.Spec.Validate(a.params()); err != nil {
			wrong = append(wrong, err)
		}
	} else {
		complain(given.Limit != 0, "limit %d given, but there is no strategy", a.Limit)
		complain(given.Queue != 0, "queue %d given, but there is no strategy", max(given.Queue, 0))
	}
	return errors.Join(wrong...)
}

// Run sends the requests and reports what came of them. When ctx ends first, those in flight are
// given up, and the Report is about the part before; Report.Cut says so. Afterwards no goroutine
// and no connection of the attack is left. The error is about an impossible attack, one without any
// request, one against nobody, or Attack.Vegeta and Attack.DeadLetters.
func Run(ctx context.Context, a Attack) (*Report, error) {
	r, err := start(ctx, a)
	if err != nil {
		return nil, err
	}
	return r.report()
}

// start sends the requests of a, and returns when all is over.
func start(ctx context.Context, a Attack) (_ *run, err error) {
	if err := a.Validate(); err != nil {
		return nil, err
	}
	a = a.withDefaults()
	planned, last := 0, a.Duration
	if a.Clients == 0 {
		var lastDue time.Duration
		planned, lastDue = a.expected()
		if n := len(a.steps()); n*planned > maxSteps {
			return nil, fmt.Errorf("%d sessions of %d steps: want up to %d requests; change the "+
				"rate or the time", planned, n, maxSteps)
		}
		if last = cmp.Or(last, lastDue); a.Session != nil {
			last = max(last, lastDue) // which has the time that is thought
		}
		if planned == 0 || planned > arrivals.MaxTasks && !a.soaks(planned) {
			return nil, fmt.Errorf("%d requests are due in %v: want 1 to %d; change the rate or "+
				"the time", planned, last, arrivals.MaxTasks)
		}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	caller, err := newCaller(ctx, a, cancel)
	if err != nil {
		if nobody, ok := errors.AsType[*nobodyError](context.Cause(ctx)); ok {
			err = nobody
		}
		return nil, err
	}
	r := &run{attack: a, ctx: ctx, give: cancel, caller: caller, tally: newTally(a, cancel),
		recording: a.recording(), meter: meter.Of(ctx), labels: a.labels()}
	r.recording.Calls = r.caller.calls
	r.plan, r.from = a.rest(r.recording)
	r.labels.Harness()
	defer r.caller.close()
	defer context.AfterFunc(ctx, r.caller.close)()
	defer r.watch()()
	stopWatching := r.begin()
	defer r.stopIf()()
	if last > 0 { // clients that send so many need no more time than they take
		defer time.AfterFunc(time.Until(r.base)+last+a.Drain, func() { cancel(errDrained) }).Stop()
	}
	if a.Clients > 0 {
		end := r.show(0, last, nil)
		r.closed()
		end()
	} else {
		err = r.open(planned, last)
	}
	stopWatching(r.base)
	r.cause = context.Cause(ctx)
	return r, err
}

// watchLead is how long before a Start the machine is watched.
const watchLead = 20 * time.Millisecond

// begin waits for the Start, if there is one, and begins to watch the machine.
func (r *run) begin() (stopWatching func(time.Time)) {
	stopWatching = func(time.Time) {}
	at := r.attack.Start
	if !at.IsZero() {
		_ = pace.Sleep(r.ctx, time.Until(at)-watchLead) // an attack that has ended sends nothing
	}
	if !r.attack.virtual {
		stopWatching = r.recording.Watch()
	}
	if r.base = time.Now().Add(-r.from); !at.IsZero() {
		r.late = max(r.base.Sub(at), 0)
		_ = pace.Sleep(r.ctx, time.Until(at))
		r.base = at
	}
	r.tally.base = r.base
	return stopWatching
}

// errDrained ends an attack whose time is over.
var errDrained = errors.New("the drain time is over")

// A run is an Attack that is going on.
type run struct {
	attack    Attack
	ctx       context.Context
	give      context.CancelCauseFunc // the attack up
	caller    *caller
	tally     *tally
	recording *recording
	labels    *profiles.Labels
	meter     *meter.Meter  // for whoever looks on; nil: nobody does
	plan      *plan         // of an open loop: what is left of it
	from      time.Duration // when that begins: a soak that was cut off goes on
	base      time.Time     // the start
	late      time.Duration // by which the Start was missed
	cause     error         // why it ended, if it did before all was answered
}

// now counts nanoseconds from the start.
func (r *run) now() int64 { return int64(time.Since(r.base)) }

// without notes what became of a request that has no answer now, for that reason.
func (r *run) without(s *sample, why string) {
	if r.attack.Data != nil || s.visit != nil { // a URL in it may have one
		why = templates.MaskValues(why, r.caller.secrets(s.seq, s.visit))
	}
	s.err, s.outcome = scrub(why), records.Failed
	if r.ctx.Err() != nil { // its connection was closed for that
		s.err, s.outcome = strategies.ErrAbandoned.Error(), records.Abandoned
	}
}

// settle notes what became of a request, at its end.
func (r *run) settle(rec *records.Record, s sample) {
	rec.Settle(s.outcome, s.end)
	r.meter.Settle(s.seq, meter.Outcome(s.outcome), time.Duration(s.end-s.due))
	r.tally.add(s)
	if s.outcome != records.Completed {
		s.firstByte = 0
	}
	r.caller.calls.Count(s.out, s.in, s.firstByte)
}

// show tells who looks on that so many requests begin, and that they have ended.
func (r *run) show(planned int, span time.Duration, inFlight func() int64) (end func()) {
	r.meter.Begin(meter.Run{Name: r.recording.Name, Limit: r.recording.Limit, Plan: span,
		Rate: float64(planned) / span.Seconds(), InFlight: inFlight,
		Settled: func() uint64 {
			n, _ := r.tally.progress()
			return uint64(n)
		}})
	return r.meter.End
}

// watch tells Attack.Watch of the progress until the function it returns is called.
func (r *run) watch() (stop func()) {
	if r.attack.Watch == nil {
		return func() {}
	}
	end, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(200 * time.Millisecond)
		defer tick.Stop()
		for begun := time.Now().Add(-r.from); ; {
			select {
			case <-tick.C:
				r.attack.Watch(r.progress(begun))
			case <-end:
				return
			}
		}
	}()
	return func() { close(end); <-ended }
}

func (r *run) progress(begun time.Time) Progress {
	settled, failed := r.tally.progress()
	return Progress{time.Since(begun), settled, failed, r.tally.counts()}
}

// stopIf holds the rules against what goes on, until the function it returns is called. Of an
// attack that is shared, whoever sees all shares does.
func (r *run) stopIf() (stop func()) {
	if len(r.attack.StopIf) == 0 || r.attack.Agents > 0 {
		return func() {}
	}
	every := r.attack.StopIf[0].Every()
	for _, s := range r.attack.StopIf {
		every = min(every, s.Every())
	}
	stopping, begun := r.attack.Stopping(), time.Now()
	end, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				if why := stopping(r.progress(begun)); why != nil {
					r.give(why)
					return
				}
			case <-end:
				return
			}
		}
	}()
	return func() { close(end); <-ended }
}
