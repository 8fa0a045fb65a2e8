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

// With the defaults the throughput grows up to 10 calls at once and falls beyond, to half of that
// in the end.
var _ = register(Spec{
	Name: "brownout",
	Summary: "slows down as more calls are in service: beyond a knee, each one more makes all " +
		"take longer",
	Source: "Gunther, Guerrilla Capacity Planning, 2007: contention, and its law of scalability",
	Counts: counters(delayedCalls),
	Keys: []param.Key{
		{Name: "knee", Kind: param.Int, Default: "10",
			Doc: "calls in service at once that do not slow each other down, at least 0"},
		{Name: "slope", Kind: param.Float, Default: "0.2", Doc: "time added per call above the " +
			"knee, as a share of the work's time; above 1/knee, more at once means less done"},
	},
	New: func(_ uint64, v param.Values) (Target, error) {
		b := &brownout{knee: int64(v.Int("knee")), slope: v.Float("slope")}
		if b.knee < 0 {
			return nil, fmt.Errorf("knee: must be at least 0, got %d", b.knee)
		}
		if !(b.slope >= 0 && b.slope <= 1e6) {
			return nil, fmt.Errorf("slope: must be from 0 to 1000000, got %s",
				dist.FormatFloat(b.slope))
		}
		return b, nil
	},
})

// brownout makes a call take
//
//	S · (1 + slope · max(0, n − knee))
//
// where S is the time that its work took and n the number of calls in service when it began, itself
// included. It cannot change the work, so it adds the rest after it, as a wait of whole nanoseconds
// (rounded to the nearest); until that is over the call is in service and slows others down. Work
// that fails is followed by the wait as well. Work that ends early, because the client went away,
// is not: the wait ends with the client.
//
// With n calls always in service the throughput is n/(S·(1 + slope·(n−knee))) beyond the knee,
// which tends to 1/(slope·S). At the knee it is knee/S. So with slope·knee = 1 the knee is the
// capacity, whatever comes on top; with more, the throughput falls as calls are added (congestion
// collapse), and whoever limits them wins.
type brownout struct {
	delaying
	knee  int64
	slope float64
	taken atomic.Int64
}

func (b *brownout) Call(ctx context.Context, seq uint64, work Work) error {
	if err := b.gone(ctx.Err()); err != nil {
		return err
	}
	n := b.taken.Add(1)
	defer b.taken.Add(-1) // also when the work panics or ends its goroutine
	b.admitted.Add(1)
	if n <= b.knee {
		return work(ctx, seq)
	}
	b.delayed.Add(1)
	began := time.Now()
	err := work(ctx, seq)
	return cmp.Or(err, wait(ctx, b.rest(time.Since(began), n)))
}

// rest is the wait that follows work of that time. It stops at the longest Duration.
func (b *brownout) rest(took time.Duration, n int64) time.Duration {
	ns := math.Round(float64(took) * (b.slope * float64(n-b.knee)))
	if ns >= math.MaxInt64 {
		return math.MaxInt64
	}
	return time.Duration(ns)
}
