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
	// Because is one line with the deciding numbers, or the missing evidence.
	Because string `json:"because"`
	// nil: Because has all numbers
	Table *Table   `json:"table,omitempty"`
	Lines []string `json:"lines,omitempty"`
	// Runs contains the indices of the study's runs in a file: the runs since the previous study.
	Runs []int `json:"-"`
}

// A Table has a row for each case of a claim.
type Table struct {
	Heads []string   `json:"heads"` // the first is that of the cases
	Rows  [][]string `json:"rows"`
}

func (t *Table) Add(cells ...string) { t.Rows = append(t.Rows, cells) }

func (t *Table) Lines() [][]string { return append([][]string{t.Heads}, t.Rows...) }

func (f *Finding) Add(format string, args ...any) {
	f.Lines = append(f.Lines, fmt.Sprintf(format, args...))
}

func (f *Finding) AddLines(lines ...string) {
	for _, line := range lines {
		if line != "" {
			f.Lines = append(f.Lines, line)
		}
	}
}

type ClaimVerdict string

// ClaimUndecided means that runs are missing or INVALID.
const (
	Holds          ClaimVerdict = "holds"
	Depends        ClaimVerdict = "depends"
	DoesNotHold    ClaimVerdict = "does not hold"
	ClaimUndecided ClaimVerdict = "undecided"
)

var ClaimVerdicts = []ClaimVerdict{Holds, Depends, DoesNotHold, ClaimUndecided}

// Of returns the number of claims with the verdict: 1 holds, 2 hold.
func (v ClaimVerdict) Of(n int) string {
	words := string(v)
	if many := map[ClaimVerdict]string{Holds: "hold", Depends: "depend",
		DoesNotHold: "do not hold"}[v]; n != 1 && many != "" {
		words = many
	}
	return fmt.Sprintf("%d %s", n, words)
}

// ParseClaimVerdict rejects ClaimUndecided, because it cannot be expected.
func ParseClaimVerdict(text string) (ClaimVerdict, error) {
	v := ClaimVerdict(strings.ReplaceAll(text, "-", " "))
	if v == ClaimUndecided || !slices.Contains(ClaimVerdicts, v) {
		return "", fmt.Errorf("%q is no verdict (holds, does-not-hold, depends)", text)
	}
	return v, nil
}
