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

const (
	agentsSubject = "poolbench.agents" // a load's call for agents; they answer with a greeting
	agentSubject  = "poolbench.agent"  // followed by an agent's ID and clock, offer or start
	loadSubject   = "poolbench.load"   // followed by a load's ID and beat, pulse or share
)

// In a Timing, zero values are the defaults.
type Timing struct {
	Wait   time.Duration // limit for gathering enough agents; default 30 s
	Call   time.Duration // interval between calls for agents; default 200 ms
	Ahead  time.Duration // time from the start command to the start; default 1 s
	Beat   time.Duration // interval between an agent's pulses; default 1 s
	Silent time.Duration // silence of a load after which its agents stop; default 4 s
	Lost   time.Duration // silence of an agent after which it is lost; default 5 s
}

func (t Timing) withDefaults() Timing {
	return Timing{cmp.Or(t.Wait, 30*time.Second), cmp.Or(t.Call, 200*time.Millisecond),
		cmp.Or(t.Ahead, time.Second), cmp.Or(t.Beat, time.Second),
		cmp.Or(t.Silent, 4*time.Second), cmp.Or(t.Lost, 5*time.Second)}
}

type call struct {
	Member
	Load string // ID of the load
}

type greeting struct {
	Member Member
	Busy   bool // whether it runs another load
}

type offer struct {
	Load   string // ID of the load
	By     Member
	Attack attack.Encoded
}

// An empty No accepts the offer. Otherwise No is the reason of the refusal.
type offerReply struct{ No string }

type startMessage struct {
	Load  string
	Start time.Time
}

type pulse struct {
	ID      string        // ID of the agent
	Elapsed time.Duration // time since the plan began; 0 if it has not
	Settled int
	Failed  int
	Counts  checks.Counts
}

const (
	goOn   = "go on"
	stopIt = "stop"
)

// An Agent takes part in one attack at a time.
type Agent struct {
	Conn   *nats.Conn
	Self   Member
	Attack func(context.Context, attack.Attack) (*attack.Share, error) // nil means attack.RunShare
	Say    func(line string)
	Timing Timing

	clock func() time.Time // nil means the clock of a steadyClock
	wall  func() time.Time // clock of the system; nil means time.Now
}

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
		at + ".clock": s.answerClock, at + ".offer": s.answerOffer, at + ".start": s.start} {
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
	load *part // nil while idle
}

func publish(conn *nats.Conn, subject, reply string, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return conn.PublishMsg(&nats.Msg{Subject: subject, Reply: reply, Data: text})
}

func answer(m *nats.Msg, v any) {
	if text, err := json.Marshal(v); err == nil {
		_ = m.Respond(text) // if the answer is lost, the sender repeats the question
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

func (s *serving) answerClock(m *nats.Msg) { answer(m, reading{s.clock(), s.steady.step()}) }

func (s *serving) answerOffer(m *nats.Msg) {
	var o offer
	if err := json.Unmarshal(m.Data, &o); err != nil {
		answer(m, offerReply{"the offer cannot be read: " + err.Error()})
		return
	}
	if why := s.Self.Program.Differs(o.By.Program); why != "" {
		s.Say(fmt.Sprintf("the attack of %s refuses this agent: %s", o.By, why))
		answer(m, offerReply{why})
		return
	}
	a, err := o.Attack.Attack()
	if err != nil {
		answer(m, offerReply{err.Error()})
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch p := s.load; {
	case p == nil:
	case p.id != o.Load || p.started:
		answer(m, offerReply{"it is part of another attack"})
		return
	default: // the previous answer was lost
		p.attack = a
		answer(m, offerReply{})
		return
	}
	p := &part{serving: s, id: o.Load, attack: a, starting: make(chan time.Time, 1), taken: time.Now()}
	s.load = p
	s.loads.Go(func() {
		if err := p.serve(); err != nil {
			s.Say(fmt.Sprintf("the attack of %s: %v", o.By, err))
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.load = nil
	})
	answer(m, offerReply{})
}

func (s *serving) start(m *nats.Msg) {
	var w startMessage
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
		answer(m, offerReply{"it is not part of this attack"})
		return
	}
	answer(m, offerReply{}) // answer first, because an attack may break the connection
	select {
	case p.starting <- time.Now().Add(w.Start.Sub(s.clock())):
	default: // repeated message
	}
}
