package bisect

import (
	"fmt"
	"io"
	"math"
	"time"

	"github.com/poolbench/poolbench/internal/gate/measure"
	"github.com/poolbench/poolbench/internal/gate/verdict"
	"github.com/poolbench/poolbench/internal/text"
)

type Outcome string

const (
	Found     Outcome = "found"     // exit code 0
	Undecided Outcome = "undecided" // exit code 3
)

// A Side is the position of a commit relative to the one to be found.
type Side string

const (
	SideGood      Side = "good" // before it
	SideBad       Side = "bad"  // it, or after it
	SideUndecided Side = "undecided"
	SideSkipped   Side = "skipped" // it cannot be measured
)

type Step struct {
	Commit measure.Commit `json:"commit"`
	Side   Side           `json:"side"`
	Reason string         `json:"reason"`
	Row    *verdict.Row   `json:"row"` // compared with GOOD; null if nothing was measured
}

// A Report is the result of a search. WriteJSON writes it, after a head.
type Report struct {
	Outcome    Outcome        `json:"outcome"`
	Why        string         `json:"why"`
	Next       string         `json:"next"`
	Good       measure.Commit `json:"good"`
	Bad        measure.Commit `json:"bad"`
	Candidates int            `json:"candidates"` // commits after GOOD, up to BAD

	// Followed is the selected metric, or null if no metric is worse. AlsoWorse are the other
	// metrics that are worse.
	Followed  *verdict.Row  `json:"followed"`
	AlsoWorse []verdict.Row `json:"also_worse"`

	Steps []Step `json:"steps"`

	Found  *measure.Commit  `json:"found"`  // null if it is not certain
	Before *measure.Commit  `json:"before"` // the commit that it was last measured against
	Change *verdict.Row     `json:"change"` // change from Before to Found
	Left   []measure.Commit `json:"left"`   // the commit is one of these

	Gates     int     `json:"gates"`
	MostGates int     `json:"most_gates"`
	Seconds   float64 `json:"seconds"` // of all gates, including builds
}

func (r *Report) ExitCode() int {
	if r.Outcome == Found {
		return verdict.ExitFine
	}
	return verdict.ExitUndecidable
}

// The rows in the JSON are as in the JSON of a gate.
func WriteJSON(w io.Writer, r *Report) error {
	report := *r
	report.AlsoWorse, report.Steps = text.JSONList(r.AlsoWorse), text.JSONList(r.Steps)
	report.Left = text.JSONList(r.Left)
	return text.WriteJSON(w, struct {
		text.Head
		Exit int `json:"exit"`
		Report
	}{text.NewHead("bisect"), r.ExitCode(), report})
}

const maxNamed = 8

// WriteText writes lines of at most the given number of characters (0: unlimited).
func WriteText(w io.Writer, r *Report, most int) error {
	lines := []string{fmt.Sprintf("%v to %v: %s", r.Good, r.Bad,
		text.Count(r.Candidates, "commit"))}
	if r.Followed != nil {
		lines = append(lines, fmt.Sprintf("%s is worse by %s", name(r.Followed),
			changeText(r.Followed)))
	}
	for _, row := range r.AlsoWorse[:min(len(r.AlsoWorse), maxNamed)] {
		lines = append(lines, fmt.Sprintf("also worse: %s by %s (to search for its commit, use "+
			"--bench and --metric)",
			name(&row), changeText(&row)))
	}
	if n := len(r.AlsoWorse) - maxNamed; n > 0 {
		lines = append(lines, fmt.Sprintf("and %s more", text.Count(n, "metric")))
	}
	if _, err := io.WriteString(w, text.Lines(append(lines, ""), most)); err != nil {
		return err
	}
	if len(r.Steps) > 0 {
		rows := [][]string{{"commit", "side", "against GOOD", "subject"}}
		for _, s := range r.Steps {
			change := s.Reason
			if s.Row != nil {
				change = changeText(s.Row)
			}
			rows = append(rows, []string{s.Commit.Short(), string(s.Side), change, s.Commit.Subject})
		}
		if err := text.WriteList(w, rows, most); err != nil {
			return err
		}
		if _, err := fmt.Fprintln(w); err != nil {
			return err
		}
	}
	_, err := io.WriteString(w, text.Lines(r.conclusion(), most))
	return err
}

func (r *Report) conclusion() (lines []string) {
	if r.Found != nil {
		lines = append(lines, fmt.Sprintf("%s  %s, %s", r.Found.Hash, r.Found.Author, r.Found.Date),
			"    "+r.Found.Subject,
			fmt.Sprintf("worse than %s by %s%s", r.Before.Short(), changeText(r.Change),
				pText(r.Change)))
	} else if n := len(r.Left); n > 0 {
		lines = append(lines, fmt.Sprintf("the commit is one of %s:", text.Count(n, "commit")))
		for i, c := range r.Left {
			if i >= maxNamed-1 && n > maxNamed {
				lines = append(lines, fmt.Sprintf("    and %d more, up to %s", n-i-1,
					r.Left[n-1].Short()))
				break
			}
			lines = append(lines, fmt.Sprintf("    %s %s", c.Short(), c.Subject))
		}
	}
	if r.Why != "" {
		lines = append(lines, r.Why)
	}
	if r.Next != "" {
		lines = append(lines, "next: "+r.Next)
	}
	lines = append(lines, fmt.Sprintf("%s (at most %d were expected), %s",
		text.Count(r.Gates, "gate"), r.MostGates,
		text.Roughly(time.Duration(r.Seconds*float64(time.Second)))))
	return append(lines, "bisect: "+string(r.Outcome))
}

func name(row *verdict.Row) string { return "Benchmark" + row.Benchmark + " " + row.Metric }

func pText(row *verdict.Row) string {
	if row.PWorse == 0 {
		return ""
	}
	return fmt.Sprintf(" (p = %.2g)", row.PWorse)
}

func changeText(row *verdict.Row) string {
	if verdict.IsAllocation(row.Metric) {
		more := row.New.Median - row.Old.Median
		return fmt.Sprintf("%+g (%s after %s)", more, text.Trimmed(row.Metric, row.New.Median),
			text.Trimmed(row.Metric, row.Old.Median))
	}
	if row.Equal {
		return "no change"
	}
	interval := ""
	if low, high := float64(row.Lo), float64(row.Hi); !math.IsNaN(low) && !math.IsNaN(high) &&
		!math.IsInf(high, 1) {
		interval = " (" + text.Span(text.Change(low), " to ", text.Change(high)) + ")"
	}
	return fmt.Sprintf("%s%s in %s", text.Change(float64(row.Ratio)), interval,
		text.Count(row.New.N, "pair"))
}
