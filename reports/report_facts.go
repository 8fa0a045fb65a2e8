package reports

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/poolbench/poolbench/reports/charts"
)

// configOrder are the configuration lines that the page names, with their names there.
var configOrder = []Pair{
	{"cpu", "CPU"}, {"gomaxprocs", "GOMAXPROCS"}, {"goos", "system"}, {"goarch", "architecture"}, {"go", "Go"}, {"commit", "commit"}, {"pkg", "package"},
}

// facts are the configuration lines, all values of each, and when the file was written.
func facts(in *reportInput) (out []Pair) {
	runs := in.results.Runs
	named := slices.Clone(configOrder)
	for i := range runs {
		for _, c := range runs[i].Config {
			if !slices.ContainsFunc(named, func(p Pair) bool { return p.Key == c.Key }) {
				named = append(named, Pair{c.Key, c.Key})
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
			out = append(out, Pair{n.Value, strings.Join(values, ", ")})
		}
	}
	if !in.written.IsZero() {
		out = append(out, Pair{ResultsFile + " written", in.written.UTC().Format("2006-01-02 15:04") + " UTC"})
	}
	return out
}

// intervals says what the small figures below values are.
func intervals(cells []*reportCell) string {
	least, most := len(cells[0].runs), 0
	for _, c := range cells {
		least, most = min(least, len(c.runs)), max(most, len(c.runs))
	}
	switch {
	case most == 1:
		return "Each scenario was run once: how much the values vary is not known. Give --count for more."
	case most < enough:
		return fmt.Sprintf("A value is the median of %s repetitions; the small figures below it are the smallest and the largest.", spanned(least, most))
	case least >= enough:
		return fmt.Sprintf("A value is the median of %s repetitions; the small figures below it are its 95 %% confidence interval.", spanned(least, most))
	}
	return fmt.Sprintf("A value is the median of %s repetitions; the small figures below it are its 95 %% confidence interval, or, below %d repetitions, the smallest and the largest.",
		spanned(least, most), enough)
}

func spanned(least, most int) string {
	if least == most {
		return fmt.Sprint(most)
	}
	return fmt.Sprintf("%d to %d", least, most)
}

// trust sums up what the checks on the runs found.
func trust(runs []Run, cells []*reportCell, broken int) (out []string) {
	laws, oracle, equal, unexplained := 0, 0, 0, 0
	worst := 0.0
	for i := range runs {
		if _, ok := runs[i].Value("broken-laws"); ok {
			laws++
		}
		v, ok := runs[i].Value("oracle-max-diff-sec")
		if !ok {
			continue
		}
		oracle++
		switch worst = max(worst, v); {
		case v == 0:
			equal++
		case runs[i].Key("clock") == "virtual":
			unexplained++
		}
	}
	if laws > 0 && broken == 0 {
		out = append(out, fmt.Sprintf("Every conservation law held in %s.", allOf(laws, len(runs))))
	}
	const replay = "The path-wise oracle, which replays a run's own arrivals and service times, agrees to the nanosecond with "
	switch {
	case oracle == 0:
	case equal == oracle:
		out = append(out, replay+allOf(oracle, oracle)+".")
	default:
		out = append(out, fmt.Sprintf("%s%d of %d runs; elsewhere a wait differs by at most %s. On the real clock that is what the strategy itself takes.",
			replay, equal, oracle, charts.Seconds(worst)))
	}
	if unexplained > 0 {
		out = append(out, fmt.Sprintf("Under the virtual clock, where nothing but the queue takes time, the oracle differs in %s: these strategies do not serve first come, first served.", countOf(unexplained, "run")))
	}
	// Under the real clock a run is short and its queue another one each time: its cells say themselves how far they are off.
	virtual := slices.DeleteFunc(slices.Clone(cells), func(c *reportCell) bool { return c.runs[0].Key("clock") == "real" })
	for _, fact := range againstTheory(virtual) {
		out = append(out, "Under the virtual clock: "+strings.ToLower(fact[:1])+fact[1:])
	}
	lag := 0.0
	for i := range runs {
		if v, ok := runs[i].Value("p99-lag-sec"); ok {
			lag = max(lag, v)
		}
	}
	if lag > 0 {
		out = append(out, fmt.Sprintf("The generator itself was late by at most %s at the p99 of a run.", charts.Seconds(lag)))
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
	return fmt.Sprintf("the %d of %d runs that were checked", n, total)
}
