package peers

import (
	"context"
	"errors"
	"fmt"

	"github.com/platinummonkey/go-concurrency-limits/core"
	"github.com/platinummonkey/go-concurrency-limits/limit"
	"github.com/platinummonkey/go-concurrency-limits/limiter"
	"github.com/platinummonkey/go-concurrency-limits/strategy"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/engine"
)

// The peer concurrency_limits is a token of go-concurrency-limits, a port of Netflix
// concurrency-limits, for each task. The limit begins at its maximum, Limit, and follows the
// durations of the tasks: vegas estimates a queue from the shortest duration and a recent one,
// gradient2 compares a recent average with a long one.
//
// Submit sheds, as the library's own limiter does. The adapter uses neither the blocking limiters,
// which lose wake-ups, nor SimpleStrategy, which is not exact (see the known faults).
//
// The limiter ignores tasks shorter than 100 µs. A window has more than 100 tasks.
var _ = register(strategies.Spec{
	Name: "concurrency_limits",
	Summary: "go-concurrency-limits: a limit that follows the tasks' lengths, up to Limit, and " +
		"sheds",
	UseIf:   "the right limit is unknown or changes, and refusing is better than waiting",
	Source:  "github.com/platinummonkey/go-concurrency-limits",
	OnPanic: "contained by the adapter, because the library does not run tasks",
	Adds: []strategies.Addition{
		{What: "runs each task in a goroutine; a panic becomes the task's result",
			Bare: "does not run tasks"},
		{What: "the limit starts at Limit, which is also the maximum",
			Bare: "starts at 20, and the maximum is 1000"},
		{What: "reports each outcome: success, overload (refused or too late), or nothing",
			Bare: "the program calls OnSuccess, OnDropped or OnIgnore"},
		{What: "uses PreciseStrategy, whose limit is exact",
			Bare: "also offers SimpleStrategy, whose limit is not exact"},
	},
	Keys: []param.Key{
		{Name: "algorithm", Kind: param.Text, Default: "vegas",
			Doc: "how the limit is found: vegas, gradient2, or fixed"},
		{Name: "window", Kind: param.Duration, Default: "1s",
			Doc: "shortest time between two updates of the limit"},
	},

	Capacity: limitOf,
	Sheds:    true,

	Check: func(p strategies.Params) error {
		if _, err := algorithm(p); err != nil {
			return err
		}
		if p.Values.Duration("window") <= 0 {
			return errors.New("window must be above 0")
		}
		return nil
	},
	New: func(ctx context.Context, p strategies.Params, sink strategies.Sink) strategies.Strategy {
		const (
			shortest = 100_000 // ns; of a task that is a sample, as by the library's default
			fewest   = 100     // samples in a window, likewise
		)
		find, err := algorithm(p)
		if err != nil {
			panic(err)
		}
		window := p.Values.Duration("window").Nanoseconds()
		gate, err := limiter.NewDefaultLimiter(find, window, window, shortest, fewest,
			strategy.NewPreciseStrategy(p.Limit),
			limit.NoopLimitLogger{}, core.EmptyMetricRegistryInstance)
		if err != nil {
			panic(err)
		}
		return engine.Gate[core.Listener]{
			Try: func() (core.Listener, bool) { return gate.Acquire(context.Background()) },
			Release: func(token core.Listener, r strategies.Result) {
				switch outcomeOf(r) {
				case succeeded:
					token.OnSuccess()
				case dropped:
					token.OnDropped()
				case ignored:
					token.OnIgnore()
				}
			},
			Limit:   find.EstimatedLimit,
			OnLimit: func(f func(limit int)) { find.NotifyOnChange(f) },
		}.Start(ctx, sink)
	},
})

func algorithm(p strategies.Params) (core.Limit, error) {
	const name = "poolbench" // of metrics that go nowhere
	switch a := p.Values.Text("algorithm"); a {
	case "vegas":
		return limit.NewVegasLimitWithRegistry(name, p.Limit, nil, p.Limit, -1, nil, nil, nil, nil,
			nil, -1, nil, nil), nil
	case "gradient2":
		return limit.NewGradient2Limit(name, p.Limit, p.Limit, 1, nil, -1, -1, nil, nil)
	case "fixed":
		return limit.NewFixedLimit(name, p.Limit, nil), nil
	default:
		return nil, fmt.Errorf("algorithm %q is none of vegas, gradient2, fixed", a)
	}
}
