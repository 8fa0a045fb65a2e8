package bench

import (
	"slices"

	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/workloads"
)

// reportTimes adds mean, quantiles, maximum and distribution of response, wait and service over the
// measured tasks that completed. One scratch slice serves all three: 8 bytes a task.
func (o *observation) reportTimes(r *Result, first int, m measured) error {
	scratch := make([]int64, 0, m.n)
	var shares []float64
	for _, q := range quantiles {
		shares = append(shares, q.p)
	}
	for _, reading := range []struct {
		of   string
		time func(*record) int64
	}{{"response", (*record).response}, {"wait", (*record).wait},
		{"service", func(r *record) int64 { return r.busy }}} {
		if reading.of == "wait" && o.splits() {
			continue
		}
		values, sum := scratch[:0], 0.0
		for i := first; i < o.trace.n; i++ {
			if rec := o.trace.at(i); rec.outcome == completed {
				t := reading.time(rec)
				values = append(values, t)
				sum += float64(t)
			}
		}
		if len(values) == 0 {
			continue
		}
		r.add("mean-"+reading.of+"-sec", sum/float64(len(values))/second)
		for i, v := range nearestRanks(values, shares...) {
			if resolvable(quantiles[i].p, len(values)) {
				r.add(quantiles[i].name+"-"+reading.of+"-sec", float64(v)/second)
			}
		}
		r.add("max-"+reading.of+"-sec", float64(slices.Max(values))/second)
		distribution, err := newReading(reading.of, values)
		if err != nil {
			return err
		}
		r.Readings = append(r.Readings, distribution)
	}
	o.reportClasses(r, first, scratch)
	o.reportFound(r, first)
	lags := scratch[:0]
	for i, lag := range o.trace.lags() {
		if i >= first {
			lags = append(lags, lag)
		}
	}
	if resolvable(0.99, len(lags)) {
		r.add("p99-lag-sec", float64(nearestRanks(lags, 0.99)[0])/second)
	}
	return nil
}

// A namedClass is a class of tasks, as the names of metrics have it.
type namedClass struct {
	name  string
	class strategies.Class
}

// toldApart are the two classes of the workload's tasks; where it has none, no task is short or
// long.
func (o *observation) toldApart() []namedClass {
	if _, either := o.workload.(workloads.Computing); either {
		return []namedClass{{"cpu", strategies.CPU}, {"io", strategies.IO}}
	}
	return []namedClass{{"short", strategies.Short}, {"long", strategies.Long}}
}

// reportClasses adds the response of each class where the workload tells two apart, and the mean
// slowdown: over all tasks alone, a strategy that lets the long ones wait for the short ones looks
// bad for it.
func (o *observation) reportClasses(r *Result, first int, scratch []int64) {
	slowdown, n := 0.0, 0
	for _, class := range o.toldApart() {
		values, sum := scratch[:0], 0.0
		for i := first; i < o.trace.n; i++ {
			rec := o.trace.at(i)
			if rec.outcome != completed || rec.class != class.class {
				continue
			}
			values = append(values, rec.response())
			sum += float64(rec.response())
			if rec.busy > 0 {
				slowdown += float64(rec.response()) / float64(rec.busy)
				n++
			}
		}
		if len(values) == 0 {
			continue
		}
		r.add(class.name+"-mean-response-sec", sum/float64(len(values))/second)
		if resolvable(0.99, len(values)) {
			r.add(class.name+"-p99-response-sec", float64(nearestRanks(values, 0.99)[0])/second)
		}
	}
	if n > 0 {
		r.add("mean-slowdown", slowdown/float64(n))
	}
}
