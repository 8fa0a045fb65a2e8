package reports

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"golang.org/x/perf/benchunit"
)

// gateColumns are the heads of a gate's table.
var gateColumns = []struct {
	head  string
	align alignment
}{
	{"verdict", left}, {"benchmark", left}, {"metric", left}, {"old", right}, {"new", right}, {"change", right}, {"interval", left},
	{"n", right}, {"p", right}, {"p adj.", right}, {"detectable", right},
}

// WriteGateText writes a gate's report as aligned text: the outcome, a row per verdict with the worst first, what is
// not gated and why, and what else a reader should know.
//
// "change" is the Hodges–Lehmann estimate and "interval" its interval; the p-values are those of the test for the
// worse, or of that for the better in a row that is better; "detectable" is the smallest change for the worse that
// would have been found.
func WriteGateText(w io.Writer, r *GateReport) error {
	short, shared := shortNames(r.names())
	head := r.summary()
	if shared != "" {
		head = append(head, sharedLine(shared))
	}
	if err := writeLines(w, append(head, "")); err != nil {
		return err
	}
	if len(r.Rows) > 0 {
		var a aligned
		a.row()
		for i, c := range gateColumns {
			a.cell(i, 1, c.align, gateMargin(i), c.head)
		}
		for i := range r.Rows {
			a.row()
			for col, text := range r.Rows[i].columns(short) {
				a.cell(col, 1, gateColumns[col].align, gateMargin(col), text)
			}
			if reason := r.Rows[i].Reason; reason != "" {
				a.cell(len(gateColumns), 1, left, "  ", reason)
			}
		}
		if err := a.writeTo(w); err != nil {
			return err
		}
		if err := writeLines(w, []string{""}); err != nil {
			return err
		}
	}
	return writeLines(w, append(r.remarks(), r.outcome()))
}

func gateMargin(column int) string {
	if column == 0 {
		return ""
	}
	return "  "
}

// summary says what was compared, how it went, and by what rules.
func (r *GateReport) summary() []string {
	lines := []string{
		r.New + " against " + r.Old,
		fmt.Sprintf("%s gated: %d worse, %d inconclusive, %d better, %d no worse",
			count(len(r.Rows), "metric"), r.Count(Worse), r.Count(Inconclusive), r.Count(Better), r.Count(NoWorse)),
		fmt.Sprintf("margin %.4g%%, promise %.4g%%, alpha %.4g over %s",
			100*r.Options.Margin, 100*r.Options.Promise, r.Options.Alpha, count(r.Tests, "test")),
	}
	if spent := r.Spent; spent != nil {
		lines = append(lines, fmt.Sprintf("it took %v, of which %v measuring", spent.Whole.Round(time.Second), spent.Measuring.Round(time.Second)))
	}
	return lines
}

// outcome is the verdict of the whole in a line.
func (r *GateReport) outcome() string {
	switch code := r.ExitCode(); code {
	case ExitFault:
		return "gate: cannot judge"
	case ExitRegression:
		return "gate: worse"
	case ExitUndecidable:
		return "gate: inconclusive"
	default:
		return "gate: pass"
	}
}

// remarks are all lines beside the table.
func (r *GateReport) remarks() []string {
	var lines []string
	for _, text := range r.Faults {
		lines = append(lines, "cannot judge: "+text)
	}
	for _, text := range r.Unclear {
		lines = append(lines, "unclear: "+text)
	}
	lines = append(lines, r.notGatedLines()...)
	for _, text := range r.Warnings {
		lines = append(lines, "note: "+text)
	}
	return lines
}

// notGatedLines gives a line for each reason, with the changes of the medians that it hides.
func (r *GateReport) notGatedLines() []string {
	var reasons []string
	metrics := make(map[string][]string)      // by reason
	changes := make(map[[2]string][2]float64) // least and greatest, by reason and metric
	for _, g := range r.NotGated {
		if !slices.Contains(reasons, g.Reason) {
			reasons = append(reasons, g.Reason)
		}
		key := [2]string{g.Reason, g.Metric}
		extent, seen := changes[key]
		if !seen {
			metrics[g.Reason] = append(metrics[g.Reason], g.Metric)
			extent = [2]float64{math.Inf(1), math.Inf(-1)}
		}
		if !math.IsNaN(g.Ratio) {
			extent = [2]float64{min(extent[0], g.Ratio), max(extent[1], g.Ratio)}
		}
		changes[key] = extent
	}
	var lines []string
	for _, reason := range reasons {
		var list []string
		for _, metric := range metrics[reason] {
			switch extent := changes[[2]string{reason, metric}]; {
			case extent[0] > extent[1]: // one side lacks it
				list = append(list, metric)
			case percent(extent[0]) == percent(extent[1]):
				list = append(list, fmt.Sprintf("%s (%s)", metric, percent(extent[0])))
			default:
				list = append(list, fmt.Sprintf("%s (%s to %s)", metric, percent(extent[0]), percent(extent[1])))
			}
		}
		lines = append(lines, fmt.Sprintf("not gated, %s: %s", reason, strings.Join(list, ", ")))
	}
	return lines
}

func (r *GateReport) names() []string {
	names := make([]string, len(r.Rows))
	for i, row := range r.Rows {
		names[i] = row.Benchmark
	}
	return names
}

// columns gives the row's texts in the order of gateColumns.
func (row *GateRow) columns(short map[string]string) []string {
	scaler := benchunit.CommonScale([]float64{row.Old, row.New}, benchunit.ClassOf(row.Metric))
	old, now := scaler.Format(row.Old), scaler.Format(row.New)
	change := percent(row.Ratio)
	if math.IsInf(row.Ratio, 1) {
		change = "0 → " + now
	}
	interval := "–"
	if !math.IsInf(row.Lo, 1) && (row.Lo > 0 || !math.IsInf(row.Hi, 1)) {
		interval = percent(row.Lo) + " to " + percent(row.Hi)
	}
	n := fmt.Sprint(row.OldN)
	if row.Paired() {
		n = count(row.OldN, "pair")
	} else if row.OldN != row.NewN {
		n = fmt.Sprintf("%d+%d", row.OldN, row.NewN)
	}
	p, adjusted := row.PWorse, row.PWorseHolm
	if row.Verdict == Better {
		p, adjusted = row.PBetter, row.PBetterHolm
	}
	detectable := "–"
	if !math.IsNaN(row.Detectable) {
		detectable = percent(1 + row.Detectable)
	}
	name := short[row.Benchmark]
	if row.Package != "" {
		name = row.Package + "." + name
	}
	return []string{string(row.Verdict), name, row.Metric, old, now, change, interval, n, pText(p), pText(adjusted), detectable}
}

// percent shows a ratio as a change.
func percent(ratio float64) string {
	if math.IsInf(ratio, 1) {
		return "+∞"
	}
	text := fmt.Sprintf("%+.1f%%", 100*(ratio-1))
	if text == "-0.0%" || text == "+0.0%" {
		return "0.0%"
	}
	return text
}

func pText(p float64) string {
	if p > 0 && p < 0.0001 {
		return "<0.0001"
	}
	return fmt.Sprintf("%.4f", p)
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
