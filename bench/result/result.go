// Package result has the result of one run: metrics, distributions, course, and whether it is
// VALID. Package bench exports Result, Metric and Verdict under the same names. The types are
// declared here for the packages that compute a result and that bench imports.
package result

import (
	"strconv"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"golang.org/x/perf/benchfmt"

	"github.com/poolbench/poolbench/bench/record"
)

// A Result is what one run says. It is plain data: it crosses processes as JSON.
type Result struct {
	Name     string // of the scenario, canonical
	Seed     uint64 // that the run used
	Tasks    int    // offered and measured, that is without the warm-up
	Metrics  []Metric
	Readings []Reading // distributions of response, wait and service
	// of each measured task, with its parts, as rundir.UnpackTasks takes them: where tasks are due
	// by a plan and are no more than a directory keeps
	Responses string    `json:",omitempty"`
	Profiles  []Profile `json:",omitempty"` // see Scenario.Profile
	Timeline  []Bucket  // of the whole run, warm-up included
	// the response in the course of the run, warm-up included: of attacks and soaks, at most 100
	Windows []Window   `json:",omitempty"`
	Slowest []SlowTask `json:",omitempty"` // the slowest tasks, the slowest first: at most 50
	Broken  []string   // violated laws, in words with their numbers; none is what is wanted
	Verdict Verdict    // whether the results are valid
	Reasons []Reason   // that it is not Valid for, broken laws among them
	Agents  []string   `json:",omitempty"` // that shared the load, a line about each
	// Uncertain holds the metrics whose 95 % error is beyond 25 % of their value, with that error
	// relative to the value.
	Uncertain []Metric `json:",omitempty"`
	// Undecided is what a search for capacity says if it has no answer; "" of a run, and of a
	// search with an answer.
	Undecided string `json:",omitempty"`
	// of the machine that the run was made on, as results.txt has it; nil: of this process
	Machine []benchfmt.Config `json:",omitempty"`
}

// Metric returns the value in that unit and whether the run has it.
func (r *Result) Metric(unit string) (float64, bool) {
	for _, m := range r.Metrics {
		if m.Unit == unit {
			return m.Value, true
		}
	}
	return 0, false
}

// Add notes a metric, behind those that it has.
func (r *Result) Add(unit string, v float64) { r.Metrics = append(r.Metrics, Metric{unit, v}) }

// MarkUncertain notes the relative 95 % error of a metric, to three digits.
func (r *Result) MarkUncertain(unit string, share float64) {
	if rounded, err := strconv.ParseFloat(strconv.FormatFloat(share, 'g', 3, 64), 64); err == nil {
		share = rounded
	}
	r.Uncertain = append(r.Uncertain, Metric{unit, share})
}

// A Reading is the distribution of one time over the measured tasks that completed.
type Reading struct {
	Of        string // response, wait or service
	Histogram string // HdrHistogram, V2 compressed, base64: nanoseconds, 3 significant digits
	Max       int64  // nanoseconds, as exact as the histogram
}

// A Window is the distribution of the response over those tasks that were due in a stretch of the
// run and completed. Windows in which there is none are left out.
type Window struct {
	Start, Length time.Duration // a multiple of the length; a power of two, in seconds
	Histogram     string        // as that of a Reading, with 2 significant digits
	Max           int64         // nanoseconds
}

// ValueAtRank is the value of that rank, as Reading has values.
func ValueAtRank(h *hdrhistogram.Histogram, rank int) int64 {
	return h.ValueAtPercentile(100 * (float64(rank) - 0.25) / float64(h.TotalCount()))
}

// A Bucket counts the tasks in one stretch of a run's timeline.
type Bucket struct {
	Start, Length                                                   time.Duration
	Arrived, Started, Completed, Failed, Throttled, Shed, Abandoned int
	// at the end of the bucket
	InFlight, Queued int
}

// Of is the count of tasks that ended like that. Abandoned includes those whose caller gave up.
func (v *Bucket) Of(o record.Outcome) *int {
	return v.Counts()[2+min(o, record.Abandoned)-record.Completed]
}

// Counts are those of the bucket in the order of the columns of timeline.csv, to be set as well.
func (v *Bucket) Counts() [9]*int {
	return [...]*int{&v.Arrived, &v.Started, &v.Completed, &v.Failed, &v.Throttled, &v.Shed,
		&v.Abandoned, &v.InFlight, &v.Queued}
}
