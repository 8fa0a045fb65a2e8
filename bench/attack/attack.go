package attack

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	vegeta "github.com/tsenart/vegeta/v12/lib"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/arrivals"
	"github.com/poolbench/poolbench/internal/param"
	"github.com/poolbench/poolbench/strategies"
)

// A Request says what is sent: method, URL, header and body.
type Request = vegeta.Target

// Unlimited, as Attack.Workers, lets vegeta add a worker whenever none is ready.
const Unlimited = -1

// Defaults of an Attack.
const (
	DefaultRate    = 50
	DefaultWorkers = 64
	DefaultLimit   = 4
	DefaultTimeout = 30 * time.Second
)

// An Attack is a load on HTTP servers. It is open unless Clients says otherwise. Every field but Requests and one of Tasks and Duration has
// a useful zero.
type Attack struct {
	Requests []Request // sent in turn
	Label    string    // of what is attacked, in the name of the result; "" is the first request's host and path

	Arrival  arrivals.Variant // when requests are due; zero is constant
	Rate     float64          // requests per second; 0 is DefaultRate, unless the arrival settles it
	Clients  int              // above 0: a closed loop of so many, each with one connection
	Tasks    int              // requests to send; 0: until Duration
	Duration time.Duration    // requests due later are not sent; 0: until Tasks are

	Strategy strategies.Variant // what stands before the client; zero: nothing
	Limit    int                // most requests in flight through it; 0 is DefaultLimit
	Queue    int                // places of its queue, where it has one

	Workers     int           // open loop without a strategy: requests that can be in flight; 0 is DefaultWorkers
	Connections int           // most connections to a host; 0: as many as it takes
	Timeout     time.Duration // of one request, from the moment it is sent to the end of its answer; 0 is DefaultTimeout
	Redirects   int           // that are followed; one more is an error. 0: a redirect is the answer
	Insecure    bool          // certificates are not checked
	Shed        int           // a status by which the server's own strategy sheds, such as 503; 0: there is none
	Seed        uint64        // of the arrivals

	// Vegeta gets each result in vegeta's own encoding, for vegeta report and vegeta plot: counted from due like ours, so timestamp is
	// when the request was due and latency the response. Without headers and bodies. nil: nobody gets them.
	Vegeta io.Writer
	// Watch is told of the progress several times a second; nil: nobody is.
	Watch func(Progress)

	dial    func(ctx context.Context, network, address string) (net.Conn, error) // nil: the network
	virtual bool                                                                 // the clock is that of a bubble
}

// Progress is how far an attack is.
type Progress struct {
	Elapsed time.Duration
	Settled int // requests that have their answer, or will not have one
	Failed  int // of them, those that were not completed
}

// A Report is the result of an Attack, and what a bench.Result has no place for.
type Report struct {
	*bench.Result
	Statuses []Count // of answers, by status
	Errors   []Count // of requests without an answer, the most frequent first
	Cut      error   // why the attack ended before its plan did; nil: it did not
}

// Break adds a law that does not hold: the report is INVALID.
func (r *Report) Break(law string) {
	r.Broken = append(r.Broken, law)
	r.Doubt(bench.Invalid, checkLaw, "%s", law)
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

// ErrNothing is the outcome of an attack during which nothing was due.
var ErrNothing = errors.New("no request was due: give it more time or a higher rate")

func (a Attack) withDefaults() Attack {
	if a.Arrival.Spec.Name == "" {
		v, err := arrivals.ParseVariant(param.Call{Name: "constant"})
		if err != nil {
			panic(err)
		}
		a.Arrival = v
	}
	if a.Rate == 0 && a.Clients == 0 && a.Arrival.TakesRate() {
		a.Rate = DefaultRate
	}
	if a.Workers == 0 {
		a.Workers = DefaultWorkers
	}
	if a.Timeout == 0 {
		a.Timeout = DefaultTimeout
	}
	if a.Limit == 0 {
		a.Limit = DefaultLimit
	}
	return a
}

// through reports whether there is a strategy.
func (a Attack) through() bool { return a.Strategy.Spec.New != nil }

func (a Attack) params() strategies.Params {
	return strategies.Params{Limit: a.Limit, Queue: a.Queue, Values: a.Strategy.Values}
}

// maxClients bounds the goroutines and the connections of a closed loop: each client has one of both, and some more.
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
	complain(len(a.Requests) == 0, "requests: there are none")
	for _, r := range a.Requests {
		if err := checkRequest(r); err != nil {
			wrong = append(wrong, err)
		}
	}
	complain(!(a.Rate >= 0) || a.Rate > 1e6, "rate %v: want up to 1e6 requests per second", a.Rate)
	complain(a.Clients < 0 || a.Clients > maxClients, "clients %d: want 1 to %d", a.Clients, maxClients)
	complain(a.Clients > 0 && given.Rate != 0, "clients set the pace, so there is no rate")
	complain(a.Clients > 0 && given.Arrival.Spec.Name != "", "clients set the pace, so there is no arrival process")
	complain(a.Clients > 0 && a.through(), "clients and strategy exclude each other")
	complain(a.Clients > 0 && given.Workers != 0, "clients and workers exclude each other: a client is one")
	complain(a.through() && given.Workers != 0, "strategy and workers exclude each other: the strategy bounds what is in flight")
	complain(a.Arrival.IsClosed(), "arrival %s: it is closed; say how many clients there are", a.Arrival.Spec.Name)
	complain(given.Rate != 0 && a.Clients == 0 && !a.Arrival.TakesRate(), "arrival %s: it settles its own rate", a.Arrival.Spec.Name)
	complain(a.Arrival.Spec.AllAtOnce && a.Tasks == 0, "arrival %s: say how many requests there are (n)", a.Arrival.Spec.Name)
	complain(a.Tasks != 0 && a.Duration != 0, "n and duration exclude each other")
	complain(a.Tasks == 0 && a.Duration == 0, "n: want at least one request, or a duration")
	complain(a.Tasks < 0, "n %d: want 1 or more", a.Tasks)
	complain(a.Duration < 0, "duration %v: want a positive duration", a.Duration)
	complain(a.Timeout < 0, "timeout %v: want a positive duration", a.Timeout)
	complain(a.Workers < Unlimited || a.Workers > maxClients, "workers %d: want 1 to %d", a.Workers, maxClients)
	complain(a.Connections < 0, "connections %d: want 1 or more", a.Connections)
	complain(a.Redirects < 0, "redirects %d: want 0 or more", a.Redirects)
	if a.through() {
		if err := a.Strategy.Spec.Validate(a.params()); err != nil {
			wrong = append(wrong, err)
		}
	} else {
		complain(given.Limit != 0, "limit %d given, but there is no strategy", a.Limit)
		complain(given.Queue != 0, "queue %d given, but there is no strategy", a.Queue)
	}
	return errors.Join(wrong...)
}

// Run sends the requests and reports what came of them. When ctx ends first, those in flight are given up, and the Report is about the
// part before; Report.Cut says so. Afterwards no goroutine and no connection of the attack is left. The error is about an impossible attack, one without any
// request, or Attack.Vegeta.
func Run(ctx context.Context, a Attack) (report *Report, err error) {
	if err := a.Validate(); err != nil {
		return nil, err
	}
	a = a.withDefaults()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	r := &run{attack: a, caller: newCaller(a), tally: newTally(a, cancel)}
	defer r.caller.close()
	defer context.AfterFunc(ctx, r.caller.close)()
	defer r.watch()()
	var witness *bench.Witness
	if !a.virtual {
		witness = bench.StartWitness()
	}
	r.base = time.Now()
	r.tally.base = r.base
	switch {
	case a.Clients > 0:
		r.closed(ctx)
	case a.through():
		err = r.through(ctx)
	default:
		r.open(ctx)
	}
	if witness != nil {
		witness.End(r.base)
	}
	if err != nil {
		return nil, err
	}
	if r.tally.writing != nil {
		return nil, r.tally.writing
	}
	return r.report(context.Cause(ctx), witness)
}

// A run is an Attack that is going on.
type run struct {
	attack Attack
	caller *caller
	tally  *tally
	clock
	issued int   // requests that were due
	twice  int64 // settled more than once
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
		for begun := time.Now(); ; {
			select {
			case <-tick.C:
				settled, failed := r.tally.progress()
				r.attack.Watch(Progress{time.Since(begun), settled, failed})
			case <-end:
				return
			}
		}
	}()
	return func() { close(end); <-ended }
}
