// Package validity decides whether a run is VALID, SUSPECT or INVALID, and computes the confidence
// intervals of its metrics.
//
// Judge (verdict.go) makes the verdict. Its checks: conservation laws (laws.go), exact values of
// queueing theory (theory.go, claims.go), a replay of the plan (pools.go, priorities.go), arrivals
// and lag (arrivals.go), drift (drift.go), standstills (standstill.go), the number of tasks
// (length.go) and other work on the machine (machine.go).
//
// ReportIntervals (interval.go) computes 95 % intervals. They allow for the correlation of
// neighbouring tasks (memory.go, scatter.go), which a Forecast predicts before the run
// (forecast.go). MarkUncertain marks metrics that need more tasks (uncertain.go).
package validity
