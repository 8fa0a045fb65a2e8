package bench

import (
	"github.com/poolbench/poolbench/bench/internal/merge"
	"github.com/poolbench/poolbench/bench/internal/observed"
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
	return merge.Results(parts)
}

// Span is the stretch of time that n tasks stand for, from the task numbered first on: n less first
// over its length is their rate, be they one or a million. All instants are nanoseconds from the
// start of the plan; due are those of all tasks, in their order.
//
// A task stands for the gap before it: the first of a plan for the time since its start, and tasks
// that are due together for equal shares of the gap before all of them. So the stretch begins where
// the last task ends that is not counted. It ends with the last due or, in a run of a given
// duration, with that: a run in which nothing more was due had its time all the same. (To count the
// tasks over the time from the first of them to the last is to count n over n−1 gaps: at 10 a
// second, 12.5 for five tasks.)
func Span(n, first int, due func(i int) int64, duration int64) (from, until int64) {
	return observed.Span(n, first, due, duration)
}
