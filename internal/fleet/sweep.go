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

	ctx     context.Context // ends when the sweep does, or is given up
	giveUp  context.CancelCauseFunc
	tending sync.WaitGroup
	opening sync.Mutex // while the queue is made again

	mu      sync.Mutex
	cells   int
	wanted  map[int]*want
	alive   time.Time         // the last sign of progress, or nothing was wanted
	by      map[string]*share // by the worker's ID
	refused map[string]bool   // likewise
	host    string            // of real-clock runs; "" until there was one
	hosts   []string          // that have been heard of, the first first
	came    chan struct{}     // closed when the next one is
	trouble error             // why the queue cannot be looked after; nil: it can
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
	cell  cell
	name  string // of its run
	seed  uint64
	clock bench.Clock
	got   chan<- outcome
	// of its message in the queue
	subject string
	puts    int       // how many there have been
	seq     uint64    // of the last; 0: there is none
	heard   time.Time // when it was put there, or the last sign of life of a worker that has it
}

// OpenSweep opens one over the connection. Each run gets that patience; say tells the user who
// takes part and who is refused, and what happens to the server.
func OpenSweep(
	ctx context.Context, conn *nats.Conn, self Member, patience time.Duration, say func(string),
) (*Sweep, error) {
	s := &Sweep{member: self, conn: conn, id: rand.Text(), patience: patience, say: say,
		parts: collector{}, wanted: map[int]*want{}, by: map[string]*share{},
		refused: map[string]bool{}, came: make(chan struct{})}
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
		sweepSubject + "." + s.id: s.hear, helloSubject: s.meet, answers: s.meet,
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

// Context returns the context of the sweep. It ends with the one of OpenSweep, with Close, and when
// the sweep is given up; its cause says why.
func (s *Sweep) Context() context.Context { return s.ctx }

// GiveUp ends the sweep's context, with that cause.
func (s *Sweep) GiveUp(why error) { s.giveUp(why) }

// call asks who is there.
func (s *Sweep) call(answers string) error {
	return publish(s.conn, callSubject, answers, s.member)
}

// meet takes note of a worker that is there.
func (s *Sweep) meet(m *nats.Msg) {
	var there presence
	if json.Unmarshal(m.Data, &there) != nil {
		return
	}
	other := there.Member
	why := other.Program.Differs(s.member.Program)
	s.mu.Lock()
	defer s.mu.Unlock()
	if why == "" && there.Busy { // with another sweep, whose end is waited for
		s.alive = time.Now()
	}
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
	if err := s.put(ctx, w); err != nil {
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

func (s *Sweep) add(sc bench.Scenario, got chan<- outcome) *want {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.wanted) == 0 {
		s.alive = time.Now()
	}
	s.cells++
	w := &want{name: sc.Name(), seed: sc.Seed, clock: sc.Clock, got: got, cell: cell{Sweep: s.id,
		Number: s.cells, Scenario: sc.Written(), Patience: s.patience}}
	s.wanted[s.cells] = w
	return w
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

// no tells a worker that a cell is not wanted; yes, that it is.
var no = []byte("no")

// hear hears the workers: whether a cell is wanted, which is its number alone, and results, in
// parts.
func (s *Sweep) hear(m *nats.Msg) {
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
	_ = m.Respond(answer) // a worker without it asks again
}

// wants reports whether the cell is wanted, by a worker that has it.
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

// receive takes a part of a result. The first one of a cell counts.
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
			s.SoFar(o.on(s.member.Host, w.clock))
		}
	default:
		w.got <- o // has room for one
		delete(s.wanted, number)
		delete(s.parts, of)
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
	return fmt.Sprintf("%s by %s: %s", text.Count(runs, "run"), text.Count(processes, "worker"),
		strings.Join(hosts, ", "))
}

// Workers is how many take part, or have.
func (s *Sweep) Workers() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.by)
}

// Close takes back what is still in the queue of a server that can be reached. It does not close
// the connection, and may be called again.
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
	if !s.conn.IsConnected() { // workers drop what nobody wants
		return errors.Join(errs...)
	}
	ctx, cancel := context.WithTimeout(context.Background(), partTime)
	defer cancel()
	err := s.stream.Purge(ctx, jetstream.WithPurgeSubject(subjectOf(s.member.Program, "*", s.id)))
	if errors.Is(err, jetstream.ErrStreamNotFound) { // the server was replaced by an empty one
		err = nil
	}
	return errors.Join(append(errs, err)...)
}
