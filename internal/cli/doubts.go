package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/strategies"
)

// mostDoubts is how many scenarios are called suspect one by one; results.txt and the report have
// all of them.
const mostDoubts = 12

// invalid says, a line each, why a result is not to be believed; nothing where it is.
func invalid(r *bench.Result) (lines []string) {
	why := slices.Clone(r.Broken)
	for _, reason := range r.Reasons {
		if reason.Verdict == bench.Invalid && !slices.Contains(why, reason.Text) {
			// a broken law is a reason, too
			why = append(why, reason.String())
		}
	}
	for _, w := range why {
		lines = append(lines, fmt.Sprintf("%s (seed %d) is not to be believed: %s",
			r.Name, r.Seed, w))
	}
	return lines
}

// suspects says, a line for each scenario, which results have something in them that is not the
// strategy's.
func suspects(records []record) (lines []string) {
	type doubted struct {
		runs, suspect int
		why           []string // by check, the first one of each
		checks        []string
	}
	of := map[string]*doubted{}
	var names []string
	for _, rec := range records {
		d := of[rec.result.Name]
		if d == nil {
			d = &doubted{}
			of[rec.result.Name] = d
			names = append(names, rec.result.Name)
		}
		d.runs++
		if rec.result.Verdict == bench.Suspect {
			d.suspect++
		}
		for _, reason := range rec.result.Reasons {
			if reason.Verdict == bench.Suspect && !slices.Contains(d.checks, reason.Check) {
				d.checks, d.why = append(d.checks, reason.Check), append(d.why, reason.String())
			}
		}
	}
	for _, name := range names {
		d := of[name]
		if d.suspect == 0 {
			continue
		}
		which := ""
		if d.runs > 1 {
			which = fmt.Sprintf(" (%d of %d runs)", d.suspect, d.runs)
		}
		lines = append(lines,
			fmt.Sprintf("%s%s is suspect: %s", name, which, strings.Join(d.why, "; ")))
	}
	if more := len(lines) - mostDoubts; more > 1 {
		lines = append(lines[:mostDoubts],
			fmt.Sprintf("%d more scenarios are suspect; the report and results.txt say why", more))
	}
	return lines
}

// showDoubts warns of suspect results, and of what is measured well and may not be what was meant.
func (a *app) showDoubts(e *execution) { a.warn(append(ownRates(e.plan), suspects(e.records)...)) }

// ownRates names the strategies that start tasks at the rate that is their default, before a target
// that has a rate as well: they know nothing of it.
func ownRates(p plan) (lines []string) {
	for _, section := range p {
		if section.study != nil {
			continue
		}
		for _, sc := range section.suite.Scenarios {
			s := sc.Strategy
			if s.Spec.Starts == nil || !sc.Target.Spec.RateLimits ||
				strings.Contains(s.Values.Canonical(), "rate=") {
				continue
			}
			starts := s.Spec.Starts(strategies.Params{Limit: sc.Limit, Queue: sc.Queue,
				Values: s.Values}).PerSecond
			line := fmt.Sprintf("strategy %s starts up to %v tasks per second, its default: it "+
				"does not follow the rate of target %s; give it one, as in %s:rate=%v",
				s, starts, sc.Target, s.Spec.Name, starts/10)
			if !slices.Contains(lines, line) {
				lines = append(lines, line)
			}
		}
	}
	return lines
}

// warn prints what a reader should know of results that are there.
func (a *app) warn(lines []string) {
	for _, line := range lines {
		fmt.Fprintf(a.stderr, "poolbench: warning: %s\n", line)
	}
}
