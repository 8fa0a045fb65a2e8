package results

import (
	"slices"

	"github.com/poolbench/poolbench/internal/metric"
)

var behaviour = []string{metric.P50Response, metric.P99Response, metric.P999Response,
	metric.MeanResponse, metric.Throughput, metric.Goodput, metric.Shed, metric.Failed,
	metric.Throttled, metric.Abandoned, metric.GaveUp, metric.Makespan, "sec/op"}

// Alike reports whether the runs of two strategies behaved alike.
func (c Cell) Alike(other Cell) bool { return slices.EqualFunc(c, other, sameBehaviour) }

func sameBehaviour(a, b *Run) bool {
	known := false
	for _, unit := range behaviour {
		v, ok := a.Value(unit)
		w, also := b.Value(unit)
		if ok != also || v != w {
			return false
		}
		known = known || ok
	}
	return known
}
