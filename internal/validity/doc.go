// Package validity decides whether a run is VALID, SUSPECT or INVALID (Judge), computes 95 %
// intervals of its metrics by batch means (ReportIntervals), and predicts the accuracy of a run
// from its plan (Forecast).
//
// Consecutive waits are correlated, so an interval needs many times the relaxation time of the
// queue, which is counted in tasks (memory.go). Batches are called stretches of the run.
package validity
