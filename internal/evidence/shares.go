package evidence

import "github.com/poolbench/poolbench/bench"

// Lost is the share of the tasks that did not complete, whatever became of them.
func Lost(r Run) float64 {
	return r("shed/op") + r("throttled/op") + r("failed/op") + r("abandoned/op")
}

// LostShare is the mean of LostShares.
func (m *Measured) LostShare(sc bench.Scenario) Interval { return OfMean(m.LostShares(sc)) }

// LostShares are those of the tasks that were lost, one a repetition.
func (m *Measured) LostShares(sc bench.Scenario) []float64 { return m.Of(sc, Lost) }

// InTime is the share of the tasks that are done within the deadline.
func (m *Measured) InTime(sc bench.Scenario) Interval {
	return OfMean(m.Of(sc, func(r Run) float64 {
		return r("goodput-ops/s") / r("ops/s") * (1 - Lost(r))
	}))
}

// Recovery is the makespan less the last due, in each repetition.
func (m *Measured) Recovery(sc bench.Scenario) []float64 {
	return m.Of(sc, func(r Run) float64 {
		return r("makespan-sec") - float64(sc.Stop.Tasks-1)/r("offered-ops/s")
	})
}
