package bench

import (
	"github.com/poolbench/poolbench/bench/result"
)

// Package result declares these types because packages that bench imports compute them.
type (
	// A Result is the result of one run, as plain data that other processes receive as JSON.
	Result = result.Result
	// A Metric is one number of a run and its unit.
	Metric = result.Metric
	// Verdict judges whether the numbers of a run are reliable: Valid, Suspect or Invalid.
	Verdict = result.Verdict
)

// The verdicts of package result.
const (
	Valid   = result.Valid
	Suspect = result.Suspect
	Invalid = result.Invalid
)
