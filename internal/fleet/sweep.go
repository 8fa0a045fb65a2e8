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
	"github.com/poolbench/poolbench/internal/text"
)

// Outstanding is the recommended number of virtual-clock runs in a sweep's queue, for a fleet of
// moderate size.
const Outstanding = 256

// A Sweep is safe for concurrent use.
type Sweep struct {
	member   Member
	conn     *nats.Conn
	js       jetstream.JetStream
	stream   jetstream.Stream
	id       string
	patience time.Duration
	say      func(line string)
	heard    []*nats.Subscription
	parts    collector // used only by the subscription's goroutine

	// interim results of soaks; may be nil; set it before Run
	SoFar func(*bench.Result)

	ctx     context.Context // ends with the sweep
	giveUp  context.CancelCauseFunc
	tending sync.WaitGroup
	opening sync.Mutex // held while the queue is recreated

	mu      sync.Mutex
	cells   int
	wanted  map[int]*pendingCell
	alive   time.Time         // last progress, or last time without wanted cells
	shares  map[string]*share // by worker ID
	refused map[string]bool   // by worker ID
	host    string            // host for real-clock runs; "" until it is chosen
	hosts   []string          // in order of arrival
	newHost chan struct{}     // closed when a new host appears
	trouble error             // why the queue cannot be used; nil if it can
}

type share struct {
	member Member
	runs   int
}

type outcome struct {
	Worker  Member
	Machine []benchfmt.Config
	Result  *bench.Result `json:",omitempty"`
	Error   string        `json:",omitempty"`
	// whether Result is an interim result of a soak
	Unfinished bool `json:",omitempty"`
}

// Virtual-clock results are equal on all hosts, so markHost does not change them.
func (o outcome) markHost(own string, clock bench.Clock) *bench.Result {
	if clock == bench.Real && o.Worker.Host != own {
		o.Result.Machine = append(o.Machine, benchfmt.Config{Key: "host",
			Value: []byte(o.Worker.Host), File: true})
	}
	return o.Result
}

type pendingCell struct {
	cell    cell
	name    string // name of the run
	seed    uint64
	clock   bench.Clock
	got     chan<- outcome
	subject string
	queued  int       // number of times it was queued
	seq     uint64    // sequence number of its last message; 0 if none
	heard   time.Time // when it was queued, or when its worker last sent a heartbeat
}

// patience is the time limit without progress. say reports participants, refusals and server events
// to the user.
func OpenSweep(
	ctx context.Context, conn *nats.Conn, self Member, patience time.Duration, say func(string),
) (*Sweep, error) {
	s := &Sweep{member: self, conn: conn, id: rand.Text(), patience: patience, say: say,
		parts: collector{}, wanted: map[int]*pendingCell{}, shares: map[string]*share{},
		refused: map[string]bool{}, newHost: make(chan struct{})}
	s.ctx, s.giveUp = context.WithCancelCause(ctx)
	opening, cancel := context.WithTimeout(ctx, 2*partTime)
	defer cancel()
	var err error
	if s.js, s.stream, err = openQueue(opening, conn); err != nil {
		s.giveUp(err)
		return nil, err
	}
	answers := conn.NewInbox()
	for subject, hear := range map[string]nats.MsgHandler{
		sweepSubject + "." + s.id: s.handle, helloSubject: s.receivePresence, answers: s.receivePresence,
	} {
		sub, err := conn.Subscribe(subject, hear)
		if err != nil {
			return nil, errors.Join(err, s.Close())
		}
		s.heard = append(s.heard, sub)
	}
	if err := errors.Join(s.call(answers), conn.FlushWithContext(opening)); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	s.tending.Go(func() { s.tend(answers) })
	return s, nil
}

// Context ends with OpenSweep's context, with Close, and when the sweep is given up. Its cause is
// the reason.
func (s *Sweep) Context() context.Context { return s.ctx }

func (s *Sweep) GiveUp(why error) { s.giveUp(why) }

func (s *Sweep) call(answers string) error {
	return publish(s.conn, callSubject, answers, s.member)
}

func (s *Sweep) receivePresence(m *nats.Msg) {
	var there heartbeat
	if json.Unmarshal(m.Data, &there) != nil {
		return
	}
	other := there.Member
	why := other.Program.Differs(s.member.Program)
	s.mu.Lock()
	defer s.mu.Unlock()
	if why == "" && there.Busy { // it runs a cell of another sweep, so wait for it
		s.alive = time.Now()
	}
	switch {
	case why == "" && s.shares[other.ID] == nil:
		s.shares[other.ID] = &share{member: other}
		if !slices.Contains(s.hosts, other.Host) {
			s.hosts = append(s.hosts, other.Host)
		}
		close(s.newHost)
		s.newHost = make(chan struct{})
	case why != "" && !s.refused[other.ID]:
		s.refused[other.ID] = true
		s.say(fmt.Sprintf("the worker on %s is refused: %s", other, why))
		_ = s.call(s.conn.NewInbox()) // so that it also reports the refusal
	}
}

func (s *Sweep) Run(ctx context.Context, sc bench.Scenario) (*bench.Result, error) {
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	defer context.AfterFunc(s.ctx, func() { end(context.Cause(s.ctx)) })()
	got := make(chan outcome, 1)
	w := s.add(sc, got)
	defer s.drop(w.cell.Number)
	where := anyHost
	if sc.Clock == bench.Real {
		host, err := s.realHost(ctx)
		if err != nil {
			return nil, err
		}
		where = hostKey(host)
	}
	w.subject = subjectOf(s.member.Program, where, s.id)
	if err := s.enqueue(ctx, w); err != nil {
		return nil, fmt.Errorf("%s: %w", sc.Name(), err)
	}
	select {
	case o := <-got:
		if o.Error != "" {
			return nil, errors.New(o.Error)
		}
		return o.markHost(s.member.Host, sc.Clock), nil
	case <-ctx.Done():
		return nil, fmt.Errorf("%s: %w", sc.Name(), context.Cause(ctx))
	}
}

func (s *Sweep) add(sc bench.Scenario, got chan<- outcome) *pendingCell {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.wanted) == 0 {
		s.alive = time.Now()
	}
	s.cells++
	w := &pendingCell{name: sc.Name(), seed: sc.Seed, clock: sc.Clock, got: got,
		cell: cell{Sweep: s.id, Number: s.cells, Scenario: sc.Encode(), Patience: s.patience}}
	s.wanted[s.cells] = w
	return w
}

func (s *Sweep) drop(number int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.wanted, number)
}

// realHost returns the host for all real-clock runs: this host if it has a worker, otherwise the
// host of the first worker.
func (s *Sweep) realHost(ctx context.Context) (string, error) {
	for {
		s.mu.Lock()
		if s.host == "" && slices.Contains(s.hosts, s.member.Host) {
			s.host = s.member.Host
		} else if s.host == "" && len(s.hosts) > 0 {
			s.host = s.hosts[0]
			s.say("all real-clock runs are made on " + s.host)
		}
		host, came := s.host, s.newHost
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

// the answer to a worker whose cell is not wanted
var no = []byte("no")

// A worker's message is the number of a cell, which asks whether the cell is wanted, or a part of a
// result.
func (s *Sweep) handle(m *nats.Msg) {
	if m.Header.Get(ofHeader) != "" {
		err := s.receive(m)
		if err != nil && !errors.Is(err, errOrder) {
			s.say("a worker's message cannot be read: " + err.Error())
		}
		confirm(m, err)
		return
	}
	answer := yes
	if number, err := strconv.Atoi(string(m.Data)); err != nil || !s.wants(number) {
		answer = no
	}
	_ = m.Respond(answer) // if the answer is lost, the worker repeats the question
}

func (s *Sweep) wants(number int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	w := s.wanted[number]
	if w == nil {
		return false
	}
	s.alive = time.Now()
	w.heard = s.alive
	return true
}

// Only the first result of a cell counts.
func (s *Sweep) receive(m *nats.Msg) error {
	of := m.Header.Get(ofHeader)
	text, _, _ := strings.Cut(of, ".")
	number, err := strconv.Atoi(text)
	if err != nil {
		return err
	}
	if !s.wants(number) {
		delete(s.parts, of)
		return nil
	}
	of, whole, done, err := s.parts.add(m)
	if err != nil || !done {
		return err
	}
	var o outcome
	if err := json.Unmarshal(whole, &o); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch w := s.wanted[number]; {
	case w == nil:
	case o.Unfinished:
		if s.SoFar != nil && o.Result != nil {
			s.SoFar(o.markHost(s.member.Host, w.clock))
		}
	default:
		w.got <- o // its buffer has room for one element
		delete(s.wanted, number)
		delete(s.parts, of)
		by := s.shares[o.Worker.ID]
		if by == nil {
			by = &share{member: o.Worker}
			s.shares[o.Worker.ID] = by
		}
		by.runs++
	}
	return nil
}

func (s *Sweep) Shares() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	perHost, processes, runs := map[string]int{}, 0, 0
	for _, w := range s.shares {
		if w.runs > 0 {
			perHost[w.member.Host] += w.runs
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
	return fmt.Sprintf("%s by %s: %s", text.Count(runs, "run"), text.Count(processes, "worker"),
		strings.Join(hosts, ", "))
}

func (s *Sweep) Workers() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.shares)
}

// Close removes the remaining cells from the queue if the server is reachable. It leaves the
// connection open and may be called repeatedly.
func (s *Sweep) Close() error {
	s.giveUp(errors.New("the sweep has ended"))
	s.tending.Wait()
	if s.conn.IsClosed() {
		return nil
	}
	var errs []error
	for _, sub := range s.heard {
		errs = append(errs, sub.Unsubscribe())
	}
	s.heard = nil
	if !s.conn.IsConnected() { // workers will drop the unwanted cells
		return errors.Join(errs...)
	}
	ctx, cancel := context.WithTimeout(context.Background(), partTime)
	defer cancel()
	err := s.stream.Purge(ctx, jetstream.WithPurgeSubject(subjectOf(s.member.Program, "*", s.id)))
	// A new server without the queue replaced the old one.
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		err = nil
	}
	return errors.Join(append(errs, err)...)
}
