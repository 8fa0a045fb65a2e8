package measure

import (
	"fmt"
	"slices"
	"time"

	"github.com/poolbench/poolbench/internal/gate/judge"
	"github.com/poolbench/poolbench/internal/gate/verdict"
	"github.com/poolbench/poolbench/internal/text"
)

func (g *gate) report() *verdict.Report {
	return &verdict.Report{Old: g.plan.Base.String(), New: g.plan.Head.String(),
		Options: verdict.Options{
			Margin: g.rule().Margin, Promise: g.rule().Promise, Alpha: g.rule().Alpha,
			Metrics: g.Metrics, Allow: g.Allow, FailOnRemoved: g.FailOnRemoved},
		Added: g.plan.Added, Removed: g.plan.Removed}
}

func (g *gate) spent() *verdict.Elapsed {
	return &verdict.Elapsed{Whole: time.Since(g.begun).Seconds(), Measuring: g.measuring.Seconds()}
}

func (g *gate) conclude(s *screening) (*verdict.Report, error) {
	r := s.report
	for _, f := range s.families {
		if err := f.decide(r); err != nil {
			return nil, err
		}
	}
	r.WarnOfAllowances()
	if g.hopeless != "" {
		r.Unclear = append(r.Unclear, fmt.Sprintf("%s; %s, and times are undecided", g.hopeless,
			allocationsFound(r)))
		r.Warnings, r.Spent = append(r.Warnings, g.notes...), g.spent()
		return r, nil
	}
	controls, err := g.checkControls(s)
	if err != nil {
		return nil, err
	}
	for i := range r.Rows {
		row := &r.Rows[i]
		if row.Undecided {
			row.Reason += "; " + g.decideWith(row.Needs, g.number(row.Package, row.Benchmark))
		}
		r.Pairs = append(r.Pairs, g.pairs(g.results, *row))
	}
	r.Pairs = append(r.Pairs, controls...)
	r.Warnings = append(r.Warnings, g.remarks(s)...)
	r.Spent = g.spent()
	return r, nil
}

func allocationsFound(r *verdict.Report) string {
	switch {
	case r.Count(verdict.Worse) > 0:
		return "allocations are worse"
	case r.Count(verdict.Inconclusive) > 0:
		return "allocations are inconclusive"
	case len(r.Rows) == 0:
		return "allocations were not counted"
	}
	return "allocations are no worse"
}

func (f *family) decide(r *verdict.Report) error {
	decided, err := f.screened.Decide(f.samples(true))
	if err == nil {
		decided.AddTo(r)
	}
	return err
}

func (g *gate) number(pkg, shown string) int {
	return slices.IndexFunc(g.plan.Benchmarks, func(b benchmark) bool {
		return b.Package == pkg && b.Name == "Benchmark"+shown
	})
}

func (g *gate) pairs(j *journal, row verdict.Row) verdict.Pairs {
	p := verdict.Pairs{Row: row, Screened: g.Judge.ScreenPairs, Margin: g.rule().Margin}
	if row.Metric == Instructions {
		p.Margin = g.countedRule().Margin
	}
	for _, runs := range j.readings(row.Package, row.Benchmark) {
		p.Old, p.New = append(p.Old, runs[base].tidy[row.Metric]),
			append(p.New, runs[head].tidy[row.Metric])
	}
	return p
}

// If a control fails, only verdicts on allocations remain.
func (g *gate) checkControls(s *screening) (pairs []verdict.Pairs, err error) {
	r := s.report
	var rows [2]verdict.Row
	for i, f := range s.controls {
		var control verdict.Report
		if err := f.decide(&control); err != nil {
			return nil, err
		}
		rows[i] = control.Rows[0]
		pairs = append(pairs, g.pairs(g.controls, rows[i]))
	}
	same, slower := rows[0], rows[1]
	found := func(row verdict.Row) string {
		return fmt.Sprintf("%s (%s in %d pairs)", row.Verdict, text.Change(float64(row.Ratio)),
			row.New.N)
	}
	var failed []string
	if same.Verdict == verdict.Worse || same.Verdict == verdict.Better {
		failed = append(failed, fmt.Sprintf("not reliable: the control with the same work on "+
			"both sides was %s", found(same)))
	}
	switch slower.Verdict {
	case verdict.Worse:
	case verdict.Inconclusive:
		failed = append(failed, fmt.Sprintf("the machine was too busy: the control with %.4g%% more "+
			"work should be worse, but was %s", 100*ControlSlowdown, found(slower)))
	default:
		failed = append(failed, fmt.Sprintf("not reliable: the control with %.4g%% more work "+
			"should be worse, but was %s", 100*ControlSlowdown, found(slower)))
	}
	if failed != nil {
		if slices.ContainsFunc(r.Rows, func(row verdict.Row) bool {
			return verdict.IsAllocation(row.Metric) && row.Verdict == verdict.Worse
		}) {
			r.Unclear = append(r.Unclear, failed...)
		} else {
			r.Faults = append(r.Faults, failed...)
		}
		r.Distrust("a control failed")
	} else {
		as := "as expected"
		if same.Verdict == verdict.Inconclusive {
			as = "because the machine is too noisy to show that the same work is no worse"
		}
		r.Warnings = append(r.Warnings,
			fmt.Sprintf("controls: the same work twice was %s, %.4g%% more work %s, %s",
				found(same), 100*ControlSlowdown, found(slower), as))
	}
	return pairs, nil
}

func (g *gate) remarks(s *screening) []string {
	turns, own := "", ""
	if g.plan.Layouts > 1 {
		turns, own = fmt.Sprintf(", alternating between %d test binaries of each side", g.plan.Layouts),
			", each with its own test binaries"
	}
	lines := []string{fmt.Sprintf("%d pairs screen every benchmark%s; they may miss a change "+
		"smaller than the detectable change of the row", g.Judge.ScreenPairs, turns)}
	if first, all := s.fresh(); all > 0 {
		lines[0] += fmt.Sprintf("; %d fresh pairs%s decide benchmarks that look worse or vary "+
			"too much, up to %d pairs if they are noisy", all, own, judge.MaxFresh(all))
		if first < all {
			lines[0] += "; fewer pairs are enough if a benchmark looks the same"
		}
	}
	if slices.ContainsFunc(g.plan.Benchmarks, func(b benchmark) bool { return b.Parts > 1 }) {
		lines = append(lines,
			fmt.Sprintf("a run is up to %d processes, and its time comes from the faster half",
				maxParts))
	}
	lines = append(lines, g.notes...)
	counted := slices.ContainsFunc(s.families, func(f *family) bool {
		return f.metrics[0].Unit == Instructions
	})
	if counted {
		lines = append(lines, fmt.Sprintf("%s are tested separately, with a margin of %.4g%%",
			Instructions, 100*g.countedRule().Margin))
	} else {
		lines = append(lines,
			Instructions+" are missing: this system does not count them, or the runs are too short")
	}
	if worst := g.worstSteal(); worst > stealWorthSaying {
		lines = append(lines,
			fmt.Sprintf("in the worst pair the host gave %.0f%% of the processors' time to other "+
				"machines", 100*worst))
	}
	return lines
}

const stealWorthSaying = 0.05

func (g *gate) worstSteal() (worst float64) {
	for _, pairs := range g.results.kept {
		for _, runs := range pairs {
			worst = max(worst, runs[base].tidy[Steal])
		}
	}
	return worst
}
