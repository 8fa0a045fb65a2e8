package evidence

import (
	"errors"
	"fmt"
	"strings"

	"github.com/poolbench/poolbench/reports/charts"
)

// A Finding is what measurement says of a claim.
type Finding struct {
	Verdict Verdict
	// one line with the numbers that decide; of Depends, what it depends on; of Undecided, what is
	// missing
	Because string
	Lines   []string // what else the results say, a line each
}

// A Verdict on a claim.
type Verdict int

// The verdicts. Undecided is none: runs are missing or not to be believed.
const (
	Undecided Verdict = iota
	Holds
	DoesNotHold
	Depends
)

var verdictWords = [...]string{"undecided", "holds", "does not hold", "depends"}

// String is the verdict in words.
func (v Verdict) String() string { return verdictWords[v] }

// ParseVerdict reads a verdict as String writes it, or with dashes for its blanks. Undecided is
// none to expect.
func ParseVerdict(text string) (Verdict, error) {
	for v := Holds; v <= Depends; v++ {
		if word := v.String(); text == word || text == strings.ReplaceAll(word, " ", "-") {
			return v, nil
		}
	}
	return Undecided, fmt.Errorf("%q is no verdict (holds, does-not-hold, depends)", text)
}

// Missing is the finding where what the rule needs was not measured.
func Missing(format string, args ...any) Finding {
	return Finding{Because: fmt.Sprintf(format, args...)}
}

// Found is a finding that the numbers decide.
func Found(v Verdict, format string, args ...any) Finding {
	return Finding{Verdict: v, Because: fmt.Sprintf(format, args...)}
}

// Add says more, a line.
func (f *Finding) Add(format string, args ...any) {
	f.Lines = append(f.Lines, fmt.Sprintf(format, args...))
}

// IsEmpty reports whether a chart had nothing to show.
func IsEmpty(err error) bool {
	_, is := errors.AsType[*charts.EmptyError](err)
	return is
}
