package builtin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/engine"
)

// hedged starts a second attempt when the first takes longer than a fixed time or a quantile of the
// last 200 calls. The first success counts, and the context of the other attempt is cancelled.
//
// If S(t) is the share of calls longer than t, a second attempt after d reduces this share to
// S(t)·S(t−d) for t ≥ d, and adds S(d) calls per call. A budget limits second attempts to a share
// of the calls. Up to ten unused attempts are saved.
//
// The second attempt runs a copy of the task in its own goroutine without a slot or token, so the
// bound is twice that of the inner strategy. If one attempt fails, the other decides. A failure
// before the second attempt starts is final. A task costs six allocations.
type hedged struct {
	engine.Layer[struct{}]
	after    time.Duration // 0: after the quantile
	quantile float64
	budget   *engine.Budget

	mu     sync.Mutex
	recent []time.Duration // ring of the durations of the last calls
	calls  int             // number of all calls
	sorted []time.Duration
	due    atomic.Int64 // current quantile; 0: unknown

	made, won atomic.Int64
}

var hedgedPart = strategies.RegisterPart(strategies.Part{
	Name: "hedged",
	Summary: "makes a second attempt in parallel if the first attempt is slower than most; the " +
		"first success counts",
	Changes: strategies.Hedging,
	Keys: []param.Key{
		{Name: "quantile", Kind: param.Float, Default: "0.95",
			Doc: "quantile of the last 200 call times after which the second attempt starts"},
		{Name: "after", Kind: param.Duration, Default: "0s",
			Doc: "start the second attempt after this time instead; 0s: after the quantile"},
		{Name: "budget", Kind: param.Float, Default: "0.05",
			Doc: "second attempts per call: 0.05 allows one for every twenty"},
	},
	Check: func(p strategies.Params) error {
		if q := p.Values.Float("quantile"); !(q > 0 && q < 1) {
			return fmt.Errorf("quantile %v: want one above 0 and below 1", q)
		}
		if b := p.Values.Float("budget"); !(b >= 1e-6 && b <= 1) {
			return fmt.Errorf("budget %v: want 0.000001 to 1", b)
		}
		return nil
	},
	Refuses: func(_ param.Values, inner strategies.Spec) error {
		if inner.Hedges {
			return fmt.Errorf("%s makes second attempts already", inner.Base)
		}
		if inner.Quantum != nil || inner.Splits {
			return fmt.Errorf("it repeats a task from its beginning, and %s runs steps", inner.Name)
		}
		return nil
	},
	Alter: func(s *strategies.Spec, inner strategies.Spec, l strategies.Layer) {
		s.Hedges, s.WorkConserving = true, false
		s.Counts = append(s.Counts[:len(s.Counts):len(s.Counts)], hedgesMade, hedgesWon)
		if inner.Bound == nil {
			return
		}
		s.Bound = func(p strategies.Params) int {
			_, in := l.Split(p)
			return 2 * inner.Bound(in)
		}
	},
	Start: func(
		ctx context.Context, own param.Values, inner strategies.Spec, in strategies.Params,
		sink strategies.Sink,
	) strategies.Strategy {
		s := &hedged{after: own.Duration("after"), quantile: own.Float("quantile"),
			budget: engine.NewBudget(own.Float("budget"), false)}
		if s.after == 0 {
			s.recent = make([]time.Duration, 0, recentCalls)
			s.sorted = make([]time.Duration, recentCalls)
		}
		s.Layer.Start(ctx, inner, in, sink, s.run,
			func(_ *engine.Call[struct{}], r strategies.Result) strategies.Result { return r })
		return s
	},
})

var _ = strategies.RegisterBuiltin(strategies.PartStrategy(hedgedPart, workerPoolSpec,
	strategies.Spec{
		Summary: "a worker pool that makes a second attempt at a task in parallel if the first " +
			"attempt is slower than most",
		UseIf:   "calls are sometimes slow by chance, and may be made twice",
		Source:  "Dean and Barroso, The Tail at Scale (2013); gRPC's hedging policy",
		Twin:    strategies.Twin{Of: workerPoolSpec.Name, Unless: strategies.Calls},
		OnPanic: "contained, and the other attempt is cancelled; the worker is replaced",
	}))

var (
	hedgesMade = strategies.Counter{Name: metric.Hedges, Better: "",
		Doc: "second attempts made in parallel with the first"}
	hedgesWon = strategies.Counter{Name: metric.HedgeWins, Better: "",
		Doc: "second attempts that succeeded before the first"}
)

const (
	recentCalls = 200
	updateEvery = 20 // calls between two updates of the quantile
)

var errLost = errors.New("another attempt at the task has succeeded, or panicked")

type race struct {
	owner       *hedged
	parent      context.Context // context of both attempts
	timer       *time.Timer
	second      strategies.Task
	cancelFirst context.CancelCauseFunc // cancels the first attempt
	secondEnded chan struct{}           // closed when the second attempt has ended or was prevented
	awaited     bool                    // outcome has awaited the second attempt

	mu           sync.Mutex
	decided      bool // an attempt succeeded or panicked, or the first ended
	won          bool // the second attempt decided
	result       strategies.Result
	cancelSecond context.CancelCauseFunc // nil until the second attempt begins
}

func (s *hedged) run(
	ctx context.Context, c *engine.Call[struct{}],
) strategies.Result {
	s.budget.Deposit()
	due := time.Duration(cmp.Or(int64(s.after), s.due.Load()))
	began := time.Now()
	if due == 0 {
		r := c.For.Run(ctx, c.For)
		s.learn(r, time.Since(began))
		return r
	}
	h := &race{owner: s, parent: ctx, secondEnded: make(chan struct{})}
	engine.Copy(&h.second, c.For)
	var first context.Context
	first, h.cancelFirst = context.WithCancelCause(ctx)
	defer h.cancelFirst(nil)
	// 1 ns above the quantile, so tasks of equal length are never late
	h.timer = time.AfterFunc(due+1, h.secondAttempt)
	defer h.stopSecond() // also when the first attempt panics
	r := c.For.Run(first, c.For)
	s.learn(r, time.Since(began))
	return h.outcome(r)
}

func (h *race) outcome(r strategies.Result) strategies.Result {
	h.mu.Lock()
	waits := h.won || hasFailed(r) && h.cancelSecond != nil
	h.decided = h.decided || !waits
	h.mu.Unlock()
	if !waits {
		return r
	}
	h.awaited = true
	if <-h.secondEnded; h.won {
		return h.result
	}
	return r
}

func hasFailed(r strategies.Result) bool { return r.Err != nil || r.Retry }

func (h *race) stopSecond() {
	if h.awaited || h.timer.Stop() {
		return
	}
	h.mu.Lock()
	h.decided = true
	end := h.cancelSecond
	h.mu.Unlock()
	if end != nil {
		end(errLost)
	}
	<-h.secondEnded
}

func (h *race) secondAttempt() {
	defer close(h.secondEnded)
	h.mu.Lock()
	if h.decided || h.parent.Err() != nil || !h.owner.budget.Withdraw() {
		h.mu.Unlock()
		return
	}
	ctx, end := context.WithCancelCause(h.parent)
	defer end(nil)
	h.cancelSecond = end
	h.mu.Unlock()
	h.owner.made.Add(1)
	engine.Conclude(func() strategies.Result {
		return h.second.Run(ctx, &h.second)
	}, func(r strategies.Result, returned bool) {
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.decided || hasFailed(r) && returned {
			return
		}
		h.decided, h.won, h.result = true, true, r
		if returned {
			h.owner.won.Add(1)
		}
		h.cancelFirst(errLost)
	})
}

// A cancelled call counts until its cancellation.
func (s *hedged) learn(r strategies.Result, took time.Duration) {
	lost := errors.Is(r.Err, context.Canceled)
	if s.after > 0 || hasFailed(r) && !lost {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.recent) < recentCalls {
		s.recent = append(s.recent, took)
	} else {
		s.recent[s.calls%recentCalls] = took
	}
	if s.calls++; len(s.recent) < recentCalls || s.calls%updateEvery != 0 {
		return
	}
	copy(s.sorted, s.recent)
	slices.Sort(s.sorted)
	s.due.Store(int64(s.sorted[int(s.quantile*recentCalls)]))
}

func (s *hedged) Counts() []strategies.Count {
	return append(strategies.CountsOf(s.Inside), strategies.Count{Name: hedgesMade.Name,
		Value: s.made.Load()}, strategies.Count{Name: hedgesWon.Name, Value: s.won.Load()})
}
