// Package validity decides whether a run is VALID, SUSPECT or INVALID, and computes the confidence
// intervals of its metrics.
//
// Judge (verdict.go) combines these checks: conservation laws (laws.go), exact values of queueing
// theory (theory.go, claims.go), replays of the plan (pools.go, priorities.go), arrivals and lag
// (arrivals.go), drift (drift.go), standstills (standstill.go), the number of tasks (length.go) and
// other work on the machine (machine.go).
//
// ReportIntervals (interval.go) computes 95 % intervals by batch means; a batch is called a stretch
// of the run. Consecutive waits are correlated, so an interval needs many times the relaxation time
// of the queue, which is counted in tasks (memory.go, scatter.go). A Forecast predicts the accuracy
// of a run from its plan (forecast.go). MarkUncertain marks metrics that need more tasks
// (uncertain.go).
package validity
