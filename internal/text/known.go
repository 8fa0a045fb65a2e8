package text

import (
	"fmt"
	"strings"
)

// Known ends a message about an unknown name: "(known: a, b)", preceded by the most similar name,
// if any. Next to that name, a long list would only hide it.
func Known(name string, known []string) string {
	all := "known: " + strings.Join(known, ", ")
	best, least := "", max(1, len(name)/3)+1
	for _, k := range known {
		if d := edits(name, k); d < least {
			best, least = k, d
		}
	}
	switch {
	case best != "" && len(known) > 12:
		return "(did you mean " + best + "?)"
	case best != "":
		return fmt.Sprintf("(did you mean %s? %s)", best, all)
	}
	return "(" + all + ")"
}

// edits returns the optimal string alignment distance in bytes: insertions, removals, replacements
// and swaps of neighbours.
func edits(a, b string) int {
	var before []int // the row before last
	last := make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range len(a) {
		row := make([]int, len(b)+1)
		row[0] = i + 1
		for j := range len(b) {
			replace := last[j]
			if a[i] != b[j] {
				replace++
			}
			row[j+1] = min(last[j+1]+1, row[j]+1, replace)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last = last, row
	}
	return last[len(b)]
}
