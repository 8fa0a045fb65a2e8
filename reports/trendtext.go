package reports

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"golang.org/x/perf/benchunit"
)

// trendRow is a listed change with its series.
type trendRow struct {
	*TrendSeries
	TrendChange
}

// rows lists the changes, the latest last; of one result those for the worse first, and the larger first.
func (t *Trend) rows() []trendRow {
	var rows []trendRow
	for i := range t.Series {
		for _, c := range t.Series[i].Changes {
			rows = append(rows, trendRow{&t.Series[i], c})
		}
	}
	rank := map[string]int{"worse": 0, "differs": 1, "better": 2}
	slices.SortStableFunc(rows, func(a, b trendRow) int {
		size := func(r trendRow) float64 { return math.Abs(math.Log(r.Ratio())) }
		return cmp.Or(cmp.Compare(a.TrendChange.At, b.TrendChange.At), cmp.Compare(rank[a.Word], rank[b.Word]), cmp.Compare(size(b), size(a)))
	})
	return rows
}

// Summary says in a line what was looked at and what was found.
func (t *Trend) Summary() string {
	changes := 0
	for _, s := range t.Series {
		changes += len(s.Changes)
	}
	return fmt.Sprintf("%s, %s: %s (chance of any false alarm: %s)", plural(len(t.Results), "result", "results"),
		plural(t.Tested, "varying series", "varying series"), plural(changes, "change", "changes"), percentText(t.Options.Alpha))
}

// Notes say what is not in the list of changes, a line each.
func (t *Trend) Notes() []string {
	var notes []string
	short, unlisted := 0, 0
	for _, s := range t.Series {
		if len(s.Values) < t.Enough {
			short++
		}
		unlisted += s.Unlisted
	}
	if short > 0 {
		notes = append(notes, fmt.Sprintf("%s of %d too short: among so many a change can be told from chance in %d results or more, 3 of them after it at least",
			plural(short, "series", "series"), len(t.Series), t.Enough))
	}
	if unlisted > 0 {
		what := "smaller than the margin of " + percentText(t.Options.Margin)
		if t.Options.Last > 0 {
			what += fmt.Sprintf(", or not in the last %d results", t.Options.Last)
		}
		notes = append(notes, fmt.Sprintf("%s not listed: %s", plural(unlisted, "change", "changes"), what))
	}
	return append(notes, t.Warnings...)
}

// WriteTrendText writes what was found as aligned text: the summary, a row for each change, the latest last, and notes.
func WriteTrendText(w io.Writer, t *Trend) error {
	if err := writeLines(w, []string{t.Summary()}); err != nil {
		return err
	}
	rows := t.rows()
	if len(rows) > 0 {
		var names []string
		for _, row := range rows {
			names = append(names, row.Benchmark)
		}
		short, shared := shortNames(names)
		var a aligned
		a.row()
		for col, head := range []string{"benchmark", "metric", "from result on", "before", "after", "change", "", "p"} {
			a.cell(col, 1, trendAligns[col], trendMargin(col), head)
		}
		for _, row := range rows {
			a.row()
			scale := benchunit.CommonScale([]float64{row.Before, row.After}, benchunit.ClassOf(row.Unit))
			for col, text := range []string{short[row.Benchmark], row.Unit, fmt.Sprintf("%d %s", row.TrendChange.At+1, t.Results[row.TrendChange.At]),
				scale.Format(row.Before), scale.Format(row.After), changeText(row.Ratio()), row.Word, strconv.FormatFloat(row.P, 'g', 2, 64)} {
				a.cell(col, 1, trendAligns[col], trendMargin(col), text)
			}
		}
		head := []string{""}
		if shared != "" {
			head = append(head, sharedLine(shared))
		}
		if err := writeLines(w, head); err != nil {
			return err
		}
		if err := a.writeTo(w); err != nil {
			return err
		}
	}
	if notes := t.Notes(); len(notes) > 0 {
		return writeLines(w, append([]string{""}, notes...))
	}
	return nil
}

var trendAligns = []alignment{left, left, left, right, right, right, left, right}

func trendMargin(col int) string {
	switch col {
	case 0:
		return ""
	case 6:
		return " "
	}
	return "  "
}

// changeText is a ratio as a change in percent; from 0 there is none.
func changeText(ratio float64) string {
	if math.IsInf(ratio, 0) {
		return "?"
	}
	return fmt.Sprintf("%+.2f%%", 100*(ratio-1))
}

func percentText(share float64) string { return strconv.FormatFloat(100*share, 'g', 6, 64) + "%" }

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
