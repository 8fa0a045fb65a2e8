package gateway

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/attack"
	"github.com/poolbench/poolbench/internal/machine"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/targets"
	"github.com/poolbench/poolbench/workloads"
)

const DefaultLimit = 4

type Scenario struct {
	Strategy strategies.Variant // bounds the server's work; required
	Limit    int                // maximum concurrent requests; 0 is DefaultLimit
	// as bench.Scenario.Queue
	Queue    int
	Workload workloads.Variant // cost of a request; required
	// Run sets Requests, Label and Shed.
	Load attack.Attack
}

func (s Scenario) withDefaults() Scenario {
	s.Limit = cmp.Or(s.Limit, DefaultLimit)
	if s.Queue == bench.NoQueue && !s.Strategy.Spec.UsesQueue {
		s.Queue = 0
	}
	s.Load.Requests = []attack.Request{{Method: http.MethodGet, URL: "http://127.0.0.1/"}}
	s.Load.Label, s.Load.Shed = "gateway", http.StatusServiceUnavailable
	return s
}

func (s Scenario) params() strategies.Params {
	return strategies.Params{Limit: s.Limit, Queue: s.Load.QueueSlots(s.Strategy.Spec, s.Queue,
		s.Limit), Values: s.Strategy.Values}
}

// Name returns the benchmark name: every axis that is not at its default.
func (s Scenario) Name() string {
	s = s.withDefaults()
	_, load, _ := strings.Cut(s.Load.Name(), "/target=gateway/")
	queue := ""
	if s.Queue != 0 {
		queue = fmt.Sprintf("queue=%d/", max(s.Queue, 0))
	}
	return fmt.Sprintf("Gateway/strategy=%s/workload=%s/limit=%d/%s%s", s.Strategy, s.Workload,
		s.Limit, queue, load)
}

func (s Scenario) Validate() error {
	s = s.withDefaults()
	var c text.Complaints
	spec := s.Strategy.Spec
	if c.If(spec.New == nil, "no strategy is given"); spec.New != nil {
		c.Note(spec.Validate(s.params()))
	}
	c.If(spec.Hedges, "strategy %s: it makes a second attempt in parallel, but an HTTP answer is "+
		"written only once", s.Strategy)
	c.If(s.Workload.Spec.New == nil, "no workload is given")
	c.If(s.Load.Strategy.Spec.New != nil, "the server has the strategy, so the load must have none")
	return errors.Join(append(c, s.Load.Validate())...)
}

// If ctx ends first, the report covers the part before.
func Run(ctx context.Context, s Scenario) (report *attack.Report, err error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	s = s.withDefaults()
	w, err := s.Workload.Spec.Build(s.Load.Seed, s.Workload.Values)
	if err != nil {
		return nil, err
	}
	if c, ok := w.(io.Closer); ok {
		defer func() { err = errors.Join(err, c.Close()) }()
	}
	if _, ok := w.(workloads.Served); ok {
		return nil, fmt.Errorf("workload %s calls its own server", s.Workload)
	}
	// The server outlives the attack.
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	g := &Gateway{}
	if s.Load.Profile != "" {
		g.labels = machine.NewProfileLabels(life, s.Strategy.String(), strategies.AnyClass.String())
	}
	g.start(life, s.Strategy, s.Limit, s.params().Queue)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, errors.Join(err, g.Drain(life))
	}
	server := targets.NewServer(targets.Handler(g, w.Do))
	discard(&server.ErrorLog)
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	s.Load.Requests[0].URL = "http://" + listener.Addr().String() + "/"
	report, err = attack.Run(ctx, s.Load)
	err = errors.Join(err, server.Close()) // its requests have ended
	if e := <-served; !errors.Is(e, http.ErrServerClosed) {
		err = errors.Join(err, e)
	}
	if e := g.Drain(life); e != nil {
		err = errors.Join(err, fmt.Errorf("%s: %w", s.Strategy, e))
	}
	if err != nil {
		return nil, err
	}
	report.Name = s.Name()
	if of := s.Strategy.Spec.Bound; of != nil {
		if bound := of(s.params()); g.Peak() > bound {
			report.Break(fmt.Sprintf("bound: %d requests ran at once, the limit is %d",
				g.Peak(), bound))
		}
	}
	return report, nil
}

// A logger is a *log.Logger, without importing package log, which only the command may.
type logger interface{ SetOutput(io.Writer) }

// The default log of a server is standard error, and clients' errors are in the report.
func discard[L any, P interface {
	*L
	logger
}](to *P) {
	*to = new(L)
	(*to).SetOutput(io.Discard)
}
