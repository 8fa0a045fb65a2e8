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

// Subjects of attacks that agents share.
const (
	agentsSubject = "poolbench.agents" // a load asks who is there; the answers are greetings
	agentSubject  = "poolbench.agent"  // with an agent's ID and clock, offer or start
	loadSubject   = "poolbench.load"   // with a load's ID and beat, pulse or share
)

// Timing is how long what takes; zero values are the defaults.
type Timing struct {
	Wait   time.Duration // for enough agents to come: 30 s
	Call   time.Duration // from one call for them to the next: 200 ms
	Ahead  time.Duration // from the word to start until the start: 1 s
	Beat   time.Duration // from one sign of life of an agent to the next: 1 s
	Silent time.Duration // of a load, until its agents stop: 4 s
	Lost   time.Duration // of an agent, until it is given up: 5 s
}

func (t Timing) withDefaults() Timing {
	return Timing{cmp.Or(t.Wait, 30*time.Second), cmp.Or(t.Call, 200*time.Millisecond),
		cmp.Or(t.Ahead, time.Second), cmp.Or(t.Beat, time.Second),
		cmp.Or(t.Silent, 4*time.Second), cmp.Or(t.Lost, 5*time.Second)}
}

// A call of a load asks for agents.
type call struct {
	Member
	Load string // its ID
}

// A greeting is what an agent answers to a call.
type greeting struct {
	Member Member
	Busy   bool // with another load
}

// An offer asks an agent to take part in a load.
type offer struct {
	Load   string // its ID
	By     Member
	Attack attack.Written
}

// A word is an answer; "" is yes.
type word struct{ No string }

// A startWord says when the plan begins, by the agent's clock.
type startWord struct {
	Load  string
	Start time.Time
}

// A pulse is an agent's sign of life, and its progress.
type pulse struct {
	ID      string        // of the agent
	Elapsed time.Duration // since the plan began; 0: it has not
	Settled int
	Failed  int
	Counts  checks.Counts
}

// What a beat says.
const (
	goOn   = "go on"
	stopIt = "stop"
)

// An Agent takes part in attacks that several share, one at a time.
type Agent struct {
	Conn   *nats.Conn
	Self   Member
	Attack func(context.Context, attack.Attack) (*attack.Share, error) // nil: attack.RunShare
	Say    func(line string)
	Timing Timing

	clock func() time.Time // nil: a steadyClock's
	wall  func() time.Time // the system's clock; nil: time.Now
}

// Serve waits for attacks and takes part, until ctx ends. What is under way then is given up.
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

// serving is an Agent that serves.
type serving struct {
	Agent
	ctx    context.Context
	steady steadyClock
	loads  sync.WaitGroup

	mu   sync.Mutex
	load *part // nil: it is idle
}

// publish sends JSON. reply is where answers go; "": nowhere.
func publish(conn *nats.Conn, subject, reply string, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return conn.PublishMsg(&nats.Msg{Subject: subject, Reply: reply, Data: text})
}

// answer answers in JSON.
func answer(m *nats.Msg, v any) {
	if text, err := json.Marshal(v); err == nil {
		_ = m.Respond(text) // who does not hear it asks again
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

// tellTime is half of a measurement of the clocks' offset.
func (s *serving) tellTime(m *nats.Msg) { answer(m, reading{s.clock(), s.steady.step()}) }

// consider takes an offer or says why not.
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
		answer(m, word{"it takes part in another attack"})
		return
	default: // its answer was lost
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

// start hears when the plan begins.
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
		answer(m, word{"it takes no part in this attack"})
		return
	}
	answer(m, word{}) // before it begins: an attack may be the end of the connection
	select {
	case p.starting <- time.Now().Add(w.Start.Sub(s.clock())):
	default: // it has been told
	}
}
