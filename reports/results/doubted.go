package results

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/rundir"
	"github.com/poolbench/poolbench/internal/text"
)

// DoubtfulCell is a cell of a comparison whose runs are not all VALID.
type DoubtfulCell struct {
	Row  string // name of the cell on its side, or "" if it is the only one
	Side string // name of its results
	*Doubts
	overload bool
}

// NewDoubted returns the doubts on a cell, or nil.
func NewDoubted(row, side string, c Cell) *DoubtfulCell {
	if d := c.Doubts(); d != nil {
		return &DoubtfulCell{row, side, d, c.Overloaded()}
	}
	return nil
}

// Mark returns SUSPECT or INVALID, or "" for nil.
func (d *DoubtfulCell) Mark() string {
	if d == nil {
		return ""
	}
	return d.Verdict.String()
}

// Short returns, for example, "SUSPECT (too short)".
func (d *DoubtfulCell) Short() string {
	checks := text.Texts(d.Why, Doubt.Check)
	if d.overload {
		checks = []string{rundir.CheckOverload}
	}
	if len(checks) == 0 {
		return d.Mark()
	}
	return d.Mark() + " (" + strings.Join(checks, ", ") + ")"
}

// Worse returns the more serious doubt, d if both are equal.
func (d *DoubtfulCell) Worse(other *DoubtfulCell) *DoubtfulCell {
	if d == nil || other != nil && other.Verdict > d.Verdict {
		return other
	}
	return d
}

// DoubtLines prints each reason once, with its cells and the first one's numbers. cells counts all
// cells by side.
func DoubtLines(all []*DoubtfulCell, cells map[string]int) (lines []string) {
	const most = 3
	for _, alike := range Gather(all, (*DoubtfulCell).Short) {
		var where, whole []string
		for _, of := range Gather(alike, func(d *DoubtfulCell) string { return d.Side }) {
			if len(of) == cells[of[0].Side] &&
				!slices.ContainsFunc(of, func(d *DoubtfulCell) bool { return !d.All }) {
				whole = append(whole, of[0].Side)
				continue
			}
			for _, d := range of {
				at := d.Side
				if d.Row != "" {
					at = d.Row + " in " + d.Side
				}
				where = append(where, at+" ("+d.Which+")")
			}
		}
		switch {
		case len(whole) > 1 && len(whole) == len(cells):
			where = append([]string{"every run"}, where...)
		case len(whole) > 0:
			where = append([]string{"every run of " + text.List(text.Truncate(whole, most))}, where...)
		}
		line := alike[0].Short() + ": " + text.List(text.Truncate(where, most))
		s := alike[0].Text()
		if len(alike[0].Why) == 1 && !alike[0].overload { // the line begins with the check
			_, s, _ = strings.Cut(s, ": ")
		}
		if s != "" {
			line += ": " + s
		}
		lines = append(lines, line)
	}
	return lines
}

// ShownMetric is a metric of a cell in an output.
type ShownMetric struct {
	Cell
	Unit string
}

// UncertainLines explains the marks of Show, if any, with the number of tasks that would remove
// them, if known.
func UncertainLines(all []ShownMetric) []string {
	about, none, tasks := false, false, 0.0
	for _, s := range all {
		share, uncertain := s.Uncertain(s.Unit)
		if math.IsNaN(s.Value(s.Unit)) || !uncertain {
			continue
		}
		none = none || share > 1
		about = about || share <= 1
		if s.Unit == metric.P99Response {
			tasks = max(tasks, s.neededFor(0.1))
		}
	}
	var words []string
	if about {
		words = append(words, "≈: 95 % error above ±25 %")
	}
	if none {
		words = append(words, "–: 95 % error above ±100 %")
	}
	if tasks > 0 {
		words = append(words, fmt.Sprintf("--n %.0f would give the p99 within ±10 %%", tasks))
	}
	if words == nil {
		return nil
	}
	return []string{strings.Join(words, "; ")}
}

func (c Cell) neededFor(share float64) float64 {
	// error for which needed-tasks was computed. It falls with the square root of the tasks
	const neededError = 0.05
	n := 0.0
	for _, r := range c {
		needed, _ := r.Value(metric.NeededTasks)
		planned, err := strconv.ParseFloat(r.Key("n"), 64)
		if err == nil && needed > 0 && r.Iters > 0 {
			// tasks of the warm-up do not count
			n = max(n, needed*(neededError/share)*(neededError/share)*planned/float64(r.Iters))
		}
	}
	if n == 0 {
		return 0
	}
	step := math.Pow(10, math.Floor(math.Log10(n))-1)
	return math.Ceil(n/step) * step
}
