package evidence

import (
	"cmp"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/reports/results"
	"github.com/poolbench/poolbench/strategies"
)

// Measured contains the runs of scenarios, without INVALID ones.
type Measured struct {
	// by cell, and by name: the scenarios of a cell only differ in their length
	lengths   map[string]map[string][]Repetition
	workloads map[string]bool // of the runs
	Styles    []string        // the strategies in the order of the charts' colours
	Invalid   int             // number of runs
	Why       string          // reason of the first INVALID run
	// runs of the file that are not drawn, with the reason, one per line
	LeftOut []string
}

// Runs of one seed have the same arrivals. Under the real clock a seed may have been run again.
type Repetition struct {
	Seed   uint64
	again  int
	Tasks  int
	Metric func(unit string) (float64, bool)
}

func measured(styles []string) *Measured {
	return &Measured{lengths: map[string]map[string][]Repetition{}, workloads: map[string]bool{},
		Styles: styles}
}

func FromResults(results []*bench.Result) *Measured {
	m := measured(nil)
	for _, r := range results {
		if !m.Add(r.Name, Repetition{Seed: r.Seed, Tasks: r.Tasks, Metric: r.Metric}) {
			m.Invalid++
			if i := slices.IndexFunc(r.Reasons,
				func(r result.Reason) bool { return r.Verdict == result.Invalid }); i >= 0 {
				m.Why = cmp.Or(m.Why, r.Reasons[i].String())
			} else if len(r.Broken) > 0 {
				m.Why = cmp.Or(m.Why, r.Broken[0])
			}
		}
		if s := part(r.Name, "strategy"); !slices.Contains(m.Styles, s) {
			m.Styles = append(m.Styles, s)
		}
	}
	return m
}

// FromFile leaves out runs for other studies, which may have scenarios in common.
func FromFile(results *results.Results, study string) *Measured {
	of := results.StudyOf()
	m := measured(results.Strategies)
	for i := range results.Runs {
		r := &results.Runs[i]
		seed, err := strconv.ParseUint(r.Seed, 10, 64)
		if err != nil { // unknown in this file
			seed = uint64(r.Repetition)
		}
		if of[i] < 0 || results.Findings[of[i]].Study == study {
			m.Add(r.Name, Repetition{Seed: seed, Tasks: r.Iters, Metric: untidied(r)})
		}
	}
	return m
}

// untidied returns metrics by the units as written, because the reader converts ns into seconds.
func untidied(r *results.Run) func(unit string) (float64, bool) {
	return func(unit string) (float64, bool) {
		if rest, ok := strings.CutPrefix(unit, "ns/"); ok {
			v, ok := r.Value("sec/" + rest)
			return v * 1e9, ok
		}
		return r.Value(unit)
	}
}

func (m *Measured) Add(name string, r Repetition) (valid bool) {
	broken, _ := r.Metric(metric.BrokenLaws)
	if verdict, _ := r.Metric(metric.Verdict); verdict >= float64(result.Invalid) || broken != 0 {
		return false
	}
	key := Cell(name)
	if m.lengths[key] == nil {
		m.lengths[key] = map[string][]Repetition{}
		m.workloads[workload(name)] = true
	}
	for _, before := range m.lengths[key][name] {
		if before.Seed == r.Seed {
			r.again++
		}
	}
	if r.again == 0 || part(name, "clock") != bench.Virtual.String() {
		// a repeated virtual run is not another sample
		m.lengths[key][name] = append(m.lengths[key][name], r)
	}
	return true
}

// Cell returns the name of a scenario without its length and profiles, which may differ between the
// sizes of a study.
func Cell(name string) string { return nameWithout(name, "n", "duration", "warmup", "profile") }

func nameWithout(name string, keys ...string) string {
	return strings.Join(slices.DeleteFunc(strings.Split(name, "/"), func(part string) bool {
		key, _, _ := strings.Cut(part, "=")
		return slices.Contains(keys, key)
	}), "/")
}

// Runs returns the repetitions of a scenario of any length, or of the longest of several.
func (m *Measured) Runs(sc bench.Scenario) (runs []Repetition) {
	if sc.Workload.Spec.New != nil && !m.workloads[sc.Workload.String()] {
		return nil // a shortcut for most calls, because names are slow
	}
	for _, of := range m.lengths[Cell(sc.Name())] {
		if len(runs) == 0 || of[0].Tasks > runs[0].Tasks {
			runs = of
		}
	}
	return runs
}

func (m *Measured) Empty() bool { return len(m.lengths) == 0 }

func (m *Measured) Has(sc bench.Scenario) bool { return len(m.Runs(sc)) > 0 }

func (m *Measured) Style(sc bench.Scenario) int {
	return max(slices.Index(m.Styles, sc.Strategy.String()), 0)
}

// Sweeps returns the scenarios of each known strategy, and of the Others in the first of them.
func (m *Measured) Sweeps(
	known []string, of func(strategy string) []bench.Scenario,
) (sweeps [][]bench.Scenario) {
	others := m.Others(known, func(name string) bench.Scenario { return of(name)[0] })
	for _, name := range slices.Concat(known, others) {
		sweeps = append(sweeps, of(name))
	}
	return sweeps
}

// Others returns the strategies that the user added to the known ones in a scenario. It does not
// call at for strategies that cannot run there.
func (m *Measured) Others(
	known []string, at func(strategy string) bench.Scenario,
) (names []string) {
	if len(known) == 0 {
		return nil
	}
	place := func(name string) string { return nameWithout(Cell(name), "strategy", "queue") }
	here := place(at(known[0]).Name())
	for _, name := range m.Styles {
		if slices.Contains(known, name) || !m.ran(name, here, place) {
			continue
		}
		if _, err := strategies.Parse(name); err == nil && m.Known(at(name)) { // of this module
			names = append(names, name)
		}
	}
	return names
}

// Known is Has for a strategy named in a file, which this process may be unable to run.
func (m *Measured) Known(sc bench.Scenario) bool {
	if !m.Has(sc) {
		return false
	}
	why := Impossible(sc)
	if line := fmt.Sprintf("%s is omitted: %s", sc.Strategy, why); why != "" &&
		!slices.Contains(m.LeftOut, line) {
		m.LeftOut = append(m.LeftOut, line)
	}
	return why == ""
}

func (m *Measured) ran(strategy, here string, place func(string) string) bool {
	for name := range m.lengths {
		if part(name, "strategy") == strategy && place(name) == here {
			return true
		}
	}
	return false
}

func (m *Measured) Mean(sc bench.Scenario, unit string) Interval {
	return OfMean(m.Values(sc, unit))
}

func (m *Measured) Median(sc bench.Scenario, unit string) Interval {
	return OfMedian(m.Values(sc, unit))
}

// A Run returns the metrics of a repetition by unit, or NaN.
type Run func(unit string) float64

func (m *Measured) Values(sc bench.Scenario, unit string) []float64 {
	return m.Numbers(sc, func(r Run) float64 { return r(unit) })
}

// Numbers leaves out infinite and NaN values.
func (m *Measured) Numbers(sc bench.Scenario, number func(Run) float64) []float64 {
	return m.Each([]bench.Scenario{sc}, func(runs []Run) float64 { return number(runs[0]) })
}

func (m *Measured) Pairs(a, b bench.Scenario, number func(a, b Run) float64) []float64 {
	return m.Each([]bench.Scenario{a, b}, func(runs []Run) float64 {
		return number(runs[0], runs[1])
	})
}

// Repetitions of the same seed have the same arrivals, whose effect cancels out.
func (m *Measured) Ratios(of, to bench.Scenario, unit string) []float64 {
	return m.Pairs(of, to, func(of, to Run) float64 { return of(unit) / to(unit) })
}

func (m *Measured) Ratio(of, to bench.Scenario, unit string) Interval {
	return OfProduct(m.Ratios(of, to, unit))
}

func (m *Measured) MaxApart(of, to bench.Scenario, unit string) float64 {
	most := math.NaN()
	for _, r := range m.Ratios(of, to, unit) {
		most = Larger(most, math.Abs(r-1))
	}
	return most
}

func Larger(a, b float64) float64 {
	if math.IsNaN(a) || b > a {
		return b
	}
	return a
}

// Each computes a number for each seed that all cells have. Like Of, it leaves out NaN.
func (m *Measured) Each(cells []bench.Scenario, number func([]Run) float64) (out []float64) {
	if len(cells) == 0 {
		return nil
	}
	for _, first := range m.Runs(cells[0]) {
		var runs []Run
		for _, sc := range cells {
			all := m.Runs(sc)
			if at := slices.IndexFunc(all, func(r Repetition) bool {
				return r.Seed == first.Seed && r.again == first.again
			}); at >= 0 {
				runs = append(runs, all[at].run)
			}
		}
		if len(runs) < len(cells) {
			continue
		}
		if v := number(runs); !math.IsNaN(v) && !math.IsInf(v, 0) {
			out = append(out, v)
		}
	}
	return out
}

func (r Repetition) run(unit string) float64 {
	if v, ok := r.Metric(unit); ok {
		return v
	}
	return math.NaN()
}

// Repetitions formats the number of runs per scenario: "10", or "5 to 6" if a run was interrupted.
func (m *Measured) Repetitions(cells []bench.Scenario) string {
	var counts []int
	for _, sc := range cells {
		if n := len(m.Runs(sc)); n > 0 {
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

func part(name, key string) string {
	_, rest, _ := strings.Cut(name, "/"+key+"=")
	value, _, _ := strings.Cut(rest, "/")
	return value
}

func workload(name string) string {
	spelt := part(name, "workload")
	if text, err := url.PathUnescape(spelt); err == nil {
		return text
	}
	return spelt
}

func (m *Measured) Medians(cells []bench.Scenario) string {
	n := m.Repetitions(cells)
	return points("medians", n, around(n))
}

func around(repetitions string) string {
	fewest, _, _ := strings.Cut(repetitions, " ")
	if len(fewest) == 1 && fewest < "6" {
		return "smallest to largest"
	}
	return "their 95 % intervals"
}

func (m *Measured) Means(cells []bench.Scenario) string {
	return points("means", m.Repetitions(cells), "their 95 % intervals (Student's t)")
}

func points(of, repetitions, bars string) string {
	if repetitions == "1" {
		return "Points: one repetition."
	}
	return fmt.Sprintf("Points: %s of %s repetitions. Bars: %s.", of, repetitions, bars)
}

func (m *Measured) Lowest(sc bench.Scenario, unit string) float64 {
	values := m.Values(sc, unit)
	if len(values) == 0 {
		return math.NaN()
	}
	return slices.Min(values)
}

// Impossible returns the reason why a scenario cannot be run in one line, or "".
func Impossible(sc bench.Scenario) string {
	err := sc.Validate()
	if err == nil {
		return ""
	}
	return strings.ReplaceAll(err.Error(), "\n", "; ")
}

func Lost(r Run) float64 {
	lost := r(metric.Shed) + r(metric.Throttled) + r(metric.Failed) + r(metric.Abandoned)
	if gaveUp := r(metric.GaveUp); gaveUp > 0 { // NaN where callers have no patience
		lost += gaveUp
	}
	return lost
}

func (m *Measured) LostShare(sc bench.Scenario) Interval { return OfMean(m.LostShares(sc)) }

func (m *Measured) LostShares(sc bench.Scenario) []float64 { return m.Numbers(sc, Lost) }

func (m *Measured) InTime(sc bench.Scenario) Interval {
	return OfMean(m.Numbers(sc, func(r Run) float64 {
		return r(metric.Goodput) / r(metric.Throughput) * (1 - Lost(r))
	}))
}

// Recovery returns the makespan less the last due time of each repetition.
func (m *Measured) Recovery(sc bench.Scenario) []float64 {
	return m.Numbers(sc, func(r Run) float64 {
		return r(metric.Makespan) - float64(sc.Stop.Tasks-1)/r(metric.Offered)
	})
}
