package page

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestListed(t *testing.T) {
	const indent = "  not looked at: "
	for size := 1; size < 30; size++ {
		var list []string
		for i := range size {
			list = append(list, fmt.Sprintf("partitioned_all_at_once_%d: wants a class of each task, and "+
				"the workload has %d", i, i))
		}
		for most := 2; most < 6; most++ {
			lines := listedWithin(indent, list, most)
			text := strings.Join(strings.Fields(strings.Join(lines, " ")), " ")
			shown := strings.Split(strings.TrimPrefix(text, strings.TrimSpace(indent)+" "), "; ")
			var left int
			if _, err := fmt.Sscanf(shown[len(shown)-1], "and %d more", &left); err == nil {
				shown = shown[:len(shown)-1]
			}
			if len(lines) > most || len(shown)+left != size ||
				!slices.Equal(shown, list[:len(shown)]) ||
				slices.ContainsFunc(lines, func(l string) bool { return len(l) > width }) {
				t.Errorf("%d in %d lines:\n%s", size, most, strings.Join(lines, "\n"))
			}
		}
	}
}

func TestWrappedCuts(t *testing.T) {
	for shift := range width {
		first := strings.Repeat("x", shift+1)
		text := first + strings.Repeat(" partitioned all at once", 20)
		for most := 1; most < 4; most++ {
			lines := wrapped("  ", text, most)
			if len(lines) != most || !strings.HasSuffix(lines[most-1], "…") {
				t.Errorf("%q", lines)
			}
			words := strings.Fields(strings.Join(lines, " "))
			if whole := strings.Fields(text); len(first) <= width-4 &&
				!slices.Equal(words[:len(words)-1], whole[:len(words)-1]) {
				t.Errorf("a word is cut: %q", lines)
			}
			for _, l := range lines {
				if n := len([]rune(l)); n > width {
					t.Errorf("%d columns: %q", n, l)
				}
			}
		}
	}
}
