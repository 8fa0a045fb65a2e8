package workloads

import (
	"context"
	"errors"
	"time"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/internal/registry"
)

// Endless is implemented by workloads whose tasks may end only with their context, so runs need a
// timeout.
type Endless interface {
	// Endless reports whether the workload has such tasks with its parameters.
	Endless() bool
}

var _ = register(Spec{
	Name: "evil",
	Summary: "waits, but a share of the tasks does not end until cancelled, as reads of " +
		"/dev/random once did; needs --timeout",
	Source: "Node.js, Don't block the event loop (or the worker pool): long-running file system " +
		"reads",
	Kind: Wait,
	Keys: []param.Key{
		{Name: "p", Kind: param.Float, Default: "0.01",
			Doc: "share of tasks that never end, from 0 to 1"},
		{Name: "wait", Kind: param.Distribution, Default: "exp(10ms)",
			Doc: "time of the other tasks; mean and C² apply only to these"},
		{Name: "late", Kind: param.Duration, Default: "0s", Doc: "time for which endless tasks " +
			"continue after they were cancelled, like code that ignores its context; then they " +
			"succeed"},
	},
	New: func(seed uint64, v param.Values) (Workload, error) {
		c, err := registry.NewCoin(seed, v, "p")
		if err != nil {
			return nil, err
		}
		if v.Dist("wait").Mean() <= 0 {
			return nil, errors.New("wait: the mean must be positive")
		}
		others := newWaits(seed, v.Dist("wait"))
		return &evil{timeMoments{others.Mean(), others.C2()}, others, c,
			v.Duration("late")}, nil
	},
})

// evil is not Timed, Distributed or Partitioned, because endless tasks must not be known in
// advance.
type evil struct {
	timeMoments // of the tasks that end; the run's timeout determines the time of the others
	others      *waits
	coin        registry.Coin // rare tasks are endless
	late        time.Duration
}

func (e *evil) Do(ctx context.Context, seq uint64) error {
	if e.coin.Rare(seq) {
		<-ctx.Done()
		if e.late > 0 {
			time.Sleep(e.late)
			return nil
		}
		return ctx.Err()
	}
	return e.others.Do(ctx, seq)
}

func (e *evil) Endless() bool { return e.coin.P > 0 }
