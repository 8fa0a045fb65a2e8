package fleet

import (
	"context"
	"crypto/rand"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/poolbench/poolbench/bench/attack"
	"github.com/poolbench/poolbench/internal/machine/pace"
)

type Load struct {
	Conn      *nats.Conn
	Self      Member
	Attack    attack.Attack // its Agents must be set
	AllowLost bool          // whether to accept the other shares if an agent is lost
	Say       func(line string)
	Watch     func(attack.Progress) // like Attack.Watch, with the sum over all agents; may be nil
	Timing    Timing

	wall func() time.Time // clock of the system; nil means time.Now
}

type agentState struct {
	member  Member
	offset  offset    // clock offset at the start
	heard   time.Time // when the last pulse arrived
	pulse   pulse
	maxLead time.Duration // maximum lead of its times over those of the load
	agent   attack.Agent
	done    bool // whether its share has arrived or it is lost
}

type loading struct {
	Load
	id      string
	clock   steadyClock
	refused map[string]bool // by ID, so each refusal is reported once
	parts   collector       // used only by the subscription's goroutine

	reconnects uint64 // reconnects of the connection before this load

	mu      sync.Mutex
	greeted []Member
	parties map[string]*agentState // by ID
	order   []*agentState
	began   time.Time // start of the plan
	start   time.Time // the same, by clock
	changed chan struct{}
}

// If ctx ends first, the agents stop, and the report covers the time before.
func (l Load) Run(ctx context.Context) (_ *attack.Report, err error) {
	l.Timing = l.Timing.withDefaults()
	if err := l.Attack.Validate(); err != nil {
		return nil, err
	}
	r := &loading{Load: l, id: rand.Text(), clock: startClock(l.wall), refused: map[string]bool{},
		parts: collector{}, parties: map[string]*agentState{}, changed: make(chan struct{}, 1),
		reconnects: l.Conn.Stats().Reconnects}
	calls := l.Conn.NewInbox()
	at := loadSubject + "." + r.id
	for subject, hear := range map[string]nats.MsgHandler{calls: r.receiveGreeting, at + ".pulse": r.recordPulse,
		at + ".share": r.receive} {
		sub, err := l.Conn.Subscribe(subject, hear)
		if err != nil {
			return nil, err
		}
		defer sub.Unsubscribe()
	}
	defer r.stop() // for the remaining agents
	// One message goes to all agents. It is frequent, so agents survive a server outage.
	defer pace.Every(l.Timing.Beat/4+1, func() { r.sendBeat(goOn) })()
	if err := r.muster(ctx, calls); err != nil {
		return nil, err
	}
	r.startAll(ctx)
	cut := r.await(ctx)
	r.checkClocks(context.WithoutCancel(ctx))
	return r.merge(cut)
}

// Agents that receive no beats stop by themselves.
func (r *loading) sendBeat(what string) {
	_ = r.Conn.Publish(loadSubject+"."+r.id+".beat", []byte(what))
}

func (r *loading) stop() {
	r.sendBeat(stopIt)
	ctx, cancel := context.WithTimeout(context.Background(), r.Timing.Lost)
	defer cancel()
	_ = r.Conn.FlushWithContext(ctx) // an agent that does not receive it stops by itself
}

func (r *loading) startAll(ctx context.Context) {
	r.mu.Lock()
	r.began, r.start = time.Now().Add(r.Timing.Ahead), r.clock.now().Add(r.Timing.Ahead)
	r.mu.Unlock()
	ctx = context.WithoutCancel(ctx) // an agent must be started before it can be stopped
	var asked sync.WaitGroup
	for _, p := range r.order {
		asked.Go(func() {
			no, err := r.ask(ctx, p.member, "start", startMessage{r.id, r.start.Add(p.offset.value)})
			if err != nil {
				no = err.Error()
			}
			if no != "" {
				r.lose(p, "the start command did not reach the agent: "+no)
			}
		})
	}
	asked.Wait()
}

func (r *loading) lose(p *agentState, why string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !p.done {
		p.done, p.agent.Lost = true, why
		r.Say(fmt.Sprintf("the agent on %s is lost: %s", p.member, why))
	}
}

func (r *loading) await(ctx context.Context) (cut error) {
	tick := time.NewTicker(min(r.Timing.Beat, r.Timing.Lost/4+1))
	defer tick.Stop()
	done, stopping := ctx.Done(), r.Attack.Stopping()
	stop := func(why error) {
		cut, done = why, nil
		r.stop()
	}
	for r.left(r.Timing.Lost) > 0 {
		select {
		case <-r.changed:
		case <-tick.C:
			now := r.progress()
			if r.Watch != nil {
				r.Watch(now)
			}
			if cut == nil {
				if why := stopping(now); why != nil {
					stop(why)
				}
			}
		case <-done:
			stop(context.Cause(ctx))
		}
	}
	return cut
}

// left gives up silent agents. It returns the number of missing shares.
func (r *loading) left(patience time.Duration) (n int) {
	for _, p := range r.order {
		r.mu.Lock()
		silent, done := time.Since(p.heard), p.done
		r.mu.Unlock()
		switch {
		case done:
		case silent > patience && !r.Conn.IsConnected():
			r.lose(p, fmt.Sprintf("the NATS server could not be reached for %v", patience))
		case silent > patience && r.Conn.Stats().Reconnects > r.reconnects:
			r.lose(p, fmt.Sprintf("it sent no message for %v; meanwhile the NATS server could "+
				"not be reached",
				patience))
		case silent > patience:
			r.lose(p, fmt.Sprintf("it sent no message for %v", patience))
		default:
			n++
		}
	}
	return n
}

func (r *loading) progress() (sum attack.Progress) {
	r.mu.Lock()
	defer r.mu.Unlock()
	sum.Elapsed = max(time.Since(r.began), 0)
	for _, p := range r.order {
		sum.Settled += p.pulse.Settled
		sum.Failed += p.pulse.Failed
		sum.Counts = sum.Counts.Plus(p.pulse.Counts)
	}
	return sum
}

func (r *loading) merge(cut error) (*attack.Report, error) {
	var agents []attack.Agent
	for _, p := range r.order {
		agents = append(agents, p.agent)
	}
	return r.Attack.Merge(agents, r.AllowLost, cut)
}
