package observe

import (
	"github.com/poolbench/poolbench/bench/record"
	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/statistics"
)

func (o *Run) ReportWeights(r *result.Result, first int) {
	law := o.Plan.Weights
	if law == nil || law.Min() == law.Max() || o.Splits() {
		return
	}
	var light, heavy []int64
	for i, rec := range o.Trace.From(first) {
		if rec.Outcome != record.Completed {
			continue
		}
		switch law.Weight(o.Trace.Seq(i)) {
		case law.Min():
			light = append(light, rec.Wait())
		case law.Max():
			heavy = append(heavy, rec.Wait())
		}
	}
	reportWaits(r, light, metric.LightMeanWait, metric.LightP99Wait)
	reportWaits(r, heavy, metric.HeavyMeanWait, metric.HeavyP99Wait)
}

func reportWaits(r *result.Result, waits []int64, mean, p99 string) {
	if len(waits) == 0 {
		return
	}
	sum := 0.0
	for _, ns := range waits {
		sum += float64(ns)
	}
	r.Add(mean, sum/float64(len(waits))/Second)
	if statistics.Resolvable(0.99, len(waits)) {
		r.Add(p99, float64(statistics.NearestRanks(nil, waits, 0.99)[0])/Second)
	}
}
