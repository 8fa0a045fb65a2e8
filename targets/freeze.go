package targets

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/poolbench/poolbench/bench/dist"
	"github.com/poolbench/poolbench/bench/param"
)

// With the defaults and constant arrivals, a quarter of the calls waits, uniformly up to 500 ms.
var _ = register(Spec{
	Name: "freeze",
	Summary: "freezes for a part of every period, as in a long garbage collection or a failover: " +
		"calls wait until the freeze ends",
	Source: "Tene, How not to measure latency, 2013",
	Remedy: "shorter freezes of the target; no limit helps",
	Counts: counters(delayedCalls),
	Keys: []param.Key{
		{Name: "period", Kind: param.Duration, Default: "2s", Doc: "time from one freeze to the " +
			"next"},
		{Name: "stop", Kind: param.Duration, Default: "500ms",
			Doc: "duration of the freeze at the end of each period, less than the period"},
	},
	New: func(_ uint64, v param.Values) (Target, error) {
		f := &freeze{period: v.Duration("period"), stop: v.Duration("stop")}
		if err := checkPeriod("period", f.period); err != nil {
			return nil, err
		}
		if f.stop >= f.period {
			return nil, fmt.Errorf("stop: must be less than the period, %s, got %s",
				dist.FormatDuration(f.period), dist.FormatDuration(f.stop))
		}
		return f, nil
	},
})

// freeze is frozen from period − stop to period in every period, counted from the first call. A
// call that arrives during a freeze starts its work at its end. Work that ends during a freeze
// continues, but its response is delayed to the end of the freeze. With constant arrivals, short
// work and φ = stop/period, the quantiles of the response are
//
//	q(p) = work + max(0, (φ−(1−p))/φ)·stop
type freeze struct {
	delaying
	clock        clock
	period, stop time.Duration
}

func (f *freeze) Call(ctx context.Context, seq uint64, work Work) error {
	if err := f.gone(ctx.Err()); err != nil {
		return err
	}
	waited, err := f.thaw(ctx)
	if f.gone(err) != nil {
		return err
	}
	f.admitted.Add(1)
	err = work(ctx, seq)
	again, ended := f.thaw(ctx)
	if waited || again {
		f.delayed.Add(1)
	}
	return cmp.Or(err, ended)
}

func (f *freeze) thaw(ctx context.Context) (waited bool, err error) {
	left := f.period - f.clock.now()%f.period
	if left > f.stop {
		return false, nil
	}
	return true, wait(ctx, left)
}
