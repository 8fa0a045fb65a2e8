// Package decide judges objectives: met, missed or undecided, with the reason in words. All
// commands, pages and documents use it, so their verdicts agree. For the behaviour of a strategy, a
// 95 % confidence interval must lie on one side of the bound (Interval). For the clients of a load
// test, the measured sample decides (Load). A Finding is the answer of a study.
package decide

import (
	"math"
	"strings"

	"github.com/poolbench/poolbench/internal/text"
)

type Verdict int

// Undecided means that the evidence is insufficient.
const (
	Undecided Verdict = iota
	Met
	Missed
)

func (v Verdict) String() string { return [...]string{"undecided", "met", "missed"}[v] }

type Decision struct {
	Verdict Verdict
	// Value is the estimate. It is NaN if unknown, and +Inf for a latency percentile that falls
	// among failed requests.
	Value float64
	// Error is the half width of the 95 % interval relative to the value, if the value is marked as
	// uncertain, and 0 otherwise.
	Error     float64
	Low, High float64
	// the evidence in one line: "95 % CI 277 to 289 ms, 12 runs"
	Reason string
	// Next is the flag that would decide the objective, such as "--n 64000", or "".
	Next string
}

// Evidence adds the flag that would decide if undecided: "236 ms (95 % CI 201–284 ms, 1 run of
// 18,000 tasks); to decide: --n 64000".
func (d Decision) Evidence(unit string) string {
	s := d.Reason
	value := text.Uncertain(unit, d.Value, d.Error)
	shown := !math.IsNaN(d.Value) && !math.IsInf(d.Value, 0) && value != "–"
	if shown && !strings.Contains(d.Reason, value) {
		s = value + " (" + d.Reason + ")"
	}
	if d.Verdict == Undecided && d.Next != "" {
		s += "; to decide: " + d.Next
	}
	return s
}

// Interval is Undecided if an end is NaN.
func Interval(b Bound, low, high float64) Verdict {
	switch {
	case math.IsNaN(low) || math.IsNaN(high):
		return Undecided
	case b.Meets(low) && b.Meets(high):
		return Met
	case !b.Meets(low) && !b.Meets(high):
		return Missed
	}
	return Undecided
}

// Sample decides a latency objective from the requests of one load test. response includes the
// generator's own delays, so it is an upper bound; least is a lower bound. Both are +Inf if the
// percentile falls among uncompleted requests, and NaN if there are too few requests.
func Sample(b Bound, response, least float64) Verdict {
	return Interval(b, min(least, response), response)
}

func All(verdicts ...Verdict) Verdict {
	all := Met
	for _, v := range verdicts {
		switch v {
		case Missed:
			return Missed
		case Undecided:
			all = Undecided
		}
	}
	return all
}
