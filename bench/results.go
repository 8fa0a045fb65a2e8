package bench

import (
	"github.com/poolbench/poolbench/bench/internal/merge"
	"github.com/poolbench/poolbench/bench/result"
)

// What a run says is declared in package result, since what computes it is below this package.
type (
	// A Result is what one run says. It is plain data: it crosses processes as JSON.
	Result = result.Result
	// A Metric is one judged number of a run, in the unit that names it.
	Metric = result.Metric
	// A Reading is the distribution of one time over the measured tasks that completed.
	Reading = result.Reading
	// An Interval counts what happened in one stretch of a run.
	Interval = result.Interval
	// A Window is the distribution of the response in one stretch of a run.
	Window = result.Window
	// A Profile is what Go's runtime knows of where a run spent its time.
	Profile = result.Profile
	// A SlowTask is one of the slowest tasks of a run.
	SlowTask = result.SlowTask
	// Verdict says whether the numbers of a run may be believed.
	Verdict = result.Verdict
	// A Reason is one that a run is not valid for.
	Reason = result.Reason
)

// The verdicts, as package result has them.
const (
	Valid   = result.Valid
	Suspect = result.Suspect
	Invalid = result.Invalid
)

// Merge makes one result of those of several generators that sent parts of one load at the same
// time: of one name each, and as long as each other. Distributions are added value by value, to
// their three digits, and quantiles are those of the sum; counts and rates add up. leftOut are the
// metrics that no counts give. The verdict is the worst, with all reasons.
func Merge(parts []*Result) (merged *Result, leftOut []string, err error) {
	return merge.Results(parts, false)
}

// MergeFollowing is Merge of parts whose tasks are due when others have ended. They are not as long
// as each other, and rates are over the time of the longest.
func MergeFollowing(parts []*Result) (merged *Result, err error) {
	merged, _, err = merge.Results(parts, true)
	return merged, err
}
