package bench

import (
	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/internal/observe"
)

// The types of a result are declared in package result, since the packages that compute it are
// below this one.
type (
	// A Result is the result of one run: plain data that crosses processes as JSON.
	Result = result.Result
	// A Metric is one number of a run, with the unit that names it.
	Metric = result.Metric
	// A Reading is the distribution of one time over the measured tasks that completed.
	Reading = result.Reading
	// A Bucket counts the tasks in one stretch of a run's timeline.
	Bucket = result.Bucket
	// A Window is the distribution of the response in one stretch of a run.
	Window = result.Window
	// A Profile is a profile of Go's runtime over a run.
	Profile = result.Profile
	// A SlowTask is one of the slowest tasks of a run.
	SlowTask = result.SlowTask
	// Verdict is the judgement on the numbers of a run: Valid, Suspect or Invalid.
	Verdict = result.Verdict
	// A Reason is one reason why a run is SUSPECT or INVALID.
	Reason = result.Reason
)

// The verdicts, as package result has them.
const (
	Valid   = result.Valid
	Suspect = result.Suspect
	Invalid = result.Invalid
)

// Merge makes one result of the results of several generators that sent parts of one load at the
// same time: parts of the same name and length. It adds histograms, with three digits, and takes
// quantiles of the sum; counts and rates add up. leftOut names the metrics that cannot be merged.
// The verdict is the worst, with all reasons.
func Merge(parts []*Result) (merged *Result, leftOut []string, err error) {
	return observe.MergeResults(parts, false)
}

// MergeFollowing is Merge for parts whose tasks are due when others have ended. Their lengths may
// differ; rates are over the longest.
func MergeFollowing(parts []*Result) (merged *Result, err error) {
	merged, _, err = observe.MergeResults(parts, true)
	return merged, err
}
