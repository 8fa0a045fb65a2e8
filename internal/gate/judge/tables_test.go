package judge_test

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/poolbench/poolbench/internal/gate/judge"
)

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

func (r *replayer) writeUnpaired(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	shares := func(counts [2]int, of int) {
		fmt.Fprintf(t, "\t%.1f → %.1f", 100*float64(counts[byRank])/float64(of),
			100*float64(counts[byGate])/float64(of))
	}
	fmt.Fprintf(t, "Unchanged code called worse, %% of %d gates of %d benchmarks: rank test → "+
		"gate\n", r.gates, benchmarks)
	fmt.Fprint(t, "base\thead")
	for _, of := range shapes {
		fmt.Fprintf(t, "\t%s\tmargin 0", of.name)
	}
	fmt.Fprintln(t)
	bare := r.options
	bare.Margin = 0
	for _, sides := range unequal {
		fmt.Fprintf(t, "%v\t%v", sides[0], sides[1])
		for _, of := range shapes {
			for _, o := range []judge.Options{r.options, bare} {
				shares(r.alarms(o, of, sides), r.gates)
			}
		}
		fmt.Fprintln(t)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(t, "\n%d standard errors beyond the margin found, %% of %d comparisons, each one "+
		"of %d tests: rank test → gate\n", worsening, r.comparisons(), benchmarks)
	fmt.Fprint(t, "base\thead")
	for _, of := range shapes {
		fmt.Fprintf(t, "\t%s", of.name)
	}
	fmt.Fprintln(t, "\tmost of any test of log-normal noise that needs no margin to keep its "+
		"level at every ratio of spreads")
	for _, sides := range equal {
		fmt.Fprintf(t, "%v\t%v", sides[0], sides[1])
		for _, of := range shapes {
			shares(r.found(of, sides), r.comparisons())
		}
		fmt.Fprintf(t, "\t%.0f\n", 100*r.bound(sides))
	}
	return t.Flush()
}
