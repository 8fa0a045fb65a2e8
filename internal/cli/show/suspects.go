package show

import (
	"fmt"
	"slices"
	"strings"

	"github.com/poolbench/poolbench/internal/cli/execute"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/results"
)

const maxExplained = 20

// Suspects returns a warning with the number of SUSPECT scenarios and, for each check, a line with
// the reason of the first one. For more than maxExplained scenarios it only counts the checks. A
// scenario with an INVALID run is INVALID, as in the table. Its runs have been reported already.
func Suspects(records []execute.Record) (lines []string) {
	name := func(r execute.Record) string { return r.Name }
	scenarios := results.Gather(records, name)
	type found struct{ scenario, text string }
	var all []found
	doubted, invalid, overload := 0, 0, 0
	for _, runs := range scenarios {
		cell := cellOf(runs)
		switch d := cell.Doubts(); {
		case d == nil:
		case d.Verdict == results.Invalid:
			invalid++
		case cell.Overloaded():
			overload++
		default:
			doubted++
			for _, why := range d.Why {
				all = append(all, found{shortName(runs[0], records), why.Text})
			}
		}
	}
	if doubted == 0 {
		return nil
	}
	check := func(f found) string { return results.Doubt{Text: f.text}.Check() }
	checks := results.Gather(all, check)
	slices.SortStableFunc(checks, func(a, b []found) int { return len(b) - len(a) })
	head := fmt.Sprintf("%d of %s SUSPECT", doubted, text.Count(len(scenarios), "scenario"))
	if len(scenarios) > maxExplained {
		head += " (" + strings.Join(text.Texts(checks, func(c []found) string {
			return fmt.Sprintf("%s %d", check(c[0]), len(c))
		}), ", ") + ")"
		checks = nil
	}
	if invalid > 0 {
		head += fmt.Sprintf(", %d more INVALID", invalid)
	}
	if overload > 0 {
		head += fmt.Sprintf(", %d more unstable, as requested", overload)
	}
	lines = []string{head + "; the report and results.txt list them"}
	for _, c := range checks {
		line := c[0].scenario + ": " + c[0].text
		if more := len(c) - 1; more > 0 {
			line += fmt.Sprintf("; and %d more", more)
		}
		lines = append(lines, line)
	}
	return lines
}

// shortName distinguishes the run's scenario from the others by its strategy and the axes in which
// they differ.
func shortName(r execute.Record, of []execute.Record) string {
	var differ []results.Pair
	for _, k := range r.Keys {
		if k.Key != "strategy" && slices.ContainsFunc(of, func(other execute.Record) bool {
			return other.Key(k.Key) != k.Value
		}) {
			differ = append(differ, k)
		}
	}
	words := results.Words(differ)
	if strategy := r.Key("strategy"); strategy != "" {
		words = append([]string{results.Readable(strategy)}, words...)
	}
	if target := results.Readable(r.Key("target")); len(words) == 0 && target != "" {
		return target // target of an attack
	}
	if len(words) == 0 {
		return r.Name
	}
	return strings.Join(words, ", ")
}
