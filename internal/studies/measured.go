package studies

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/param"
	"github.com/poolbench/poolbench/reports"
	"github.com/poolbench/poolbench/reports/charts"
	"github.com/poolbench/poolbench/strategies/peers"
)

// measured is what the runs of scenarios say, be they just made or read from a file. Runs that are INVALID are left out: nothing is
// found by them.
type measured struct {
	lengths map[string]map[string][]repetition // by cell, and by the scenarios that differ in their length alone
	styles  []string                           // the strategies in the order of the charts' colours
}

// A repetition is a run with what numbers it: repetition i of every scenario of a study faces the same arrivals.
type repetition struct {
	number uint64
	tasks  int
	metric func(unit string) (float64, bool)
}

func fromResults(results []*bench.Result) *measured {
	m := &measured{lengths: map[string]map[string][]repetition{}}
	for _, r := range results {
		m.add(r.Name, repetition{r.Seed, r.Tasks, r.Metric})
		if s := part(r.Name, "strategy"); !slices.Contains(m.styles, s) {
			m.styles = append(m.styles, s)
		}
	}
	return m
}

func fromFile(results *reports.Results) *measured {
	m := &measured{lengths: map[string]map[string][]repetition{}, styles: results.Strategies}
	for i := range results.Runs {
		r := &results.Runs[i]
		m.add(r.Name, repetition{uint64(r.Repetition), r.Iters, untidied(r)})
	}
	return m
}

// untidied gives the metrics of a run that was read by the units in which they are written: the reader turns ns into seconds.
func untidied(r *reports.Run) func(unit string) (float64, bool) {
	return func(unit string) (float64, bool) {
		if rest, ok := strings.CutPrefix(unit, "ns/"); ok {
			v, ok := r.Value("sec/" + rest)
			return v * 1e9, ok
		}
		return r.Value(unit)
	}
}

func (m *measured) add(name string, r repetition) {
	broken, _ := r.metric("broken-laws")
	if verdict, _ := r.metric("verdict"); verdict >= float64(bench.Invalid) || broken != 0 {
		return
	}
	key := cell(name)
	if m.lengths[key] == nil {
		m.lengths[key] = map[string][]repetition{}
	}
	m.lengths[key][name] = append(m.lengths[key][name], r)
}

// cell is the name of a scenario without its length: the sizes of a study differ in that, and ask the same.
func cell(name string) string { return nameWithout(name, "n", "duration", "warmup") }

// nameWithout is the name of a scenario less the parts with those keys.
func nameWithout(name string, keys ...string) string {
	return strings.Join(slices.DeleteFunc(strings.Split(name, "/"), func(part string) bool {
		key, _, _ := strings.Cut(part, "=")
		return slices.Contains(keys, key)
	}), "/")
}

// runs are the repetitions of a scenario, whatever its length; of several lengths, those of the longest.
func (m *measured) runs(sc bench.Scenario) (runs []repetition) {
	for _, of := range m.lengths[cell(sc.Name())] {
		if len(runs) == 0 || of[0].tasks > runs[0].tasks {
			runs = of
		}
	}
	return runs
}

// has reports whether the scenario was run.
func (m *measured) has(sc bench.Scenario) bool { return len(m.runs(sc)) > 0 }

// style is the number of a strategy among those of the file.
func (m *measured) style(sc bench.Scenario) int {
	return max(slices.Index(m.styles, sc.Strategy.String()), 0)
}

// others are the strategies of the file, beside those that are known, that were run in a scenario: those that somebody named. A strategy that
// cannot be run there was not, and at is not asked for its scenario.
func (m *measured) others(known []string, at func(strategy string) bench.Scenario) (names []string) {
	if len(known) == 0 {
		return nil
	}
	place := func(name string) string { return nameWithout(cell(name), "strategy", "queue") } // a strategy without a queue names none
	here := place(at(known[0]).Name())
	for _, name := range m.styles {
		if slices.Contains(known, name) || !m.ran(name, here, place) {
			continue
		}
		call, err := param.Parse(name)
		if err != nil {
			continue // of a benchmark that is not ours
		}
		if _, err := peers.ParseVariant(call); err == nil && m.has(at(name)) {
			names = append(names, name)
		}
	}
	return names
}

// ran reports whether there are runs of a strategy in a place.
func (m *measured) ran(strategy, here string, place func(string) string) bool {
	for name := range m.lengths {
		if part(name, "strategy") == strategy && place(name) == here {
			return true
		}
	}
	return false
}

// mean is that of a metric over the repetitions, with its interval; NaN where there is none.
func (m *measured) mean(sc bench.Scenario, unit string) interval { return ofMean(m.values(sc, unit)) }

// values are those of a metric, one a repetition that has it, in their order.
func (m *measured) values(sc bench.Scenario, unit string) []float64 {
	return m.each([]bench.Scenario{sc}, func(value func(int, string) float64) float64 { return value(0, unit) })
}

// each computes a number from the repetition of the same number of several scenarios, for each that all of them have. What is not
// finite is left out.
func (m *measured) each(cells []bench.Scenario, number func(value func(cell int, unit string) float64) float64) (out []float64) {
	if len(cells) == 0 {
		return nil
	}
	var runs [][]repetition
	for _, sc := range cells {
		runs = append(runs, m.runs(sc))
	}
	for _, first := range runs[0] {
		same := make([]repetition, len(cells))
		complete := true
		for i, all := range runs {
			at := slices.IndexFunc(all, func(r repetition) bool { return r.number == first.number })
			if complete = complete && at >= 0; complete {
				same[i] = all[at]
			}
		}
		if !complete {
			continue
		}
		v := number(func(cell int, unit string) float64 {
			if v, ok := same[cell].metric(unit); ok {
				return v
			}
			return math.NaN()
		})
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			out = append(out, v)
		}
	}
	return out
}

// repetitions says in how many runs each of the scenarios was measured: "10", or "5 to 6" where a run was cut off.
func (m *measured) repetitions(cells []bench.Scenario) string {
	var counts []int
	for _, sc := range cells {
		if n := len(m.runs(sc)); n > 0 {
			counts = append(counts, n)
		}
	}
	switch {
	case len(counts) == 0:
		return "no"
	case slices.Min(counts) == slices.Max(counts):
		return strconv.Itoa(counts[0])
	}
	return fmt.Sprintf("%d to %d", slices.Min(counts), slices.Max(counts))
}

// An interval is a mean with its 95 % confidence interval by Student's t. It takes the repetitions as independent, which their
// seeds make them, and their values as near to normal, which means and quantiles of thousands of tasks are.
type interval struct{ mid, lo, hi float64 }

// ofMean is the interval of the mean; without bounds (NaN) for a single value, NaN for none.
func ofMean(values []float64) interval {
	switch len(values) {
	case 0:
		return interval{math.NaN(), math.NaN(), math.NaN()}
	case 1:
		return interval{values[0], math.NaN(), math.NaN()}
	}
	mean, deviation := stat.MeanStdDev(values, nil)
	n := float64(len(values))
	half := distuv.StudentsT{Sigma: 1, Nu: n - 1}.Quantile(0.975) * stat.StdErr(deviation, n)
	return interval{mean, mean - half, mean + half}
}

// ofMedian is the median with the interval between two order statistics that holds it with at least 95 %; below six values, the smallest and
// the largest, which hold it with less.
func ofMedian(values []float64) interval {
	n := len(values)
	if n == 0 {
		return ofMean(nil)
	}
	sorted := slices.Sorted(slices.Values(values))
	// Below the median lie as many of the values as heads in n throws of a coin.
	rank, below, chance := 0, 0.0, math.Pow(0.5, float64(n))
	for k := 0; below+chance <= 0.025; k++ {
		rank = k
		below += chance
		chance *= float64(n-k) / float64(k+1)
	}
	return interval{(sorted[(n-1)/2] + sorted[n/2]) / 2, sorted[rank], sorted[n-1-rank]}
}

// ofProduct is ofMean on a logarithmic scale, for ratios and for what is read from logarithmic axes.
func ofProduct(values []float64) interval {
	logs := make([]float64, len(values))
	for i, v := range values {
		logs[i] = math.Log(v)
	}
	in := ofMean(logs)
	return interval{math.Exp(in.mid), math.Exp(in.lo), math.Exp(in.hi)}
}

// times scales the interval.
func (in interval) times(f float64) interval { return interval{in.mid * f, in.lo * f, in.hi * f} }

// add adds a point with its interval.
func add(s *charts.Series, x float64, in interval) {
	s.X, s.Y, s.Lo, s.Hi = append(s.X, x), append(s.Y, in.mid), append(s.Lo, in.lo), append(s.Hi, in.hi)
}

// part is the value of a key in the name of a scenario.
func part(name, key string) string {
	_, rest, _ := strings.Cut(name, "/"+key+"=")
	value, _, _ := strings.Cut(rest, "/")
	return value
}
