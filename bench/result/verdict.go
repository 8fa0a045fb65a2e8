package result

import (
	"fmt"
	"slices"

	"github.com/poolbench/poolbench/internal/rundir"
)

// Verdict says whether the numbers of a run may be believed.
type Verdict int

// The verdicts. A run has the worst that one of its reasons carries.
const (
	Valid Verdict = iota // nothing speaks against it
	// it is what was measured, but something beside the strategy is in it: the reasons say what and
	// how much
	Suspect
	Invalid // it is not a measurement of the strategy
)

func (v Verdict) String() string { return [...]string{"VALID", "SUSPECT", "INVALID"}[v] }

// A Reason is one that a run is not valid for.
type Reason struct {
	Verdict Verdict // what it makes of the run
	Check   string  // what was looked at: "pause", "lag", "drift" …
	Text    string  // what was found, in words with their numbers
}

func (r Reason) String() string { return r.Check + ": " + r.Text }

// Invalid reports whether the numbers cannot be relied on: the verdict is Invalid, or a law is
// broken.
func (r *Result) Invalid() bool { return r.Verdict == Invalid || len(r.Broken) > 0 }

// Drifts reports whether what was measured grew or fell while it was measured, or had to by the
// plan.
func (r *Result) Drifts() bool {
	return slices.ContainsFunc(r.Reasons, func(why Reason) bool {
		return why.Check == rundir.CheckDrift || why.Check == rundir.CheckOverload
	})
}

// Doubt adds a reason to think less of the run, and lets it down to that verdict.
func (r *Result) Doubt(v Verdict, check, format string, args ...any) {
	r.Reasons = append(r.Reasons, Reason{v, check, fmt.Sprintf(format, args...)})
	r.Verdict = max(r.Verdict, v)
}
