package gateway

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/poolbench/poolbench/internal/machine"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/targets"
)

// retryAfter is the shortest time that HTTP's Retry-After can express.
const retryAfter = time.Second

// A Gateway is a strategy as a target: each call is a task. A shed call fails with
// targets.Unavailable, which targets.Handler turns into 503.
type Gateway struct {
	strategy       strategies.Strategy
	labels         *machine.ProfileLabels
	idle           sync.Pool
	inFlight, peak atomic.Int64
}

// New panics on parameters that Spec.Validate refuses.
func New(ctx context.Context, s strategies.Variant, limit, queue int) *Gateway {
	return (&Gateway{}).start(ctx, s, limit, queue)
}

func (g *Gateway) start(ctx context.Context, s strategies.Variant, limit, queue int) *Gateway {
	g.labels.Strategy()
	defer g.labels.Harness()
	g.idle.New = func() any {
		c := &call{gateway: g, done: make(chan error, 1)}
		c.task.Run, c.task.Arg = attempt, c
		return c
	}
	g.strategy = s.Spec.New(ctx, strategies.Params{Limit: limit, Queue: queue, Values: s.Values},
		strategies.SinkFunc(done))
	return g
}

type call struct {
	task    strategies.Task
	gateway *Gateway
	ctx     context.Context // of the request
	seq     uint64
	work    func(ctx context.Context, seq uint64) error
	done    chan error
}

// Call returns when the work is done, or was not begun because the client has left.
func (g *Gateway) Call(
	ctx context.Context, seq uint64, work func(ctx context.Context, seq uint64) error,
) error {
	c := g.idle.Get().(*call)
	defer g.idle.Put(c)
	c.ctx, c.seq, c.work = ctx, seq, work
	g.labels.Strategy()
	err := g.strategy.Submit(ctx, &c.task)
	g.labels.Harness()
	if err == nil {
		err = <-c.done
	}
	c.ctx, c.work = nil, nil
	if errors.Is(err, strategies.ErrShed) || errors.Is(err, strategies.ErrClosed) {
		return &targets.Throttled{RetryAfter: retryAfter, Refusal: targets.Unavailable}
	}
	return err
}

func attempt(ctx context.Context, t *strategies.Task) strategies.Result {
	c := t.Arg.(*call)
	if err := c.ctx.Err(); err != nil {
		return strategies.Result{Err: err} // the client has left
	}
	g := c.gateway
	g.labels.Task(0)
	defer g.labels.Strategy()
	n := g.inFlight.Add(1)
	for peak := g.peak.Load(); n > peak && !g.peak.CompareAndSwap(peak, n); peak = g.peak.Load() {
	}
	defer g.inFlight.Add(-1)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(c.ctx, cancel)()
	return strategies.Result{Err: c.work(ctx, c.seq)}
}

// done never blocks: the channel has room for one.
func done(t *strategies.Task, r strategies.Result) { t.Arg.(*call).done <- r.Err }

func (g *Gateway) Drain(ctx context.Context) error { return g.strategy.Drain(ctx) }

func (g *Gateway) Peak() int { return int(g.peak.Load()) }
