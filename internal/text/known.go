package text

import (
	"fmt"
	"strings"
)

// maxKnown is the length of the longest list that is printed next to a similar name. A longer list
// would only hide the name.
const maxKnown = 12

// Known ends a message about an unknown name: "(known: a, b)", preceded by the most similar name,
// if any.
func Known(name string, known []string) string {
	all := "known: " + strings.Join(known, ", ")
	best := Similar(name, known)
	switch {
	case best != "" && len(known) > maxKnown:
		return "(did you mean " + best + "?)"
	case best != "":
		return fmt.Sprintf("(did you mean %s? %s)", best, all)
	}
	return "(" + all + ")"
}

// Similar returns the known name that is most similar to name, or "". The case of letters, and
// dashes instead of underscores, make no difference. Different ends, such as strategy and
// strategies, count as similar.
func Similar(name string, known []string) (best string) {
	least := 0
	spelt := respell(name)
	for _, k := range known {
		d := edits(spelt, respell(k))
		near := d <= max(1, len(name)/3) ||
			d <= max(len(name), len(k))/2 && 3*prefix(spelt, respell(k)) >= 2*len(name)
		if near && (best == "" || d < least) {
			best, least = k, d
		}
	}
	return best
}

// prefix returns the length of the common prefix.
func prefix(a, b string) (n int) {
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

func respell(name string) string {
	return strings.ToLower(strings.ReplaceAll(name, "-", "_"))
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
