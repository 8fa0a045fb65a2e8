package gate

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/poolbench/poolbench/internal/gate/verdict"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/internal/table"
	"github.com/poolbench/poolbench/reports/results"
)

// WriteText writes a gate's report as aligned text, the worst rows first. Lines have up to most
// characters, 0: unlimited.
func WriteText(w io.Writer, r *verdict.Report, most int) error {
	short, head := heading(r)
	s := text.Lines(append(head, ""), most)
	if len(r.Rows) > 0 {
		s += rowsTable(r.Rows, short).Text(most) + "\n"
	}
	_, err := io.WriteString(w, s+text.Lines(append(results.Shorten(remarks(r), short),
		headline(r, short)), most))
	return err
}

func heading(r *verdict.Report) (short map[string]string, lines []string) {
	short, shared := results.ShortNames(text.Texts(r.Rows, func(row verdict.Row) string {
		return row.Benchmark
	}))
	if lines = summary(r); shared != "" {
		lines = append(lines, results.SharedLine(shared))
	}
	return short, lines
}

func summary(r *verdict.Report) []string {
	unseen := ""
	if n := r.Count(verdict.NotSuspected); n > 0 {
		unseen = fmt.Sprintf(", %d not suspected", n)
	}
	lines := []string{
		r.New + " against " + r.Old,
		fmt.Sprintf("%s gated: %d worse, %d inconclusive, %d better, %d no worse%s",
			text.Count(len(r.Rows), "metric"), r.Count(verdict.Worse),
			r.Count(verdict.Inconclusive),
			r.Count(verdict.Better), r.Count(verdict.NoWorse), unseen),
		fmt.Sprintf("tolerance %.4g %% (--margin); \"no worse\" excludes a regression of %.4g %% "+
			"(--promise); risk of a false alarm %.4g %% (--alpha)",
			100*r.Options.Margin, 100*r.Options.Promise, 100*r.Options.Alpha),
	}
	if len(r.Rows) > 0 {
		lines = append(lines, "old and new are medians; change is the Hodges–Lehmann estimate, "+
			"over pairs of runs if there are pairs; detectable is the smallest regression that "+
			"would be found 4 times in 5")
	}
	if spent := r.Spent; spent != nil {
		spell := func(seconds float64) string {
			return text.Roughly(time.Duration(seconds * 1e9))
		}
		lines = append(lines,
			fmt.Sprintf("total time %s, including %s of measurements", spell(spent.Whole),
				spell(spent.Measuring)))
	}
	return lines
}

func outcome(r *verdict.Report) string {
	switch code := r.ExitCode(); code {
	case verdict.ExitFault:
		return "gate: cannot decide"
	case verdict.ExitRegression:
		if slices.ContainsFunc(r.Rows, func(row verdict.Row) bool {
			return row.Verdict == verdict.Worse && row.Doubt == ""
		}) {
			return "gate: worse"
		}
		if r.Count(verdict.Worse) == 0 {
			return "gate: benchmarks removed"
		}
		return "gate: worse, SUSPECT"
	case verdict.ExitUndecidable:
		return "gate: inconclusive"
	default:
		return "gate: pass"
	}
}

// headline includes the most severe row, or the regression that a pass excludes.
func headline(r *verdict.Report, short map[string]string) string {
	switch code := r.ExitCode(); {
	case code == verdict.ExitFine:
		return fmt.Sprintf("%s: no regression of %.4g %% or more in %s", outcome(r),
			100*r.Options.Promise, text.Count(len(r.Rows), "metric"))
	case code == verdict.ExitRegression && r.Count(verdict.Worse) > 0,
		code == verdict.ExitUndecidable && len(r.Unclear) == 0:
		first := &r.Rows[0]
		return strings.TrimSuffix(fmt.Sprintf("%s: %s: %s", outcome(r), sentence(first, short),
			first.Reason), ": ")
	}
	return outcome(r)
}

func sentence(row *verdict.Row, short map[string]string) string {
	s := fmt.Sprintf("%s of %s %s", row.Metric, name(row, short), change(row))
	if within := interval(row); within != "" {
		s += " (" + within + ")"
	}
	if row.Doubt != "" {
		s = row.Doubt + ": " + s
	}
	return s
}

func remarks(r *verdict.Report) []string {
	after := func(begin string, texts []string) []string {
		return text.Texts(texts, func(s string) string { return begin + s })
	}
	return slices.Concat(after("cannot decide: ", r.Faults), after("unclear: ", r.Unclear),
		partLines(r), r.Doubts, unmatchedLines(r), notGatedLines(r),
		after("note: ", r.Warnings))
}

func unmatchedLines(r *verdict.Report) (lines []string) {
	const most = 8 // to name
	for _, of := range []struct {
		what       string
		benchmarks []string
	}{{"new, nothing to compare with", r.Added}, {"removed", r.Removed}} {
		if len(of.benchmarks) > 0 {
			lines = append(lines, fmt.Sprintf("%s: %s", of.what,
				text.List(text.Truncate(of.benchmarks, most))))
		}
	}
	return lines
}

func notGatedLines(r *verdict.Report) (lines []string) {
	reason := func(g verdict.NotGated) string { return g.Reason }
	metric := func(g verdict.NotGated) string { return g.Metric }
	for _, of := range results.Gather(r.NotGated, reason) {
		var list []string
		for _, same := range results.Gather(of, metric) {
			least, greatest := math.Inf(1), math.Inf(-1)
			for _, g := range same {
				if ratio := float64(g.Ratio); !math.IsNaN(ratio) {
					least, greatest = min(least, ratio), max(greatest, ratio)
				}
			}
			switch name, low, high := same[0].Metric, percent(least), percent(greatest); {
			case least > greatest: // one side lacks it
				list = append(list, name)
			case low == high:
				list = append(list, fmt.Sprintf("%s (%s)", name, low))
			default:
				list = append(list, fmt.Sprintf("%s (%s to %s)", name, low, high))
			}
		}
		lines = append(lines,
			fmt.Sprintf("not gated, %s: %s", of[0].Reason, strings.Join(list, ", ")))
	}
	return lines
}

// short maps names to short ones.
func rowsTable(rows []verdict.Row, short map[string]string) *table.Table {
	t := &table.Table{Names: 3, Columns: []table.Column{{Title: "verdict", Verdict: true},
		{Title: "benchmark", Name: true}, {Title: "metric", Below: true},
		{Title: "old", Align: text.Right}, {Title: "new", Align: text.Right},
		{Title: "change", Align: text.Right}, {Title: "interval", Below: true},
		{Title: "n", Align: text.Right}, {Title: "p", Align: text.Right},
		{Title: "p adj.", Align: text.Right}, {Title: "detectable", Align: text.Right}}}
	for i := range rows {
		row := &rows[i]
		n := fmt.Sprint(row.Old.N)
		if row.Paired {
			n = text.Count(row.Old.N, "pair")
		} else if row.Old.N != row.New.N {
			n = fmt.Sprintf("%d+%d", row.Old.N, row.New.N)
		}
		p, adjusted := row.PWorse, row.PWorseHolm
		if row.Verdict == verdict.Better {
			p, adjusted = row.PBetter, row.PBetterHolm
		}
		detectable := "–"
		if !math.IsNaN(float64(row.Detectable)) {
			detectable = changeOf(1 + row.Detectable)
		}
		var reasons []string
		if row.Reason != "" {
			reasons = []string{row.Reason}
		}
		t.Rows = append(t.Rows, table.Row{Notes: reasons,
			Class: strings.ReplaceAll(string(row.Verdict), " ", "-"),
			Cells: []string{marked(row), name(row, short), row.Metric, median(row, row.Old),
				median(row, row.New), change(row), cmp.Or(interval(row), "–"), n, pText(p),
				pText(adjusted), detectable}})
	}
	return t
}

func name(row *verdict.Row, short map[string]string) string {
	name := cmp.Or(short[row.Benchmark], row.Benchmark)
	if row.Package != "" {
		name = row.Package + "." + name
	}
	return name
}

func median(row *verdict.Row, side verdict.Side) string {
	return text.Uncertain(row.Metric, side.Median, float64(side.Uncertain))
}

func interval(row *verdict.Row) string {
	if row.Equal || math.IsNaN(float64(row.Lo)) || math.IsInf(float64(row.Lo), 1) {
		return ""
	}
	return text.Span(changeOf(row.Lo), " to ", changeOf(row.Hi))
}

func marked(row *verdict.Row) string {
	if row.Doubt != "" {
		return string(row.Verdict) + ", " + row.Doubt
	}
	return string(row.Verdict)
}

func change(row *verdict.Row) string {
	if row.Equal {
		return "same"
	}
	return text.Change(float64(row.Ratio))
}

func changeOf(ratio verdict.Number) string {
	if math.IsInf(float64(ratio), 1) {
		return "+∞"
	}
	return text.Change(float64(ratio))
}

func percent[F ~float64](ratio F) string {
	if math.IsInf(float64(ratio), 1) {
		return "+∞"
	}
	if math.Abs(float64(ratio)-1) < 0.00005 {
		return "0 %"
	}
	return text.Change(float64(ratio))
}

func pText(p float64) string {
	if p > 0 && p < 0.0001 {
		return "<0.0001"
	}
	return fmt.Sprintf("%.4f", p)
}
