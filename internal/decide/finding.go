package decide

import (
	"fmt"
	"slices"
	"strings"
)

// A Finding is the result of a study. In older files it may have only Lines.
type Finding struct {
	Study    string       `json:"study"`
	Question string       `json:"question"`
	Claim    string       `json:"claim"`
	Verdict  ClaimVerdict `json:"verdict"`
	// Decides lists the units of the metrics behind the verdict.
	Decides []string `json:"decides,omitempty"`
	// rule of thumb in one line: the action that the verdict supports, or "" if undecided
	Advice string `json:"advice,omitempty"`
	// one line with the deciding numbers, with the condition for Depends, or with the missing evidence
	// for Undecided
	Because string   `json:"because"`
	Lines   []string `json:"lines,omitempty"` // further results, one per line
	// indices of its runs in a file: those between the previous study, or the header, and this one
	Runs []int `json:"-"`
}

// Add appends a line.
func (f *Finding) Add(format string, args ...any) {
	f.Lines = append(f.Lines, fmt.Sprintf(format, args...))
}

// Say appends the non-empty lines.
func (f *Finding) Say(lines ...string) {
	for _, line := range lines {
		if line != "" {
			f.Lines = append(f.Lines, line)
		}
	}
}

// A ClaimVerdict is a verdict on a claim, as it is written, or "".
type ClaimVerdict string

// The verdicts. Undecided: runs are missing or INVALID.
const (
	Holds          ClaimVerdict = "holds"
	Depends        ClaimVerdict = "depends"
	DoesNotHold    ClaimVerdict = "does not hold"
	ClaimUndecided ClaimVerdict = "undecided"
)

// ClaimVerdicts lists them in the order of a summary.
var ClaimVerdicts = []ClaimVerdict{Holds, Depends, DoesNotHold, ClaimUndecided}

// ParseClaimVerdict parses an expected verdict, also with dashes instead of blanks. Undecided
// cannot be expected.
func ParseClaimVerdict(text string) (ClaimVerdict, error) {
	v := ClaimVerdict(strings.ReplaceAll(text, "-", " "))
	if v == ClaimUndecided || !slices.Contains(ClaimVerdicts, v) {
		return "", fmt.Errorf("%q is no verdict (holds, does-not-hold, depends)", text)
	}
	return v, nil
}
