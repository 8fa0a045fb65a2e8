package execute

import (
	"errors"
	"fmt"
	"slices"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/attack"
	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/results"
)

type Record struct {
	Section      int            // section of the plan, or number of the load
	Answers      *attack.Report // report of a load; nil for other runs
	ID           RunID
	*results.Run // nil until the directory is read
}

type RunID struct {
	Name string
	Seed uint64
}

// Stopped returns the rule that ended a load early, with the reason, or "".
func (r Record) Stopped() string {
	if r.Answers == nil {
		return ""
	}
	if why, ok := errors.AsType[*attack.Stopped](r.Answers.Cut); ok {
		return why.Why
	}
	return ""
}

// CutOff reports whether a signal ended a load early.
func (r Record) CutOff() bool {
	return r.Answers != nil && r.Answers.Cut != nil && r.Stopped() == ""
}

func invalid(r *bench.Result) []string {
	why := slices.Clone(r.Broken)
	for _, reason := range r.Reasons {
		if reason.Verdict == result.Invalid && !slices.Contains(why, reason.Text) {
			// a broken law is a reason too
			why = append(why, reason.String())
		}
	}
	return text.Texts(why, func(w string) string {
		return fmt.Sprintf("%s (seed %d) is INVALID: %s", r.Name, r.Seed, w)
	})
}
