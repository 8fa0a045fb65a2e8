package why

import (
	"cmp"
	"slices"

	"github.com/poolbench/poolbench/reports/results"
)

// A Cause is a reason for the p99 of a run.
type Cause struct {
	Cause    string  `json:"cause"` // name of a rule
	Share    float64 `json:"share"` // of the response of the slowest 1 %
	Evidence string  `json:"evidence"`
	Remedy   string  `json:"remedy"`
}

// An Answer explains a response by causes, ranked by share. The shares add up to at most 1.
type Answer struct {
	Unit   string  // p99-response-sec or, with too few tasks, mean-response-sec
	Value  float64 // in seconds
	Error  float64 // relative 95 % error if the value is marked as uncertain, else 0
	Causes []Cause
	Cannot string // what the run cannot show, in a sentence, or ""
}

const (
	maxCauses = 3
	// Smaller shares are within the variation of runs.
	minShare = 0.1
)

type rule struct {
	name string
	// for the table of causes in docs/reading-results.md
	meaning, cure string
	// whether the required evidence exists. nil: its share is the evidence
	shown func(*view) bool
	// the rule that gets the share without evidence
	otherwise        string
	evidence, remedy func(*view) string
}

// The rules are ordered: each passes its share only to a later one.
var rules = []rule{machine, gc, lock, scheduler, target, throttling, headOfLine, queueing,
	generator, work, unknown}

// Table returns the rows of the table of causes: name, meaning, remedy.
func Table() (rows [][3]string) {
	for _, r := range rules {
		rows = append(rows, [3]string{r.name, r.meaning, r.cure})
	}
	return rows
}

// Explain explains the runs of one scenario by the medians of their metrics. The cells beside are
// the same strategy at other limits and loads. ok is false without responses.
func Explain(c results.Cell, beside ...results.Cell) (Answer, bool) {
	v, ok := newView(c, beside)
	if !ok {
		return Answer{}, false
	}
	a := Answer{Unit: v.unit, Value: v.value, Cannot: v.cannot}
	a.Error, _ = c.Uncertain(v.unit)
	shares := v.shares()
	for _, r := range rules {
		if r.shown != nil && !r.shown(v) {
			shares[r.otherwise] += shares[r.name]
			shares[r.name] = 0
		}
	}
	for _, r := range rules {
		if s := shares[r.name]; s >= minShare {
			a.Causes = append(a.Causes, Cause{r.name, min(s, 1), r.evidence(v), r.remedy(v)})
		}
	}
	slices.SortStableFunc(a.Causes, func(a, b Cause) int { return cmp.Compare(b.Share, a.Share) })
	a.Causes = a.Causes[:min(len(a.Causes), maxCauses)]
	return a, true
}
