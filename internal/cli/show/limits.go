package show

import (
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/results"
	"github.com/poolbench/poolbench/strategies"
)

// unlimited returns the strategies of the rows that ignore the limit.
func unlimited(rows []Row) (names []string) {
	for _, r := range rows {
		if len(r.Cell) == 0 {
			continue
		}
		name := results.Readable(r.Cell[0].Key("strategy"))
		if v, err := strategies.Parse(name); err == nil && v.Spec.Bound == nil {
			names = append(names, name)
		}
	}
	return text.Distinct(names)
}

// withoutIdleLimit omits the limit if no strategy has one.
func withoutIdleLimit(keys []results.Pair, rows []Row) []results.Pair {
	if len(unlimited(rows)) == len(rows) {
		return results.Without(keys, "limit")
	}
	return keys
}

// limitNotes explains the strategies that ignore the limit, if the runs have one.
func limitNotes(keys []results.Pair, rows []Row) []string {
	names := unlimited(rows)
	if len(names) == 0 || results.Lookup(keys, "limit") == "" {
		return nil
	}
	note := text.List(names) + " has no limit"
	if len(names) > 1 {
		note = text.List(names) + " have no limit"
	}
	if results.Lookup(keys, "load") != "" {
		note += ": --limit only defines the load"
	}
	for _, name := range names {
		limited := name + "_limit"
		if _, err := strategies.Lookup(limited); err == nil {
			note += "; " + limited + " has one"
		}
	}
	return []string{note}
}
