package decide

import (
	"fmt"
	"slices"
	"strings"
)

// A Finding is the result of a study. Older files may contain only Lines.
type Finding struct {
	Study    string       `json:"study"`
	Question string       `json:"question"`
	Claim    string       `json:"claim"`
	Verdict  ClaimVerdict `json:"verdict"`
	// Decides lists the units of the metrics that decide the verdict.
	Decides []string `json:"decides,omitempty"`
	// Advice is a rule of thumb in one line, or "" if the claim is undecided.
	Advice string `json:"advice,omitempty"`
	// Because is one line with the deciding numbers. For Depends it includes the condition, for
	// Undecided the missing evidence.
	Because string `json:"because"`
	// Table has the deciding numbers. nil: Because has all of them.
	Table *Table   `json:"table,omitempty"`
	Lines []string `json:"lines,omitempty"`
	// Runs contains the indices of the study's runs in a file: the runs between the previous study or
	// the header and this one.
	Runs []int `json:"-"`
}

// A Table has a row for each case of a claim, as texts with their units.
type Table struct {
	Heads []string   `json:"heads"` // the first is that of the cases
	Rows  [][]string `json:"rows"`
}

// Add appends a row.
func (t *Table) Add(cells ...string) { t.Rows = append(t.Rows, cells) }

// Lines returns the heads and the rows.
func (t *Table) Lines() [][]string { return append([][]string{t.Heads}, t.Rows...) }

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

// The verdicts on a claim. ClaimUndecided means that runs are missing or INVALID.
const (
	Holds          ClaimVerdict = "holds"
	Depends        ClaimVerdict = "depends"
	DoesNotHold    ClaimVerdict = "does not hold"
	ClaimUndecided ClaimVerdict = "undecided"
)

// ClaimVerdicts lists the verdicts in the order of a summary.
var ClaimVerdicts = []ClaimVerdict{Holds, Depends, DoesNotHold, ClaimUndecided}

// ParseClaimVerdict parses an expected verdict, with dashes or blanks. ClaimUndecided is an error,
// because it cannot be expected.
func ParseClaimVerdict(text string) (ClaimVerdict, error) {
	v := ClaimVerdict(strings.ReplaceAll(text, "-", " "))
	if v == ClaimUndecided || !slices.Contains(ClaimVerdicts, v) {
		return "", fmt.Errorf("%q is no verdict (holds, does-not-hold, depends)", text)
	}
	return v, nil
}
