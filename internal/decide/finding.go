package decide

import (
	"fmt"
	"slices"
	"strings"
)

// A Finding is what the results of a study say. An older file may have lines and nothing else.
type Finding struct {
	Study    string       `json:"study"`    // its name
	Question string       `json:"question"` // what it asks
	Claim    string       `json:"claim"`    // what was put to the test
	Verdict  ClaimVerdict `json:"verdict"`  // on the claim
	// Decides lists the units of the metrics that the verdict rests on.
	Decides []string `json:"decides,omitempty"`
	// a rule of thumb, in one line: what to do, as far as the verdict bears it; "" where undecided
	Advice string `json:"advice,omitempty"`
	// one line with the numbers that decide; of Depends, what it depends on; of Undecided, what is
	// missing
	Because string   `json:"because"`
	Lines   []string `json:"lines,omitempty"` // what else the results say, a line each
	// in a file: the runs that it is about, by their index. They are those between the study
	// before, or the header, and it.
	Runs []int `json:"-"`
}

// Add says more, a line.
func (f *Finding) Add(format string, args ...any) {
	f.Lines = append(f.Lines, fmt.Sprintf(format, args...))
}

// Say adds lines; empty ones are left out.
func (f *Finding) Say(lines ...string) {
	for _, line := range lines {
		if line != "" {
			f.Lines = append(f.Lines, line)
		}
	}
}

// A ClaimVerdict on a claim, as it is written; "" where there is none.
type ClaimVerdict string

// The verdicts. Undecided: runs are missing or INVALID.
const (
	Holds          ClaimVerdict = "holds"
	Depends        ClaimVerdict = "depends"
	DoesNotHold    ClaimVerdict = "does not hold"
	ClaimUndecided ClaimVerdict = "undecided"
)

// ClaimVerdicts are all of them, in the order of a summary.
var ClaimVerdicts = []ClaimVerdict{Holds, Depends, DoesNotHold, ClaimUndecided}

// ParseClaimVerdict reads a verdict that somebody expects, also with dashes for its blanks.
// Undecided is none to expect.
func ParseClaimVerdict(text string) (ClaimVerdict, error) {
	v := ClaimVerdict(strings.ReplaceAll(text, "-", " "))
	if v == ClaimUndecided || !slices.Contains(ClaimVerdicts, v) {
		return "", fmt.Errorf("%q is no verdict (holds, does-not-hold, depends)", text)
	}
	return v, nil
}
