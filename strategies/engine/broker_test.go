package engine_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/engine"
	"github.com/poolbench/poolbench/strategies/strategytest"
)

// heapBroker is an in-memory broker. It delivers in order, at once or after the delay of a Reply.
type heapBroker struct {
	mu      sync.Mutex
	arrived *sync.Cond
	ready   []*delivery
	dead    int
	twice   bool // whether each message is delivered twice at the same time
}

type delivery struct {
	of      *heapBroker
	body    []byte
	attempt int
}

func (d *delivery) Body() []byte { return d.body }
func (d *delivery) Attempt() int { return d.attempt }

func (d *delivery) Reply(r engine.Reply) error {
	switch {
	case r.Dead != nil:
		d.of.mu.Lock()
		d.of.dead++
		d.of.mu.Unlock()
	case r.Again && r.After > 0:
		time.AfterFunc(r.After, func() { d.of.add(&delivery{d.of, d.body, d.attempt + 1}) })
	case r.Again:
		d.of.add(&delivery{d.of, d.body, d.attempt + 1})
	}
	return nil
}

func (b *heapBroker) add(d *delivery) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ready = append(b.ready, d)
	b.arrived.Signal()
}

func (b *heapBroker) put(_ context.Context, body []byte) error {
	b.add(&delivery{b, body, 1})
	if b.twice {
		b.add(&delivery{b, body, 1})
	}
	return nil
}

func (b *heapBroker) work(ctx context.Context, limit int, do func(engine.Message)) {
	defer context.AfterFunc(ctx, func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.arrived.Broadcast()
	})()
	next := func(ctx context.Context) (engine.Message, error) {
		b.mu.Lock()
		defer b.mu.Unlock()
		for len(b.ready) == 0 && ctx.Err() == nil {
			b.arrived.Wait()
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		d := b.ready[0]
		b.ready = b.ready[1:]
		return d, nil
	}
	engine.Consume(ctx, limit, next, do)
}

func heapSpec(twice bool) strategies.Spec {
	return strategies.Spec{
		Name: "heap_broker", Retries: true, FIFO: true, WorkConserving: !twice,
		Keys:  engine.BrokerKeys(),
		Check: engine.CheckBroker,
		Bound: func(p strategies.Params) int { return p.Limit },
		New: func(ctx context.Context, p strategies.Params,
			sink strategies.Sink) strategies.Strategy {
			b := &heapBroker{twice: twice}
			b.arrived = sync.NewCond(&b.mu)
			return engine.Broker{Put: b.put, Work: b.work,
				Dead: func(context.Context) (int, error) {
					b.mu.Lock()
					defer b.mu.Unlock()
					return b.dead, nil
				}}.Start(ctx, p, sink)
		},
	}
}

// The contract must hold even if each message is delivered twice.
func TestBroker(t *testing.T) {
	t.Run("once", func(t *testing.T) { strategytest.Run(t, heapSpec(false)) })
	t.Run("twice", func(t *testing.T) { strategytest.Run(t, heapSpec(true)) })
}
