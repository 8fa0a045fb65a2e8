package evidence

import (
	"errors"
	"fmt"

	"github.com/poolbench/poolbench/bench/finding"
	"github.com/poolbench/poolbench/reports/charts"
)

// Missing is the finding where what the rule needs was not measured.
func Missing(format string, args ...any) finding.Finding {
	return Found(finding.Undecided, format, args...)
}

// Found is a finding that the numbers decide.
func Found(v finding.Verdict, format string, args ...any) finding.Finding {
	return finding.Finding{Verdict: v, Because: fmt.Sprintf(format, args...)}
}

// IsEmpty reports whether a chart had nothing to show.
func IsEmpty(err error) bool {
	_, is := errors.AsType[*charts.EmptyError](err)
	return is
}
