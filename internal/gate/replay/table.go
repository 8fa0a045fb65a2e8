package main

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// writeTable writes a line for each goal, and how many are reached.
func writeTable(w io.Writer, goals []goal) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "goal\twhat\twanted\tgot\t\tverdict")
	count := 0
	for _, g := range goals {
		relation := "≤"
		if g.least {
			relation = "≥"
		}
		verdict := "missed"
		if g.reached() {
			verdict = "reached"
			count++
		}
		if g.noPromise {
			verdict += " (no promise)"
		}
		basis := g.basis
		if g.of > 0 {
			basis = fmt.Sprintf("%d of %d", g.hits, g.of)
		}
		fmt.Fprintf(t, "%s\t%s\t%s %.3g %s\t%.2f %s\t%s\t%s\n", g.id, g.what, relation, g.wanted,
			g.unit, g.got, g.unit, basis, verdict)
	}
	fmt.Fprintf(t, "%d of %d goals reached\n", count, len(goals))
	return t.Flush()
}
