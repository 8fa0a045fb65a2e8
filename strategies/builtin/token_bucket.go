package builtin

import (
	"context"
	"errors"
	"time"

	"golang.org/x/time/rate"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/engine"
)

// tokenBucket lets a task start when there are a slot and a token for it: golang.org/x/time/rate
// before Limit workers. Tokens come at a rate, and up to a burst of them are kept.
//
// Use it where what the tasks call counts requests in a second and not at once: a limit bounds the
// rate only as long as the length of a task is known. A task waits for W − (burst−1)/rate or not at
// all, where W is the wait in a queue whose server takes exactly 1/rate: the burst is a head start,
// the rate decides what the load may be. It costs a look at the limiter per task (50 ns), and
// slots that are idle while there is no token.
//
// The limiter is asked for one token at a time, for the task at the head of the queue, when there
// is a slot for it. So tasks start in the order of acceptance, never more than a burst of them at
// once. Limiter.Wait in each Submit, the usual way, would block a goroutine for each task that
// waits, and let the tokens of those that wait for a slot pile up. Worse, it keeps the tokens of
// callers that give up (go.dev/issue/56924): when 400 callers at 50 tokens a second hang up after
// 300 ms, the next ones find the tokens of eight seconds taken, and nobody is served.
//
// Here a Submit that gives up while it is blocked takes no token with it. But a task in the queue
// is accepted, and takes its token when its turn comes, even if nobody waits for it any more. So a
// queue that is longer than callers wait costs tokens: with such callers have none (queue 0).
type tokenBucket struct {
	engine.Backlog
	engine.FIFO
	tokens
}

var tokenBucketSpec = strategies.RegisterBuiltin(engine.Queued(strategies.Spec{
	Name:    "token_bucket",
	Summary: "golang.org/x/time/rate before long-lived workers: a rate of starts, and a burst",
	UseIf:   "the service called limits requests per second, not requests at once",
	Source:  "golang.org/x/time/rate",
	OnPanic: "contained; the worker is replaced, and the token is spent",
	Keys: []param.Key{
		{Name: "rate", Kind: param.Float, Default: "1000", Word: ofTarget,
			Doc: "tokens in a second; target: as many as the target allows"},
		{Name: "burst", Kind: param.Int, Default: "100", Doc: "most tokens that are kept"},
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
	Summary: "a token bucket: a rate of tasks for the strategy inside, and a burst",
}, func(v param.Values) engine.Pacer { t := newTokens(v); return &t }))

// tokens gives the head of a queue its token.
type tokens struct {
	limiter *rate.Limiter
	next    time.Duration // when the head of the queue has its token
	asked   bool          // next is set
	half    float64       // what comes of a token in half a nanosecond
}

func newTokens(v param.Values) tokens {
	limit := 1e9 / float64(tickInterval(v))
	return tokens{limiter: rate.NewLimiter(rate.Limit(limit), v.Int("burst")), half: limit / 2e9}
}

// At asks for a token unless that was done, and returns when it comes.
func (b *tokens) At(now time.Duration, began time.Time) time.Duration {
	if !b.asked {
		at := began.Add(now)
		b.next, b.asked = now+b.limiter.ReserveN(at, 1).DelayFrom(at), true
		// the limiter cuts a delay of just below a whole nanosecond, and its token is not there yet
		if b.next > now && -b.limiter.TokensAt(began.Add(b.next)) > b.half {
			b.next++
		}
	}
	return b.next
}

// Spend takes the token that has come.
func (b *tokens) Spend(time.Duration) { b.asked = false }

// ofTarget in place of a rate is that of the target, which whoever makes the instance knows.
const ofTarget = "target"

// Pop takes the head of the queue if it has its token, and otherwise asks for one.
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
