package fleet

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/poolbench/poolbench/bench/attack"
	"github.com/poolbench/poolbench/internal/text"
)

func (r *loading) recordPulse(m *nats.Msg) {
	var now pulse
	if json.Unmarshal(m.Data, &now) != nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if p := r.parties[now.ID]; p != nil {
		p.heard, p.pulse = time.Now(), now
		if now.Elapsed > 0 {
			p.maxLead = max(p.maxLead, now.Elapsed-time.Since(r.began))
		}
	}
}

func (r *loading) receive(m *nats.Msg) {
	of, whole, done, err := r.parts.add(m)
	confirm(m, err)
	r.mu.Lock()
	p := r.parties[of]
	if p != nil {
		p.heard = time.Now()
	}
	r.mu.Unlock()
	if p == nil || errors.Is(err, errOrder) || err == nil && !done {
		return
	}
	var share attack.Share
	switch {
	case err != nil:
	case len(whole) > 0 && whole[0] == failure:
		err = errors.New(text.OneLine(string(whole[1:])))
	default:
		if err = share.UnmarshalBinary(whole); err != nil {
			err = fmt.Errorf("its message cannot be read: %w", err)
		}
	}
	if err != nil {
		r.lose(p, err.Error())
		r.signalChange()
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if !p.done {
		p.done, p.agent.Share = true, &share
		if share.Requests > 0 { // a share without requests ends before the plan starts
			p.maxLead = max(p.maxLead, lastEnd(&share)-time.Since(r.began))
		}
		p.pulse.Settled = share.Requests
	}
	r.signalChange()
}

// lastEnd is relative to the start of the plan.
func lastEnd(s *attack.Share) (last time.Duration) {
	for _, l := range s.Records {
		for i := range uint64(l.Len()) {
			last = max(last, time.Duration(l.At(i).End))
		}
	}
	return last
}
