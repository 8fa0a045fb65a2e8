package trend

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/internal/table"
	"github.com/poolbench/poolbench/reports/results"
)

type row struct {
	*Series
	Change
}

// The latest change is last. Within a result, changes for the worse are first.
func (t *Trend) rows() []row {
	var rows []row
	for i := range t.Series {
		for _, c := range t.Series[i].Changes {
			rows = append(rows, row{&t.Series[i], c})
		}
	}
	rank := map[string]int{"worse": 0, "differs": 1, "better": 2}
	slices.SortStableFunc(rows, func(a, b row) int {
		return cmp.Or(cmp.Compare(a.Change.At, b.Change.At),
			cmp.Compare(rank[a.Word], rank[b.Word]), cmp.Compare(b.size(), a.size()))
	})
	return rows
}

func (c Change) size() float64 { return math.Abs(math.Log(float64(c.Ratio))) }

func (t *Trend) shortNames() (short map[string]string, shared string) {
	return results.ShortNames(text.Texts(t.rows(), func(r row) string { return r.Benchmark }))
}

func (t *Trend) changeTable(rows []row, short map[string]string) *table.Table {
	out := &table.Table{Names: 2, Columns: []table.Column{{Title: "benchmark", Name: true},
		{Title: "metric"}, {Title: "from result on"}, {Title: "before", Align: text.Right},
		{Title: "after", Align: text.Right}, {Title: "change", Align: text.Right},
		{Title: "verdict", Verdict: true}, {Title: "p", Align: text.Right}}}
	level := func(unit string, v float64, uncertain bool) string {
		if uncertain { // a median of many results: no error is too large to show it
			return text.Uncertain(unit, v, 1)
		}
		return text.Metric(unit, v)
	}
	for _, r := range rows {
		out.Rows = append(out.Rows, table.Row{Class: r.Word, Cells: []string{
			short[r.Benchmark], r.Unit,
			fmt.Sprintf("%d %s", r.Change.At+1, t.Results[r.Change.At]),
			level(r.Unit, r.Before, r.aboutBefore), level(r.Unit, r.After, r.aboutAfter),
			text.Change(float64(r.Ratio)), r.marked(), strconv.FormatFloat(r.P, 'g', 2, 64)}})
	}
	return out
}

func (c Change) marked() string {
	if c.Doubt != "" {
		return c.Word + ", " + c.Doubt
	}
	return c.Word
}

// Summary returns one line on the series and the changes.
func (t *Trend) Summary() string {
	if t.Undecided {
		longest := 0
		for _, s := range t.Series {
			longest = max(longest, len(s.Values))
		}
		have := text.Count(len(t.Results), "result")
		if longest < len(t.Results) {
			have += fmt.Sprintf(", of a benchmark at most %d", longest)
		}
		return fmt.Sprintf("Nothing is tested: %s, but a test needs %d results or more", have, t.Enough)
	}
	changes := 0
	for _, s := range t.Series {
		changes += len(s.Changes)
	}
	return fmt.Sprintf("%s, %s: %s (chance of any false alarm: %s)",
		text.Count(len(t.Results), "result"),
		text.Count(t.Tested, "varying series"), text.Count(changes, "change"),
		percentText(t.Options.Alpha))
}

// Notes lists facts that are not in the list of changes.
func (t *Trend) Notes() []string {
	var notes []string
	short, small, earlier := 0, 0, 0
	for _, s := range t.Series {
		if len(s.Values) < t.Enough {
			short++
		}
		small, earlier = small+s.Unlisted-s.earlier, earlier+s.earlier
	}
	if short > 0 {
		notes = append(notes, fmt.Sprintf("%s of %d too short: with so many series, a change "+
			"needs %d results or more, at least 3 of them after the change",
			text.Count(short, "series"), len(t.Series), t.Enough))
	}
	if small > 0 {
		notes = append(notes, fmt.Sprintf("%s not listed: smaller than the margin of %s",
			text.Count(small, "change"), percentText(t.Options.Margin)))
	}
	if earlier > 0 {
		notes = append(notes, fmt.Sprintf("%s not listed: before the last %s",
			text.Count(earlier, "change"), text.Count(t.Options.Last, "result")))
	}
	if slices.ContainsFunc(t.rows(), func(r row) bool { return r.aboutBefore || r.aboutAfter }) {
		notes = append(notes, "≈: 95 % error of a value above ±25 %")
	}
	return slices.Concat(notes, t.doubts(), t.Doubts, t.Warnings)
}

// Changes of a correlated series are doubtful.
func (t *Trend) doubts() []string {
	var names []string
	for _, s := range t.Series {
		if s.Doubtful && len(s.Changes) > 0 {
			names = append(names, fmt.Sprintf("%s %s (rho about %.2f, perhaps %.2f)", s.Benchmark,
				s.Unit, s.Rho, s.MostRho))
		}
	}
	if len(names) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%s may be autocorrelated (each result resembles the previous "+
		"one); false alarms in such a series are more frequent than %s: %s",
		text.Count(len(names), "series"), percentText(t.Options.Alpha),
		strings.Join(names, ", "))}
}

// WriteText writes the trend as aligned text, the latest change last. Lines have up to most
// characters, 0: unlimited.
func WriteText(w io.Writer, t *Trend, most int) error {
	head := []string{t.Summary()}
	changes := ""
	if rows := t.rows(); len(rows) > 0 {
		head = slices.Insert(head, 0, t.headline(t.suspects()))
		short, shared := t.shortNames()
		if head = append(head, ""); shared != "" {
			head = append(head, results.SharedLine(shared))
		}
		changes = t.changeTable(rows, short).Text(most)
	}
	if notes := t.Notes(); len(notes) > 0 {
		changes += "\n" + text.Lines(notes, most)
	}
	_, err := io.WriteString(w, text.Lines(head, most)+changes)
	return err
}

func percentText(share float64) string { return strconv.FormatFloat(100*share, 'g', 6, 64) + "%" }
