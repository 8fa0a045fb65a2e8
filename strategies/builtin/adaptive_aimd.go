package builtin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/engine"
)

// aimd learns the limit as TCP learns its window: one more slot per round of good tasks, and a cut
// by a ratio when a task fails or takes longer than the target. The target must be well above the
// natural variation of task lengths.
//
// A round is as many good tasks as there are slots, counted only while all slots are taken, because
// an idle instance proves nothing. Tasks that started before the last cut are ignored.
type aimd struct {
	min, max float64
	backoff  float64
	target   time.Duration

	limit float64
	good  int           // tasks of this round
	cut   time.Duration // when the last cut was
}

var _ = strategies.RegisterBuiltin(engine.Queued(strategies.Spec{
	Name: "adaptive_aimd",
	Summary: "an adaptive limit: one slot more for each good round, and a cut for failures and " +
		"slow responses",
	UseIf:   "the called service fails or slows down at an unknown load",
	Source:  "TCP's congestion avoidance (Jacobson 1988); AIMDLimit of Netflix concurrency-limits",
	OnPanic: "contained; the worker is replaced, and the limit stays",
	Keys: []param.Key{
		{Name: "min", Kind: param.Int, Default: "1", Doc: "least limit"},
		{Name: "initial", Kind: param.Int, Default: "0", Doc: "limit at the start; 0: the maximum"},
		{Name: "backoff", Kind: param.Float, Default: "0.9", Doc: "share of the limit that " +
			"remains after a cut"},
		{Name: "target", Kind: param.Duration, Default: "100ms",
			Doc: "response time above which a task counts as a failure"},
	},

	FIFO: true,

	Check: func(p strategies.Params) error {
		if b := p.Values.Float("backoff"); b <= 0 || b >= 1 {
			return errors.New("backoff must be above 0 and below 1")
		}
		if p.Values.Duration("target") <= 0 {
			return errors.New("target must be above 0")
		}
		return checkLearning(p)
	},
	New: func(ctx context.Context, p strategies.Params, sink strategies.Sink) strategies.Strategy {
		initial := initialLimit(p)
		return new(engine.Adaptive).Launch(ctx, p, sink, &aimd{
			min:     float64(p.Values.Int("min")),
			max:     float64(p.Limit),
			backoff: p.Values.Float("backoff"),
			target:  p.Values.Duration("target"),
			limit:   float64(initial),
		}, initial)
	},
}))

func (l *aimd) Learn(e engine.TaskEnd) int {
	switch {
	case e.Began < l.cut:
	case e.Err != nil || e.Took() > l.target:
		l.limit = max(l.min, l.limit*l.backoff)
		l.cut, l.good = e.Ended, 0
	case e.Workers >= int(l.limit):
		if l.good++; l.good >= int(l.limit) {
			l.limit, l.good = min(l.max, l.limit+1), 0
		}
	}
	return int(l.limit)
}

func checkLearning(p strategies.Params) error {
	least, initial := p.Values.Int("min"), p.Values.Int("initial")
	switch {
	case least < 1 || least > p.Limit:
		return fmt.Errorf("min must be at least 1 and at most the limit %d", p.Limit)
	case initial != 0 && (initial < least || initial > p.Limit):
		return fmt.Errorf("initial must be 0, or at least min and at most the limit %d", p.Limit)
	}
	return nil
}

func initialLimit(p strategies.Params) int { return cmp.Or(p.Values.Int("initial"), p.Limit) }
