package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/poolbench/poolbench/bench/attack"
	"github.com/poolbench/poolbench/internal/machine/pace"
)

func (r *loading) receiveGreeting(m *nats.Msg) {
	var g greeting
	if json.Unmarshal(m.Data, &g) != nil || g.Busy {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if why := g.Member.Program.Differs(r.Self.Program); why != "" {
		r.refuse(g.Member, why)
	} else if !slices.ContainsFunc(r.greeted, func(o Member) bool { return o.ID == g.Member.ID }) {
		r.greeted = append(r.greeted, g.Member)
		r.signalChange()
	}
}

// refuse reports the reason once per agent.
func (r *loading) refuse(m Member, why string) {
	if !r.refused[m.ID] {
		r.refused[m.ID] = true
		r.Say(fmt.Sprintf("the agent on %s is refused: %s", m, why))
	}
}

func (r *loading) signalChange() {
	select {
	case r.changed <- struct{}{}:
	default:
	}
}

func (r *loading) muster(ctx context.Context, answers string) error {
	over := time.NewTimer(r.Timing.Wait)
	defer over.Stop()
	again := time.NewTicker(r.Timing.Call)
	defer again.Stop()
	for {
		if err := publish(r.Conn, agentsSubject, answers, call{r.Self, r.id}); err != nil {
			return err
		}
		for waiting := true; waiting; {
			if r.offerAll(ctx); len(r.order) == r.Attack.Agents {
				return nil
			}
			select {
			case <-r.changed:
			case <-again.C:
				waiting = false
			case <-over.C:
				return fmt.Errorf("%d of %d agents connected within %v: start more with poolbench worker "+
					"--nats ADDRESS", len(r.order), r.Attack.Agents, r.Timing.Wait)
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
	}
}

func (r *loading) offerAll(ctx context.Context) {
	for len(r.order) < r.Attack.Agents {
		r.mu.Lock()
		if len(r.greeted) == 0 {
			r.mu.Unlock()
			return
		}
		m := r.greeted[0]
		r.greeted = r.greeted[1:]
		taken := r.parties[m.ID] != nil
		p := &agentState{member: m, heard: time.Now(), agent: attack.Agent{Name: m.String()}}
		if !taken {
			r.parties[m.ID] = p // its pulse may arrive at once
		}
		r.mu.Unlock()
		if taken {
			continue
		}
		why := ""
		var err error
		if p.offset, err = r.measure(ctx, m); err == nil {
			mine := r.Attack
			mine.Agent = len(r.order)
			why, err = r.ask(ctx, m, "offer", offer{r.id, r.Self, mine.Encode()})
		}
		if err != nil {
			why = err.Error()
		}
		if why == "" {
			r.order = append(r.order, p)
			continue
		}
		r.mu.Lock()
		delete(r.parties, m.ID)
		r.refuse(m, why)
		r.mu.Unlock()
	}
}

// ask returns the reason of a refusal, or "".
func (r *loading) ask(ctx context.Context, m Member, what string, v any) (no string, err error) {
	text, err := json.Marshal(v)
	if err != nil {
		return "", err
	}
	if int64(len(text)) > r.Conn.MaxPayload()-headRoom {
		return "", fmt.Errorf("the requests, with their data, are larger than the %d bytes that a "+
			"message of this NATS server holds", r.Conn.MaxPayload())
	}
	asking, cancel := context.WithTimeout(ctx, r.Timing.Lost)
	defer cancel()
	reply, _, _, err := r.request(asking, m, what, text)
	if err != nil {
		return "", err
	}
	var w offerReply
	err = json.Unmarshal(reply, &w)
	return w.No, err
}

// request repeats a message until the agent answers, because messages may be lost. It returns when
// the answered message was sent, by the load's clock, and the round-trip time.
func (r *loading) request(
	ctx context.Context, m Member, what string, text []byte,
) (reply []byte, sent time.Time, trip time.Duration, err error) {
	for {
		asked := time.Now()
		sent = r.clock.now()
		answering, cancel := context.WithTimeout(ctx, r.Timing.Lost/5)
		answer, err := r.Conn.RequestWithContext(answering, agentSubject+"."+m.ID+"."+what, text)
		cancel()
		trip = time.Since(asked)
		if err == nil {
			return answer.Data, sent, trip, nil
		}
		if errors.Is(err, nats.ErrNoResponders) && r.Conn.Stats().Reconnects > 0 {
			_ = pace.Sleep(ctx, r.Timing.Call) // it may be reconnecting
		} else if !errors.Is(err, context.DeadlineExceeded) {
			return nil, sent, trip, err
		}
		if ctx.Err() != nil {
			return nil, sent, trip, err
		}
	}
}
