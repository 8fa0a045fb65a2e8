package bench

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/poolbench/poolbench/internal/observe"
	"github.com/poolbench/poolbench/strategies"
)

func TestFoundLongTasks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := drawRun(t)
		o.Plan.Params.Limit = int(o.Peak)
		for i := range o.Trace.Len() {
			o.Trace.At(i).Class = rapid.SampledFrom([]strategies.Class{strategies.Short,
				strategies.Long}).Draw(t, "class")
		}
		first := rapid.IntRange(0, o.Trace.Len()-1).Draw(t, "first")
		var found, wait [observe.MaxFound + 2]float64
		shorts, longs := 0.0, 0
		for i := range o.Trace.Len() {
			rec := o.Trace.At(i)
			if rec.Class == strategies.Long {
				longs++
			}
			if i < first || rec.Class != strategies.Short {
				continue
			}
			held := 0
			for k := range o.Trace.Len() {
				if other := o.Trace.At(k); other.Class == strategies.Long &&
					other.Start < rec.Due && other.End >= rec.Due {
					held++
				}
			}
			shorts++
			found[held]++
			wait[held] += float64(rec.Wait())
		}
		r := &Result{}
		o.ReportFound(r, first)
		if want := longs > 0 && shorts > 0 &&
			o.Plan.Params.Limit <= observe.MaxFound; want != (len(r.Metrics) > 0) {
			t.Fatalf("%v of %d long and %v short tasks, limit %d", r.Metrics, longs, shorts,
				o.Plan.Params.Limit)
		}
		if len(r.Metrics) == 0 {
			return
		}
		for j := range o.Plan.Params.Limit + 1 {
			share, _ := r.Metric(fmt.Sprintf("found-%d-long/op", j))
			mean, _ := r.Metric(fmt.Sprintf("found-%d-long-wait-sec", j))
			if math.Abs(share*shorts-found[j]) > 1e-9 ||
				math.Abs(mean*observe.Second*found[j]-wait[j]) > 1e-6*(1+wait[j]) {
				t.Fatalf("%d held: share %v and mean wait %v, want %v of %v and %v", j, share, mean,
					found[j], shorts, wait[j])
			}
		}
	})
}
