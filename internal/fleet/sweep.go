package fleet

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/perf/benchfmt"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/text/prose"
)

// Outstanding is how many virtual-clock runs a sweep should have in the queue at once: as many as a
// fleet of moderate size can do.
const Outstanding = 256

// A Sweep has workers run scenarios. Its methods may be called from any goroutine.
type Sweep struct {
	member   Member
	conn     *nats.Conn
	js       jetstream.JetStream
	stream   jetstream.Stream
	id       string
	patience time.Duration
	say      func(line string)
	heard    []*nats.Subscription
	parts    collector // of the subscription's goroutine

	// SoFar hears what soaks have so far; nil: nobody does. It is set before Run
	SoFar func(*bench.Result)

	mu      sync.Mutex
	cells   int
	wanted  map[int]want
	by      map[string]*share // by the worker's ID
	refused map[string]bool   // likewise
	host    string            // of real-clock runs; "" until there was one
	hosts   []string          // that have been heard of, the first first
	came    chan struct{}     // closed when the next one is
}

// A share is what a worker has done.
type share struct {
	of   Member
	runs int
}

// An outcome is what a worker says of a cell.
type outcome struct {
	Worker  Member
	Machine []benchfmt.Config
	Result  *bench.Result `json:",omitempty"`
	Error   string        `json:",omitempty"`
	// Result is what a soak has so far
	Unfinished bool `json:",omitempty"`
}

// on is the result as one of a run on the host of another machine, where it is one: runs under the
// virtual clock are the same anywhere.
func (o outcome) on(own string, clock bench.Clock) *bench.Result {
	if clock == bench.Real && o.Worker.Host != own {
		o.Result.Machine = append(o.Machine, benchfmt.Config{Key: "host",
			Value: []byte(o.Worker.Host), File: true})
	}
	return o.Result
}

// A want is a cell that the sweep waits for.
type want struct {
	clock bench.Clock
	got   chan<- outcome
}

// OpenSweep opens one over the connection. Each run gets that patience; say tells the user who
// takes part and who is refused.
func OpenSweep(
	ctx context.Context, conn *nats.Conn, self Member, patience time.Duration, say func(string),
) (*Sweep, error) {
	s := &Sweep{member: self, conn: conn, id: rand.Text(), patience: patience, say: say,
		parts: collector{}, wanted: map[int]want{}, by: map[string]*share{},
		refused: map[string]bool{}, came: make(chan struct{})}
	opening, cancel := context.WithTimeout(ctx, 2*partTime)
	defer cancel()
	var err error
	if s.js, s.stream, err = openQueue(opening, conn); err != nil {
		return nil, err
	}
	answers := conn.NewInbox()
	for subject, hear := range map[string]nats.MsgHandler{
		sweepSubject + "." + s.id: s.hear, helloSubject: s.meet, answers: s.meet,
	} {
		sub, err := conn.Subscribe(subject, hear)
		if err != nil {
			return nil, errors.Join(err, s.Close())
		}
		s.heard = append(s.heard, sub)
	}
	return s, errors.Join(s.call(answers), conn.Flush())
}

// call asks who is there.
func (s *Sweep) call(answers string) error {
	return publish(s.conn, callSubject, answers, s.member)
}

// meet takes note of a worker that is there.
func (s *Sweep) meet(m *nats.Msg) {
	var other Member
	if json.Unmarshal(m.Data, &other) != nil {
		return
	}
	why := other.Program.Differs(s.member.Program)
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case why == "" && s.by[other.ID] == nil:
		s.by[other.ID] = &share{of: other}
		if !slices.Contains(s.hosts, other.Host) {
			s.hosts = append(s.hosts, other.Host)
		}
		close(s.came)
		s.came = make(chan struct{})
	case why != "" && !s.refused[other.ID]:
		s.refused[other.ID] = true
		s.say(fmt.Sprintf("the worker on %s is refused: %s", other, why))
		_ = s.call(s.conn.NewInbox()) // so that it says so too; the reason is said here
	}
}

// Run has a worker run the scenario, and waits for its result.
func (s *Sweep) Run(ctx context.Context, sc bench.Scenario) (*bench.Result, error) {
	where := anyHost
	if sc.Clock == bench.Real {
		host, err := s.realHost(ctx)
		if err != nil {
			return nil, err
		}
		where = hostKey(host)
	}
	got := make(chan outcome, 1)
	c := s.add(sc, got)
	defer s.drop(c.Number)
	if err := s.put(ctx, where, c); err != nil {
		return nil, fmt.Errorf("%s: %w", sc.Name(), err)
	}
	select {
	case o := <-got:
		if o.Error != "" {
			return nil, errors.New(o.Error)
		}
		return o.on(s.member.Host, sc.Clock), nil
	case <-ctx.Done():
		return nil, fmt.Errorf("%s: %w", sc.Name(), context.Cause(ctx))
	}
}

// put puts the cell into the queue. A server that is away for some seconds is waited for: the id
// has it drop what comes twice.
func (s *Sweep) put(ctx context.Context, where string, c cell) error {
	text, err := json.Marshal(c)
	if err != nil {
		return err
	}
	return again(ctx, func(ctx context.Context) error {
		_, err := s.js.Publish(ctx, subjectOf(s.member.Program, where, s.id), text,
			jetstream.WithMsgID(s.id+"."+strconv.Itoa(c.Number)))
		return err
	})
}

func (s *Sweep) add(sc bench.Scenario, got chan<- outcome) cell {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cells++
	s.wanted[s.cells] = want{sc.Clock, got}
	return cell{Sweep: s.id, Number: s.cells, Scenario: sc.Written(), Patience: s.patience}
}

func (s *Sweep) drop(number int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.wanted, number)
}

// realHost is where all real-clock runs of the sweep go: this host where a worker of it is there,
// else that of the first worker.
func (s *Sweep) realHost(ctx context.Context) (string, error) {
	for {
		s.mu.Lock()
		if s.host == "" && slices.Contains(s.hosts, s.member.Host) {
			s.host = s.member.Host
		} else if s.host == "" && len(s.hosts) > 0 {
			s.host = s.hosts[0]
			s.say("all real-clock runs are made on " + s.host)
		}
		host, came := s.host, s.came
		s.mu.Unlock()
		if host != "" {
			return host, nil
		}
		select {
		case <-came:
		case <-ctx.Done():
			return "", context.Cause(ctx)
		}
	}
}

// What a worker is told that asks whether a cell is still wanted.
var (
	yes = []byte("yes")
	no  = []byte("no")
)

// hear hears the workers: whether a cell is wanted, which is its number alone, and results, in
// parts.
func (s *Sweep) hear(m *nats.Msg) {
	answer := yes
	if m.Header.Get(ofHeader) != "" {
		if err := s.receive(m); err != nil {
			s.say("a worker's message cannot be read: " + err.Error())
		}
	} else if number, err := strconv.Atoi(string(m.Data)); err != nil || !s.wants(number) {
		answer = no
	}
	_ = m.Respond(answer) // a worker without it asks again
}

func (s *Sweep) wants(number int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.wanted[number].got != nil
}

// receive takes a part of a result. The first one of a cell counts.
func (s *Sweep) receive(m *nats.Msg) error {
	of, whole, done, err := s.parts.add(m)
	if err != nil || !done {
		return err
	}
	number, err := strconv.Atoi(strings.Split(of, ".")[0])
	if err != nil {
		return err
	}
	var o outcome
	if err := json.Unmarshal(whole, &o); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch of := s.wanted[number]; {
	case of.got == nil:
	case o.Unfinished:
		if s.SoFar != nil && o.Result != nil {
			s.SoFar(o.on(s.member.Host, of.clock))
		}
	default:
		of.got <- o // has room for one
		delete(s.wanted, number)
		by := s.by[o.Worker.ID]
		if by == nil {
			by = &share{of: o.Worker}
			s.by[o.Worker.ID] = by
		}
		by.runs++
	}
	return nil
}

// Shares says who has run how much, in a line; "" where nobody has.
func (s *Sweep) Shares() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	perHost, processes, runs := map[string]int{}, 0, 0
	for _, w := range s.by {
		if w.runs > 0 {
			perHost[w.of.Host] += w.runs
			processes, runs = processes+1, runs+w.runs
		}
	}
	var hosts []string
	for host, n := range perHost {
		hosts = append(hosts, fmt.Sprintf("%d on %s", n, host))
	}
	slices.Sort(hosts)
	if runs == 0 {
		return ""
	}
	return fmt.Sprintf("%s by %s: %s", prose.Count(runs, "run"), prose.Count(processes, "worker"),
		strings.Join(hosts, ", "))
}

// Workers is how many take part, or have.
func (s *Sweep) Workers() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.by)
}

// Close takes back what is still in the queue. It does not close the connection, and may be called
// again.
func (s *Sweep) Close() error {
	if s.conn.IsClosed() {
		return nil
	}
	var errs []error
	for _, sub := range s.heard {
		errs = append(errs, sub.Unsubscribe())
	}
	s.heard = nil
	ctx, cancel := context.WithTimeout(context.Background(), partTime)
	defer cancel()
	return errors.Join(append(errs, s.stream.Purge(ctx,
		jetstream.WithPurgeSubject(subjectOf(s.member.Program, "*", s.id))))...)
}
