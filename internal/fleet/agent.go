package fleet

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/poolbench/poolbench/bench/attack"
	"github.com/poolbench/poolbench/bench/attack/checks"
)

// Subjects of shared attacks.
const (
	agentsSubject = "poolbench.agents" // a load's call for agents, answered by greetings
	agentSubject  = "poolbench.agent"  // with an agent's ID and clock, offer or start
	loadSubject   = "poolbench.load"   // with a load's ID and beat, pulse or share
)

// Timing has the intervals and timeouts; zero values are the defaults.
type Timing struct {
	Wait   time.Duration // for enough agents: 30 s
	Call   time.Duration // between calls for agents: 200 ms
	Ahead  time.Duration // from the start command to the start: 1 s
	Beat   time.Duration // between an agent's pulses: 1 s
	Silent time.Duration // silence of a load until its agents stop: 4 s
	Lost   time.Duration // silence of an agent until it is lost: 5 s
}

func (t Timing) withDefaults() Timing {
	return Timing{cmp.Or(t.Wait, 30*time.Second), cmp.Or(t.Call, 200*time.Millisecond),
		cmp.Or(t.Ahead, time.Second), cmp.Or(t.Beat, time.Second),
		cmp.Or(t.Silent, 4*time.Second), cmp.Or(t.Lost, 5*time.Second)}
}

type call struct {
	Member
	Load string // ID
}

// A greeting is an agent's answer to a call.
type greeting struct {
	Member Member
	Busy   bool // with another load
}

type offer struct {
	Load   string // ID
	By     Member
	Attack attack.Written
}

// A word is an answer: "" accepts, else it is the reason of the refusal.
type word struct{ No string }

// A startWord has the start of the plan by the agent's clock.
type startWord struct {
	Load  string
	Start time.Time
}

// A pulse is an agent's heartbeat with its progress.
type pulse struct {
	ID      string        // of the agent
	Elapsed time.Duration // since the plan began; 0: it has not
	Settled int
	Failed  int
	Counts  checks.Counts
}

// Content of a beat.
const (
	goOn   = "go on"
	stopIt = "stop"
)

// An Agent takes part in shared attacks, one at a time.
type Agent struct {
	Conn   *nats.Conn
	Self   Member
	Attack func(context.Context, attack.Attack) (*attack.Share, error) // nil: attack.RunShare
	Say    func(line string)
	Timing Timing

	clock func() time.Time // nil: a steadyClock's
	wall  func() time.Time // the system's clock; nil: time.Now
}

// Serve takes part in attacks until ctx ends, which abandons the current one.
func (a Agent) Serve(ctx context.Context) error {
	a.Timing = a.Timing.withDefaults()
	if a.Attack == nil {
		a.Attack = attack.RunShare
	}
	steady := startClock(a.wall)
	if a.clock == nil {
		a.clock = steady.now
	}
	ctx, cancel := context.WithCancel(ctx)
	s := &serving{Agent: a, ctx: ctx, steady: steady}
	defer s.loads.Wait()
	defer cancel()
	at := agentSubject + "." + a.Self.ID
	for subject, hear := range map[string]nats.MsgHandler{agentsSubject: s.greet,
		at + ".clock": s.tellTime, at + ".offer": s.consider, at + ".start": s.start} {
		sub, err := a.Conn.Subscribe(subject, hear)
		if err != nil {
			return err
		}
		defer sub.Unsubscribe()
	}
	subscribing, end := context.WithTimeout(ctx, partTime)
	defer end()
	if err := a.Conn.FlushWithContext(subscribing); err != nil && ctx.Err() == nil {
		return err
	}
	<-ctx.Done()
	return nil
}

type serving struct {
	Agent
	ctx    context.Context
	steady steadyClock
	loads  sync.WaitGroup

	mu   sync.Mutex
	load *part // nil: idle
}

// publish sends v as JSON. reply is the subject for answers; "": none.
func publish(conn *nats.Conn, subject, reply string, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return conn.PublishMsg(&nats.Msg{Subject: subject, Reply: reply, Data: text})
}

func answer(m *nats.Msg, v any) {
	if text, err := json.Marshal(v); err == nil {
		_ = m.Respond(text) // if lost, the sender asks again
	}
}

func (s *serving) greet(m *nats.Msg) {
	var by call
	if json.Unmarshal(m.Data, &by) != nil {
		return
	}
	s.mu.Lock()
	busy := s.load != nil && s.load.id != by.Load
	s.mu.Unlock()
	answer(m, greeting{s.Self, busy})
}

// tellTime answers a measurement of the clocks' offset.
func (s *serving) tellTime(m *nats.Msg) { answer(m, reading{s.clock(), s.steady.step()}) }

// consider accepts an offer or refuses it with the reason.
func (s *serving) consider(m *nats.Msg) {
	var o offer
	if err := json.Unmarshal(m.Data, &o); err != nil {
		answer(m, word{"the offer cannot be read: " + err.Error()})
		return
	}
	if why := s.Self.Program.Differs(o.By.Program); why != "" {
		s.Say(fmt.Sprintf("the attack of %s refuses this agent: %s", o.By, why))
		answer(m, word{why})
		return
	}
	a, err := o.Attack.Attack()
	if err != nil {
		answer(m, word{err.Error()})
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch p := s.load; {
	case p == nil:
	case p.id != o.Load || p.started:
		answer(m, word{"it is part of another attack"})
		return
	default: // the previous answer was lost
		p.attack = a
		answer(m, word{})
		return
	}
	p := &part{of: s, id: o.Load, attack: a, starting: make(chan time.Time, 1), taken: time.Now()}
	s.load = p
	s.loads.Go(func() {
		if err := p.take(); err != nil {
			s.Say(fmt.Sprintf("the attack of %s: %v", o.By, err))
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.load = nil
	})
	answer(m, word{})
}

// start receives the start of the plan.
func (s *serving) start(m *nats.Msg) {
	var w startWord
	if json.Unmarshal(m.Data, &w) != nil {
		return
	}
	s.mu.Lock()
	p := s.load
	takesPart := p != nil && p.id == w.Load
	if takesPart {
		p.started = true
	}
	s.mu.Unlock()
	if !takesPart {
		answer(m, word{"it is not part of this attack"})
		return
	}
	answer(m, word{}) // first, since an attack may break the connection
	select {
	case p.starting <- time.Now().Add(w.Start.Sub(s.clock())):
	default: // repeated message
	}
}
