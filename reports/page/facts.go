package page

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/rundir"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/results"
)

var configOrder = []results.Pair{
	{Key: "cpu", Value: "CPU"}, {Key: "gomaxprocs", Value: "GOMAXPROCS"},
	{Key: "goos", Value: "system"}, {Key: "goarch", Value: "architecture"},
	{Key: "go", Value: "Go"}, {Key: "commit", Value: "commit"}, {Key: "pkg", Value: "package"},
}

func facts(in *reportInput) (out []results.Pair) {
	runs := in.results.Runs
	named := slices.Clone(configOrder)
	for i := range runs {
		for _, c := range runs[i].Config {
			if !slices.ContainsFunc(named, func(p results.Pair) bool { return p.Key == c.Key }) {
				named = append(named, results.Pair{Key: c.Key, Value: c.Key})
			}
		}
	}
	for _, n := range named {
		var values []string
		for i := range runs {
			if v := runs[i].ConfigValue(n.Key); v != "" && !slices.Contains(values, v) {
				values = append(values, v)
			}
		}
		if len(values) > 0 {
			out = append(out, results.Pair{Key: n.Value, Value: strings.Join(values, ", ")})
		}
	}
	if !in.written.IsZero() {
		out = append(out, results.Pair{Key: rundir.ResultsFile + " written",
			Value: in.written.UTC().Format("2006-01-02 15:04") + " UTC"})
	}
	return out
}

func intervals(cells []*Cell) string {
	least, most := len(cells[0].Cell), 0
	for _, c := range cells {
		least, most = min(least, len(c.Cell)), max(most, len(c.Cell))
	}
	switch {
	case most == 1:
		return "Each scenario was run once, so the variation is unknown. Use --count " +
			"for repetitions."
	case most < results.Enough:
		return fmt.Sprintf("Values are medians of %s repetitions. The small numbers below a "+
			"value are the smallest and the largest repetition.", rangeOfCounts(least, most))
	case least >= results.Enough:
		return fmt.Sprintf("Values are medians of %s repetitions. The small numbers below a "+
			"value are its 95 %% confidence interval.", rangeOfCounts(least, most))
	}
	return fmt.Sprintf("Values are medians of %s repetitions. The small numbers below a value "+
		"are its 95 %% confidence interval or, with fewer than %d repetitions, the smallest and "+
		"the largest repetition.",
		rangeOfCounts(least, most), results.Enough)
}

func rangeOfCounts(least, most int) string {
	if least == most {
		return fmt.Sprint(most)
	}
	return fmt.Sprintf("%d to %d", least, most)
}

func trust(runs []results.Run, cells []*Cell, broken int) (out []string) {
	laws, oracle, equal, late := 0, 0, 0, 0
	var unexplained []string
	worst, lag := 0.0, 0.0
	for i := range runs {
		if _, ok := runs[i].Value(metric.BrokenLaws); ok {
			laws++
		}
		if v, ok := runs[i].Value(metric.P99Lag); ok {
			late, lag = late+1, max(lag, v)
		}
		v, ok := runs[i].Value(metric.OracleMaxDiff)
		if !ok {
			continue
		}
		oracle++
		worst = max(worst, v)
		if v == 0 {
			equal++
		} else if name := runs[i].Key("strategy"); runs[i].Key("clock") == "virtual" &&
			!slices.Contains(unexplained, name) {
			unexplained = append(unexplained, name)
		}
	}
	if laws > 0 && broken == 0 {
		out = append(out, fmt.Sprintf("The invariants hold in %s: each task ended once, "+
			"a strategy's bound on simultaneous attempts was never exceeded, "+
			"and Little's law and the utilisation law are exact.", allOf(laws, len(runs))))
	}
	replayed := fmt.Sprintf("An exact replay of a run's own arrivals and service times (the "+
		"oracle) is possible for %d of %d runs. It agrees to the nanosecond with ",
		oracle, len(runs))
	switch {
	case oracle == 0:
	case equal == oracle:
		out = append(out, replayed+"each of these.")
	default:
		out = append(out, fmt.Sprintf("%s%d. In the others a wait differs by at most %s. Under "+
			"the real clock this is the strategy's overhead.", replayed, equal,
			text.Seconds(worst)))
	}
	if len(unexplained) > 0 {
		out = append(out, fmt.Sprintf("Under the virtual clock the oracle differs for %s: the "+
			"order is not first come, first served.",
			text.List(text.Truncate(unexplained, maxNames))))
	}
	// Real-clock runs are short, so their cells show their own deviations.
	virtual := only(cells, func(c *Cell) bool { return c.Cell[0].Key("clock") != "real" })
	for _, fact := range againstTheory(virtual, (*Cell).InFile) {
		out = append(out, "Under the virtual clock: "+strings.ToLower(fact[:1])+fact[1:])
	}
	if lag > 0 {
		out = append(out, fmt.Sprintf("The generator itself was late by at most %s at the p99 of "+
			"a run, in %s.", text.Seconds(lag), allOf(late, len(runs))))
	}
	return out
}

func allOf(n, total int) string {
	switch {
	case n == total && n == 1:
		return "the one run"
	case n == total:
		return fmt.Sprintf("all %d runs", n)
	}
	return fmt.Sprintf("the %d of %d runs that report it", n, total)
}
