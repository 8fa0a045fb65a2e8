package result

import (
	"fmt"
	"slices"

	"github.com/poolbench/poolbench/internal/rundir"
)

// Verdict is the reliability of the numbers of a run.
type Verdict int

// The verdicts. A run has the worst verdict of its reasons.
const (
	Valid Verdict = iota // no reason for doubt
	// the reasons list influences other than the strategy
	Suspect
	Invalid // the run does not measure the strategy
)

func (v Verdict) String() string { return [...]string{"VALID", "SUSPECT", "INVALID"}[v] }

// A Reason is a reason why a run is not valid.
type Reason struct {
	Verdict Verdict
	Check   string // name of the check: "pause", "lag", "drift" …
	Text    string // the finding, in words with numbers
}

func (r Reason) String() string { return r.Check + ": " + r.Text }

// Invalid reports whether the verdict is Invalid or a law is broken.
func (r *Result) Invalid() bool { return r.Verdict == Invalid || len(r.Broken) > 0 }

// Drifts reports whether the response rose or fell during the measurement, or whether the plan is
// an overload.
func (r *Result) Drifts() bool {
	return slices.ContainsFunc(r.Reasons, func(why Reason) bool {
		return why.Check == rundir.CheckDrift || why.Check == rundir.CheckOverload
	})
}

// Doubt adds a reason, and lowers the verdict of the run to v.
func (r *Result) Doubt(v Verdict, check, format string, args ...any) {
	r.Reasons = append(r.Reasons, Reason{v, check, fmt.Sprintf(format, args...)})
	r.Verdict = max(r.Verdict, v)
}
