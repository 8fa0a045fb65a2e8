package targets

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"sync/atomic"
	"time"

	"github.com/poolbench/poolbench/bench/dist"
	"github.com/poolbench/poolbench/bench/param"
)

var _ = register(Spec{
	Name: "brownout",
	Summary: "slows down under load: above a number of calls in service (the knee), each further " +
		"call makes all calls longer",
	Source: "Gunther, Guerrilla Capacity Planning, 2007: contention, and its law of scalability",
	Counts: counters(delayedCalls),
	Keys: []param.Key{
		{Name: "knee", Kind: param.Int, Default: "10",
			Doc: "number of calls in service that do not slow each other down, at least 0"},
		{Name: "slope", Kind: param.Float, Default: "0.2", Doc: "time added per call above the " +
			"knee, as a share of the work's time; above 1/knee, more concurrent calls lower the " +
			"throughput"},
		{Name: "later", Kind: param.Int, Default: "0", Doc: "knee after the time in the " +
			"parameter after, for example when replicas are lost or added; 0: unchanged"},
		{Name: "after", Kind: param.Duration, Default: "0s",
			Doc: "time from the first call until the knee changes to later"},
	},
	New: func(_ uint64, v param.Values) (Target, error) {
		b := &brownout{knee: int64(v.Int("knee")), slope: v.Float("slope"),
			later: int64(v.Int("later")), after: v.Duration("after")}
		if b.knee < 0 {
			return nil, fmt.Errorf("knee: must be at least 0, got %d", b.knee)
		}
		if !(b.slope >= 0 && b.slope <= 1e6) {
			return nil, fmt.Errorf("slope: must be from 0 to 1000000, got %s",
				dist.FormatFloat(b.slope))
		}
		if b.later < 0 {
			return nil, fmt.Errorf("later: must be at least 0, got %d", b.later)
		}
		if (b.later > 0) != (b.after > 0) {
			return nil, fmt.Errorf("later and after: want both above 0, or neither, got %d and %s",
				b.later, dist.FormatDuration(b.after))
		}
		return b, nil
	},
})

// brownout makes a call take
//
//	S · (1 + slope · max(0, n − knee))
//
// where S is the time of its work and n the number of calls in service when it began, including
// itself. The excess is a wait after the work, with the call still in service. If slope·knee > 1,
// the throughput falls as calls above the knee are added (congestion collapse).
type brownout struct {
	delaying
	knee, later int64
	after       time.Duration
	slope       float64
	taken       atomic.Int64
	clock       clock
}

func (b *brownout) Call(ctx context.Context, seq uint64, work Work) error {
	if err := b.gone(ctx.Err()); err != nil {
		return err
	}
	knee := b.currentKnee()
	n := b.taken.Add(1)
	defer b.taken.Add(-1) // deferred, because work may panic or end its goroutine
	b.admitted.Add(1)
	if n <= knee {
		return work(ctx, seq)
	}
	b.delayed.Add(1)
	began := time.Now()
	err := work(ctx, seq)
	return cmp.Or(err, wait(ctx, b.excess(time.Since(began), n-knee)))
}

func (b *brownout) currentKnee() int64 {
	if b.later > 0 && b.clock.now() >= b.after {
		return b.later
	}
	return b.knee
}

func (b *brownout) excess(took time.Duration, above int64) time.Duration {
	ns := math.Round(float64(took) * (b.slope * float64(above)))
	if ns >= math.MaxInt64 {
		return math.MaxInt64
	}
	return time.Duration(ns)
}
