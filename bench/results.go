package bench

import (
	"github.com/poolbench/poolbench/bench/result"
)

// Package result declares the types of a result, since the packages that compute it are below this
// package.
type (
	// A Result is the result of one run: plain data that crosses processes as JSON.
	Result = result.Result
	// A Metric is one number of a run, with the unit that names it.
	Metric = result.Metric
	// Verdict is the judgement on the numbers of a run: Valid, Suspect or Invalid.
	Verdict = result.Verdict
)

// The verdicts of package result.
const (
	Valid   = result.Valid
	Suspect = result.Suspect
	Invalid = result.Invalid
)
