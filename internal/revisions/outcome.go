package revisions

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/poolbench/poolbench/internal/judge"
	"github.com/poolbench/poolbench/reports"
)

// An Outcome is what a gate found.
type Outcome struct {
	Report *reports.GateReport
	Pairs  []reports.GatePairs // of each row of the report, in its order, and then of the controls
}

// conclude judges the second stage.
func (g *gate) conclude(s *screening) (*Outcome, error) {
	o := &Outcome{Report: s.report}
	r := s.report
	for _, f := range s.families {
		decided, err := f.decide()
		if err != nil {
			return nil, err
		}
		r.Tests += decided.Tests
		r.Warnings = append(r.Warnings, decided.Warnings...)
		for _, row := range decided.Rows {
			r.Rows = append(r.Rows, g.row(row))
		}
	}
	severity := []reports.Verdict{reports.Worse, reports.Inconclusive, reports.Better, reports.NoWorse}
	slices.SortStableFunc(r.Rows, func(a, b reports.GateRow) int {
		return cmp.Compare(slices.Index(severity, a.Verdict), slices.Index(severity, b.Verdict))
	})
	for _, row := range r.Rows {
		o.Pairs = append(o.Pairs, g.pairs(g.results, row))
	}
	if err := g.checkControls(o, s); err != nil {
		return nil, err
	}
	if len(r.Rows) == 0 {
		r.Faults = append(r.Faults, "nothing is left to gate")
	}
	r.Warnings = append(r.Warnings, g.remarks(s)...)
	r.Spent = &reports.GateTime{Whole: time.Since(g.begun), Measuring: g.measuring}
	return o, nil
}

// decide ends a family with its fresh pairs.
func (f *family) decide() (*judge.Report, error) {
	return f.screened.Decide(f.samples(true))
}

// row is judge's in the words of reports.
func (g *gate) row(row judge.Row) reports.GateRow {
	i := slices.IndexFunc(g.plan.Benchmarks, func(b benchmark) bool { return b.String() == row.Benchmark })
	return reportRow(row, g.plan.Benchmarks[i])
}

func reportRow(row judge.Row, b benchmark) reports.GateRow {
	out := reports.GateRow{
		Benchmark: shown(b), Package: b.Package, Metric: row.Unit, Better: int(row.Better),
		Verdict: reports.Verdict(row.Verdict), Reason: row.Reason, Test: row.Test,
		OldN: row.N, NewN: row.N, Old: row.Base, New: row.Head,
		PWorse: row.PWorse, PBetter: row.PBetter, PWorseHolm: row.PWorseHolm, PBetterHolm: row.PBetterHolm,
		Detectable: judge.DetectableRatio(row.Detectable, row.Better) - 1,
	}
	out.Ratio, out.Lo, out.Hi = row.Ratio(row.Better)
	return out
}

// pairs are all of a row, those of the screening included.
func (g *gate) pairs(j *journal, row reports.GateRow) reports.GatePairs {
	kept := j.kept[row.Package+".Benchmark"+row.Benchmark]
	p := reports.GatePairs{Row: row, Screened: g.Judge.ScreenPairs, Margin: g.Judge.Margin}
	if row.Metric == Instructions {
		p.Margin = countedOptions(g.Judge).Margin
	}
	for pair := range len(kept) {
		runs := kept[pair]
		p.Old, p.New = append(p.Old, runs[base].tidy[row.Metric]), append(p.New, runs[head].tidy[row.Metric])
	}
	return p
}

// checkControls holds the controls to what is known of them.
func (g *gate) checkControls(o *Outcome, s *screening) error {
	r := o.Report
	var rows [2]reports.GateRow
	for i, f := range s.controls {
		decided, err := f.decide()
		if err != nil {
			return err
		}
		rows[i] = reportRow(decided.Rows[0], controls[i])
		o.Pairs = append(o.Pairs, g.pairs(g.controls, rows[i]))
	}
	same, slower := rows[0], rows[1]
	found := func(row reports.GateRow) string {
		return fmt.Sprintf("%s (%+.1f%% in %d pairs)", row.Verdict, 100*(row.Ratio-1), row.NewN)
	}
	failed := false
	if same.Verdict == reports.Worse {
		failed = true
		r.Faults = append(r.Faults, fmt.Sprintf("untrusted: the same work, measured as if it were two revisions, was found %s", found(same)))
	}
	if slower.Verdict != reports.Worse {
		failed = true
		r.Faults = append(r.Faults, fmt.Sprintf("untrusted: %.4g%% more work should be found worse, and was found %s", 100*ControlSlowdown, found(slower)))
	}
	if !failed {
		as := "as they must"
		if same.Verdict == reports.Inconclusive {
			as = "so that the machine is too noisy for more than the latter"
		}
		r.Warnings = append(r.Warnings, fmt.Sprintf("controls: the same work twice was %s, %.4g%% more work %s, %s", found(same), 100*ControlSlowdown, found(slower), as))
	}
	return nil
}

// remarks are what a reader should know beside the numbers.
func (g *gate) remarks(s *screening) []string {
	turns, own := "", ""
	if g.plan.Layouts > 1 {
		turns, own = fmt.Sprintf(", with %d test binaries of each side in turns", g.plan.Layouts), ", each with test binaries of its own"
	}
	lines := []string{fmt.Sprintf("%d pairs screen every benchmark%s, and may miss what is less than the row's detectable change", g.Judge.ScreenPairs, turns)}
	if first, all := s.fresh(); all > 0 {
		lines[0] += fmt.Sprintf("; those that look worse or scatter too much are decided by %d fresh pairs alone%s", all, own)
		if first < all {
			lines[0] += fmt.Sprintf("; %d of them do where it looks the same by then", first)
		}
	}
	if slices.ContainsFunc(g.plan.Benchmarks, func(b benchmark) bool { return b.Parts > 1 }) {
		lines = append(lines, fmt.Sprintf("a run is up to %d processes, and its time that of the faster half of them", mostParts))
	}
	lines = append(lines, g.notes...)
	counted := slices.ContainsFunc(s.families, func(f *family) bool { return f.metrics[0].Unit == Instructions })
	if counted {
		lines = append(lines, fmt.Sprintf("%s is a family of its own, with a margin of %.4g%%", Instructions, 100*countedOptions(g.Judge).Margin))
	} else {
		lines = append(lines, Instructions+" is not there: this system does not count them, or the runs are too short")
	}
	if worst := g.worstSteal(); worst > stealWorthSaying {
		lines = append(lines, fmt.Sprintf("in the worst pair the host gave %.0f%% of the processors' time to other machines", 100*worst))
	}
	return lines
}

// stealWorthSaying is the share of stolen time from which a reader should know.
const stealWorthSaying = 0.05

func (g *gate) worstSteal() (worst float64) {
	for _, pairs := range g.results.kept {
		for _, runs := range pairs {
			worst = max(worst, runs[base].tidy[Steal])
		}
	}
	return worst
}
