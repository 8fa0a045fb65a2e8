// Package result contains the result of one run. The types are declared here for packages that
// bench imports.
package result

import (
	"strconv"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"golang.org/x/perf/benchfmt"

	"github.com/poolbench/poolbench/bench/record"
)

// A Result is the result of one run. It is plain data and crosses processes as JSON.
type Result struct {
	Name     string // of the scenario, canonical
	Seed     uint64
	Tasks    int // offered and measured, without the warm-up
	Metrics  []Metric
	Readings []Reading // distributions of response, wait and service
	// of each measured task, with its parts, for rundir.UnpackTasks; empty for attacks, closed
	// loops and very long runs
	Responses string    `json:",omitempty"`
	Profiles  []Profile `json:",omitempty"` // see Scenario.Profile
	Timeline  []Bucket  // of the whole run, warm-up included
	// the response over the time of the run, warm-up included: for attacks and soaks, at most 100
	Windows []Window   `json:",omitempty"`
	Slowest []SlowTask `json:",omitempty"` // the slowest first, at most 50
	Broken  []string   // violated laws, in words with numbers
	Verdict Verdict
	Reasons []Reason // why it is not Valid, including broken laws
	Agents  []string `json:",omitempty"` // generators that shared the load, a line about each
	// Uncertain contains the metrics whose 95 % error is above 25 % of their value, with that error
	// relative to the value.
	Uncertain []Metric `json:",omitempty"`
	// Undecided is the reason why a search for capacity has no answer, or "".
	Undecided string `json:",omitempty"`
	// machine of the run, as in results.txt. nil: of this process
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

// Add appends a metric.
func (r *Result) Add(unit string, v float64) { r.Metrics = append(r.Metrics, Metric{unit, v}) }

// MarkUncertain records the relative 95 % error of a metric, to three digits.
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
	Max       int64  // nanoseconds, with the precision of the histogram
}

// A Window is the distribution of the response over the completed tasks that were due in an
// interval of the run. Windows without such tasks are omitted.
type Window struct {
	Start, Length time.Duration // Start is a multiple of Length, a power of two in seconds
	Histogram     string        // as in a Reading, with 2 significant digits
	Max           int64         // nanoseconds
}

// ValueAtRank returns the value of that rank, as in a Reading.
func ValueAtRank(h *hdrhistogram.Histogram, rank int) int64 {
	return h.ValueAtPercentile(100 * (float64(rank) - 0.25) / float64(h.TotalCount()))
}

// A Bucket counts the tasks in one interval of a run's timeline.
type Bucket struct {
	Start, Length                                                   time.Duration
	Arrived, Started, Completed, Failed, Throttled, Shed, Abandoned int
	// at the end of the bucket
	InFlight, Queued int
	Limit            int // in force then, if the strategy learns its limit; 0: it does not
}

// Count returns the count of tasks with that outcome. Abandoned includes those whose caller gave
// up.
func (v *Bucket) Count(o record.Outcome) *int {
	return v.Counts()[2+min(o, record.Abandoned)-record.Completed]
}

// Counts returns pointers to the counts in the order of the columns of timeline.csv.
func (v *Bucket) Counts() [9]*int {
	return [...]*int{&v.Arrived, &v.Started, &v.Completed, &v.Failed, &v.Throttled, &v.Shed,
		&v.Abandoned, &v.InFlight, &v.Queued}
}
