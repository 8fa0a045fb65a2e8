package observe

import (
	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/internal/metric"
)

// A LimitChange is a limit of an adaptive strategy, valid from At.
type LimitChange struct {
	At    int64 // nanoseconds since the run began
	Limit int
}

func (o *Run) addLimits(line []result.Bucket) {
	next := 0 // limit that is not yet in force
	for i := range line {
		end := int64(line[i].Start + line[i].Length)
		for next < len(o.Limits) && o.Limits[next].At < end {
			next++
		}
		if next > 0 {
			line[i].Limit = o.Limits[next-1].Limit
		}
	}
}

// The mean limit is weighted by time, from the end of the warm-up to the last end.
func (o *Run) ReportLimit(r *result.Result, m Totals) {
	if len(o.Limits) == 0 || m.lastEnd <= m.From {
		return
	}
	area := 0.0
	for i, c := range o.Limits {
		until := m.lastEnd
		if i+1 < len(o.Limits) {
			until = min(until, o.Limits[i+1].At)
		}
		if from := max(c.At, m.From); from < until {
			area += float64(c.Limit) * float64(until-from)
		}
	}
	r.Add(metric.MeanLimit, area/float64(m.lastEnd-m.From))
}
