package builtin

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/time/rate"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/engine"
)

// tokenBucket starts a task when a slot and a token are available: golang.org/x/time/rate in front
// of Limit workers. A task waits for W − (burst−1)/rate, at least 0, where W is the wait in a queue
// with constant service time 1/rate. The limiter costs 50 ns per task.
//
// The strategy requests one token at a time, for the head of the queue when a slot is free.
// Limiter.Wait in each Submit would block a goroutine per waiting task, and would accumulate tokens
// of tasks that wait for a slot. It also keeps the tokens of callers that give up
// (go.dev/issue/56924): when 400 callers at 50 tokens per second give up after 300 ms, the tokens
// of the next eight seconds are lost.
//
// A queued task uses its token even if nobody waits for it any more. Use queue 0 for such callers.
type tokenBucket struct {
	engine.Backlog
	engine.FIFO
	tokens
}

var tokenBucketSpec = strategies.RegisterBuiltin(engine.Queued(strategies.Spec{
	Name:    "token_bucket",
	Summary: "golang.org/x/time/rate in front of long-lived workers: limits the rate of starts, with a burst",
	UseIf:   "the called service limits requests per second, not concurrent requests",
	Source:  "golang.org/x/time/rate",
	Go: func(p strategies.Params) string {
		return pacedGroup(p.Values.Float("rate"), p.Values.Int("burst"), p.Limit)
	},
	OnPanic: "contained; the worker is replaced, and the token is spent",
	Keys: []param.Key{
		{Name: "rate", Kind: param.Float, Default: "1000", Word: ofTarget,
			Doc: "tokens in a second; target: as many as the target allows"},
		{Name: "burst", Kind: param.Int, Default: "100", Doc: "largest number of tokens in the " +
			"bucket"},
	},

	FIFO: true,
	Starts: func(p strategies.Params) strategies.Starts {
		return strategies.Starts{PerSecond: p.Values.Float("rate"), Kept: p.Values.Int("burst")}
	},

	Check: func(p strategies.Params) error {
		if p.Values.Float("rate") <= 0 {
			return errors.New("rate must be above 0")
		}
		if p.Values.Int("burst") < 1 {
			return errors.New("burst must be at least 1")
		}
		return nil
	},

	New: func(ctx context.Context, p strategies.Params, sink strategies.Sink) strategies.Strategy {
		s := &tokenBucket{tokens: newTokens(p.Values)}
		s.Open(ctx, sink, s, p.Limit, p.Limit+p.Queue, false)
		return s
	},
}))

var _ = strategies.RegisterPart(engine.Paced(tokenBucketSpec, strategies.Part{
	Summary: "a token bucket: a rate limit with a burst for the inner strategy",
}, func(v param.Values) engine.Pacer { t := newTokens(v); return &t }))

// pacedGroup returns Go code that one goroutine executes for each task, so it needs no queue.
func pacedGroup(rate float64, burst, limit int) string {
	return fmt.Sprintf("limiter := rate.NewLimiter(%v, %d) // golang.org/x/time/rate\n"+
		"group.SetLimit(%d) // golang.org/x/sync/errgroup\n"+
		"if err := limiter.Wait(ctx); err == nil { group.Go(task) }", rate, burst, limit)
}

type tokens struct {
	limiter  *rate.Limiter
	next     time.Duration // time of the token for the head of the queue
	reserved bool          // next is set
	halfNano float64       // fraction of a token that arrives in half a nanosecond
}

func newTokens(v param.Values) tokens {
	limit := 1e9 / float64(tickInterval(v))
	return tokens{limiter: rate.NewLimiter(rate.Limit(limit), v.Int("burst")),
		halfNano: limit / 2e9}
}

// At requests a token once and returns its time.
func (b *tokens) At(now time.Duration, began time.Time) time.Duration {
	if !b.reserved {
		at := began.Add(now)
		b.next, b.reserved = now+b.limiter.ReserveN(at, 1).DelayFrom(at), true
		// The limiter truncates delays to whole nanoseconds, so the token may not be there yet.
		if b.next > now && -b.limiter.TokensAt(began.Add(b.next)) > b.halfNano {
			b.next++
		}
	}
	return b.next
}

func (b *tokens) Spend(time.Duration) { b.reserved = false }

// ofTarget selects the rate of the target, which the creator of the instance knows.
const ofTarget = "target"

func (s *tokenBucket) Pop(now time.Duration) (engine.Waiting, bool) {
	if s.Line.Len == 0 {
		return engine.Waiting{}, false
	}
	if next := s.At(now, s.Began); next > now {
		s.WakeAt(next, now)
		return engine.Waiting{}, false
	}
	s.Spend(now)
	return s.Line.PopFront(), true
}
