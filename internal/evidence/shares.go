package evidence

import "github.com/poolbench/poolbench/bench"

// LostShare is the mean of LostShares.
func (m *Measured) LostShare(sc bench.Scenario) Interval { return OfMean(m.LostShares(sc)) }

// LostShares are the shares of the tasks that did not complete, whatever became of them, one a
// repetition.
func (m *Measured) LostShares(sc bench.Scenario) []float64 {
	return m.Of(sc, func(value func(string) float64) float64 {
		return value("shed/op") + value("throttled/op") + value("failed/op") +
			value("abandoned/op")
	})
}

// InTime is the share of the tasks that are done within the deadline.
func (m *Measured) InTime(sc bench.Scenario) Interval {
	return OfMean(m.Of(sc, func(value func(string) float64) float64 {
		lost := value("shed/op") + value("throttled/op") + value("failed/op") +
			value("abandoned/op")
		return value("goodput-ops/s") / value("ops/s") * (1 - lost)
	}))
}

// Recovery is the makespan less the last due, in each repetition.
func (m *Measured) Recovery(sc bench.Scenario) []float64 {
	return m.Of(sc, func(value func(string) float64) float64 {
		return value("makespan-sec") - float64(sc.Stop.Tasks-1)/value("offered-ops/s")
	})
}
