package trend

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/results"
)

// OrderBy sorts inputs by the value of a configuration line, such as the date of a commit, as
// numbers or times (RFC 3339, or git's format) if all are, otherwise as text. It labels each with
// the value. A result without the line, or with two values, is an error.
func OrderBy(inputs []results.Input, key string) ([]results.Input, error) {
	type dated struct {
		results.Input
		value string
	}
	all := make([]dated, len(inputs))
	values := make([]string, len(inputs))
	for i, in := range inputs {
		for j := range in.Results.Runs {
			run := &in.Results.Runs[j]
			v := run.ConfigValue(key)
			switch {
			case v == "":
				return nil, fmt.Errorf("%s: the run has no line %q above it to sort by",
					run.Pos, key+": …")
			case values[i] == "":
				values[i] = v
			case v != values[i]:
				return nil, fmt.Errorf("%s: %s is %s here and %s before: a result needs a single "+
					"place in the order", run.Pos, key, v, values[i])
			}
		}
		in.Label = values[i] + " (" + in.Label + ")"
		all[i] = dated{in, values[i]}
	}
	compare := order(values)
	slices.SortStableFunc(all, func(a, b dated) int { return compare(a.value, b.value) })
	sorted := make([]results.Input, len(all))
	for i := range all {
		sorted[i] = all[i].Input
	}
	return sorted, nil
}

func order(values []string) func(a, b string) int {
	numbers, times := make(map[string]float64), make(map[string]time.Time)
	allNumbers, allTimes := true, true
	for _, v := range values {
		n, err := strconv.ParseFloat(v, 64)
		numbers[v], allNumbers = n, allNumbers && err == nil && n == n
		at, ok := parseTime(v)
		times[v], allTimes = at, allTimes && ok
	}
	switch {
	case allNumbers:
		return func(a, b string) int { return cmp.Compare(numbers[a], numbers[b]) }
	case allTimes:
		return func(a, b string) int { return times[a].Compare(times[b]) }
	}
	return strings.Compare
}

func parseTime(text string) (time.Time, bool) {
	for _, layout := range []string{time.RFC3339, "2006-01-02 15:04:05 -0700",
		"2006-01-02 15:04:05", "2006-01-02", time.RFC1123Z, time.UnixDate,
		"Mon Jan 2 15:04:05 2006 -0700"} {
		if t, err := time.Parse(layout, text); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

// A change of the machine or toolchain may change the numbers.
func environmentChanges(inputs []results.Input) (lines []string) {
	for _, key := range []string{"goos", "goarch", "cpu", "gomaxprocs", "go"} {
		before := inputs[0].Results.Runs[0].ConfigValue(key)
		for i, in := range inputs[1:] {
			now := in.Results.Runs[0].ConfigValue(key)
			if now != before {
				lines = append(lines,
					fmt.Sprintf("%s is %s from result %d on, and was %s before: this may be the "+
						"cause of a change there", key, orNone(now), i+2, orNone(before)))
			}
			before = now
		}
	}
	return lines
}

// A benchmark may be missing, for example, after a change of the strategy.
func missingBenchmarks(inputs []results.Input) []string {
	var names, some []string
	in := make(map[string]int) // results that have it
	for _, input := range inputs {
		own := make(map[string]bool)
		for i := range input.Results.Runs {
			if name := input.Results.Runs[i].Qualified(); !own[name] {
				if own[name] = true; in[name] == 0 {
					names = append(names, name)
				}
				in[name]++
			}
		}
	}
	short, _ := results.ShortNames(names)
	for _, name := range names {
		if in[name] < len(inputs) {
			some = append(some, fmt.Sprintf("%s in %d", short[name], in[name]))
		}
	}
	if some == nil {
		return nil
	}
	return []string{fmt.Sprintf("%d of %s are not in all %d results (each name is a separate "+
		"series): %s", len(some), text.Count(len(names), "benchmark"), len(inputs),
		text.List(text.Truncate(some, 4)))}
}

func orNone(value string) string { return cmp.Or(value, "not said") }
