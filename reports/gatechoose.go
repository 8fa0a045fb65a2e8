package reports

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/perf/benchfmt"

	"github.com/poolbench/poolbench/internal/judge"
)

// environment are the configuration keys that must agree for two inputs to be compared.
var environment = []string{"cpu", "goos", "goarch", "go", "gomaxprocs"}

// checkInputs looks at what is wrong with the inputs before any number is.
func (r *GateReport) checkInputs(c *Comparison, old, new *Results) {
	for _, m := range c.Missing {
		if m.Unit == "" {
			r.fault("%s has no %s", m.Column, m.Benchmark)
		}
	}
	for _, v := range c.Varying {
		if slices.Contains(perRun, v.Key) {
			continue
		}
		if slices.Contains(environment, v.Key) && !r.Options.AllowEnvironment {
			r.fault("%s", v.describe(c.Columns))
		} else {
			r.Warnings = append(r.Warnings, v.describe(c.Columns))
		}
	}
	for _, in := range []*Results{old, new} {
		switch {
		case in.Partial == "":
		case r.Options.AllowPartial:
			r.Warnings = append(r.Warnings, notWhole(in))
		case in.Cut.Line > 0:
			r.fault("%v: the last line is cut off", in.Cut)
		default:
			r.Unclear = append(r.Unclear, notWhole(in))
		}
		r.Warnings = append(r.Warnings, in.Warnings...)
		r.checkLaws(in)
	}
	for i, in := range []*Results{old, new} {
		r.warnOfGaps(c, i, in)
	}
}

// brokenLaws counts the conservation laws that a run breaks; a run with any is no measurement.
const brokenLaws = "broken-laws"

func (r *GateReport) checkLaws(in *Results) {
	broken, unbelievable := 0, 0
	var first, firstUnbelievable Pos
	for i := range in.Runs {
		if v, _ := in.Runs[i].Value(brokenLaws); v != 0 {
			if broken == 0 {
				first = in.Runs[i].Pos
			}
			broken++
		} else if v, _ := in.Runs[i].verdict(); v == invalid {
			if unbelievable == 0 {
				firstUnbelievable = in.Runs[i].Pos
			}
			unbelievable++
		}
	}
	if unbelievable > 0 {
		r.Unclear = append(r.Unclear, fmt.Sprintf("%s: %d of %d runs are INVALID and cannot be believed (first in line %d)",
			in.Path, unbelievable, len(in.Runs), firstUnbelievable.Line))
	}
	if broken > 0 {
		r.Unclear = append(r.Unclear, fmt.Sprintf("%s: %d of %d runs break conservation laws and cannot be believed (first in line %d)",
			in.Path, broken, len(in.Runs), first.Line))
	}
}

// warnOfGaps tells of metrics that some repetitions lack: they are judged by those that happened to have them.
func (r *GateReport) warnOfGaps(c *Comparison, column int, in *Results) {
	runs := make(map[[2]string]int)
	for i := range in.Runs {
		run := &in.Runs[i]
		runs[[2]string{run.ConfigValue("pkg"), run.Name}]++
	}
	for _, t := range c.Tables {
		for _, row := range t.Rows {
			cell := row.Cells[column]
			if all := runs[[2]string{lookup(t.Key, "pkg"), row.Name}]; cell != nil && len(cell.Sample.Values) < all {
				r.Warnings = append(r.Warnings, fmt.Sprintf("%s has %s of %s in only %d of %d runs",
					c.Columns[column], t.Unit, t.rowName(row), len(cell.Sample.Values), all))
			}
		}
	}
}

// candidate is a row on its way to a verdict.
type candidate struct {
	row      GateRow
	old, new []float64 // ascending
	exact    bool      // the values are exact, and bear it out

	runs     pairing // of the benchmark; empty where they are not paired
	pairs    []judge.Pair
	tails    []judge.TailPair // of the same runs, where the metric is a tail and they have histograms
	quantile float64          // of the tails
}

// choose sorts out what is gated.
func (r *GateReport) choose(c *Comparison, paired map[benchmarkID]pairing) []*candidate {
	asked := len(r.Options.Metrics) > 0
	var family []*candidate
	directionless := make(map[string]bool)
	gone := make(map[Missing]bool) // with Unit "" a whole benchmark, which is a fault already
	for _, m := range c.Missing {
		gone[m] = true
	}
	for _, t := range c.Tables {
		for _, row := range t.Rows {
			skip := NotGated{Benchmark: row.Name, Package: lookup(t.Key, "pkg"), Metric: t.Unit, Ratio: math.NaN()}
			old, new := row.Cells[0], row.Cells[1]
			if old != nil && new != nil {
				skip.Ratio = ratio(old.Summary.Center, new.Summary.Center)
			}
			switch {
			case t.Better == 0:
				skip.Reason = "direction not known"
				if asked && !directionless[t.Unit] {
					directionless[t.Unit] = true
					r.fault("%s cannot be gated: no Unit line says whether higher or lower is better", t.Unit)
				}
			case old == nil || new == nil:
				column := r.Old
				if new == nil {
					column = r.New
				}
				skip.Reason = "absent from " + column
				if !gone[Missing{Benchmark: t.rowName(row), Column: column}] {
					r.lacks(column, &t, row, asked)
				}
			case !asked && setAside(t.Unit) != "":
				skip.Reason = setAside(t.Unit)
			case !asked && echoesPlan(row.Name, t.Unit):
				skip.Reason = "echo of the plan of an open-loop run below saturation"
			case old.Sample.Values[0] < 0 || new.Sample.Values[0] < 0:
				skip.Reason = "negative values, of which there is no ratio"
				what := fmt.Sprintf("%s of %s cannot be judged: %s", t.Unit, t.rowName(row), skip.Reason)
				if asked {
					r.fault("%s", what)
				} else {
					r.Unclear = append(r.Unclear, what)
				}
			default:
				family = append(family, r.candidate(&t, row, paired[benchmarkID{skip.Package, row.Name}]))
				continue
			}
			r.NotGated = append(r.NotGated, skip)
		}
	}
	return family
}

// lacks takes note of a metric that one side lacks of a benchmark that both have. Losing it is not to pass: what was
// measured and no longer can be may be worse than any number. Gaining it is: there is nothing to hold it against.
func (r *GateReport) lacks(column string, t *Table, row Row, asked bool) {
	what := fmt.Sprintf("%s has no %s of %s", column, t.Unit, t.rowName(row))
	switch {
	case asked:
		r.fault("%s", what)
	case column == r.New:
		r.Unclear = append(r.Unclear, what)
	}
}

func (r *GateReport) candidate(t *Table, row Row, runs pairing) *candidate {
	old, new := row.Cells[0], row.Cells[1]
	c := &candidate{old: old.Sample.Values, new: new.Sample.Values, runs: runs, pairs: runs.pairs(t.Unit)}
	c.row = GateRow{
		Benchmark: row.Name, Package: lookup(t.Key, "pkg"), Metric: t.Unit, Better: t.Better,
		OldN: len(c.old), NewN: len(c.new), Old: median(c.old), New: median(c.new),
	}
	if t.Exact {
		c.exact = constant(c.old) && constant(c.new)
		if !c.exact {
			r.Warnings = append(r.Warnings, fmt.Sprintf("%s of %s varies although its Unit line says assume=exact; it is tested like any other", t.Unit, t.rowName(row)))
		}
	}
	return c
}

func constant(ascending []float64) bool { return ascending[0] == ascending[len(ascending)-1] }

// setAside says why a metric with a direction is gated only by name; "" when it is gated anyway.
func setAside(metric string) string {
	switch {
	case metric == brokenLaws, metric == "verdict", metric == "p99-lag-sec", strings.HasSuffix(metric, "-hiccup-sec"):
		return "on the measurement, not on what is measured"
	case strings.HasPrefix(metric, "max-"):
		return "largest of a sample, never twice the same (ask for it by name)"
	}
	return ""
}

// echoesPlan reports whether a metric of a benchmark follows from the plan of arrivals alone. An open loop below
// saturation completes tasks as fast as they are planned to arrive, whatever the strategy.
func echoesPlan(name, metric string) bool {
	switch metric {
	case "sec/op", "ops/s", "makespan-sec":
	default:
		return false
	}
	keys := nameKeys(benchfmt.Name(name))
	arrival, _, _ := strings.Cut(lookup(keys, "arrival"), ":")
	switch arrival {
	case "", "closed", "batch":
		return false
	}
	load, err := strconv.ParseFloat(lookup(keys, "load"), 64)
	return err == nil && load < 1
}
