package judge

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/perf/benchfmt"

	"github.com/poolbench/poolbench/internal/gate/verdict"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/statistics"
)

type Candidate struct {
	Metric
	Values [2][]float64
	Runs   int    // smallest number of values on each side; 0 means 1
	Excuse string // reason not to judge the metric, or ""
	Ours   bool   // from a run of poolbench, whose Unit lines contain all directions
}

type Choice struct {
	Report  *verdict.Report
	Sides   [2]string
	chosen  int
	refused []refusal
	tests   RankSums
}

type refusal struct {
	first  Metric
	reason string
	more   int
}

func (c *Choice) Accept(m Candidate) bool {
	reason := c.why(m)
	if reason == "" {
		c.chosen++
		return true
	}
	skip := verdict.NotGated{Benchmark: m.Benchmark, Package: m.Package, Metric: m.Unit,
		Reason: reason, Ratio: verdict.Number(math.NaN())}
	if old, new := m.Values[0], m.Values[1]; len(old) > 0 && len(new) > 0 {
		skip.Ratio = verdict.Number(statistics.Ratio(statistics.Median(old), statistics.Median(new)))
	}
	c.Report.NotGated = append(c.Report.NotGated, skip)
	return false
}

func (c *Choice) why(m Candidate) string {
	asked := len(c.Report.Options.Metrics) > 0
	old, new := m.Values[0], m.Values[1]
	switch {
	case m.Better != verdict.LowerIsBetter && m.Better != verdict.HigherIsBetter:
		if asked {
			c.refuse(m, "no Unit line states whether higher or lower is better")
		} else if !m.Ours && c.differ(old, new) {
			c.refuse(m, "it differs, and its better direction is unknown: give --better "+m.Unit+
				"=lower or =higher")
		}
		return "direction not known"
	case m.Excuse != "":
		return m.Excuse
	case !asked && setAside(m.Unit) != "":
		return setAside(m.Unit)
	case !asked && echoesPlan(m.Benchmark, m.Unit):
		return "below saturation it only shows the planned arrivals"
	case len(old) == 0 && !asked:
		return "missing in " + c.Sides[0]
	case len(old) == 0:
		return c.refuse(m, "missing in "+c.Sides[0])
	case len(new) == 0:
		return c.refuse(m, "missing in "+c.Sides[1])
	case min(len(old), len(new)) < m.Runs:
		return c.refuse(m, "missing in some runs")
	case min(slices.Min(old), slices.Min(new)) < 0:
		return c.refuse(m, "it has negative values, which have no ratio")
	}
	return ""
}

const differAt = 0.01

func (c *Choice) differ(old, new []float64) bool {
	if len(old) == 0 || len(new) == 0 {
		return false
	}
	if c.tests == nil {
		c.tests = make(RankSums)
	}
	return c.tests.Test(old, new).TwoSided() <= differAt
}

func (c *Choice) refuse(m Candidate, reason string) string {
	if at := slices.IndexFunc(c.refused, func(r refusal) bool {
		return r.first.Unit == m.Unit && r.reason == reason
	}); at >= 0 {
		c.refused[at].more++
	} else {
		c.refused = append(c.refused, refusal{first: m.Metric, reason: reason})
	}
	return reason
}

func (c *Choice) Close() {
	into := &c.Report.Unclear
	if len(c.Report.Options.Metrics) > 0 {
		into = &c.Report.Faults
	}
	for _, r := range c.refused {
		more := ""
		if r.more > 0 {
			more = fmt.Sprintf(" and of %d more", r.more)
		}
		*into = append(*into, fmt.Sprintf("%v%s has no verdict: %s", r.first, more, r.reason))
	}
	if c.chosen == 0 {
		c.Report.Faults = append(c.Report.Faults, "no metric left to compare")
	}
}

func setAside(unit string) string {
	switch {
	case unit == metric.BrokenLaws, unit == metric.Verdict, unit == metric.P99Lag,
		strings.HasSuffix(unit, "-hiccup-sec"):
		return "it describes the measurement, not the measured code"
	case metric.IsMax(unit):
		return "the maximum of a sample varies too much (select it by name)"
	}
	return ""
}

// echoesPlan reports whether a metric depends only on the planned arrivals, like the throughput of
// an open loop below saturation.
func echoesPlan(benchmark, unit string) bool {
	switch unit {
	case "sec/op", metric.Throughput, metric.Makespan:
	default:
		return false
	}
	arrival, _, _ := strings.Cut(axis(benchmark, "arrival"), ":")
	switch arrival {
	case "", "closed", "batch":
		return false
	}
	load, err := strconv.ParseFloat(axis(benchmark, "load"), 64)
	return err == nil && load < 1
}

func axis(benchmark, key string) string {
	_, parts := benchfmt.Name(benchmark).Parts()
	for _, part := range parts {
		if value, ok := strings.CutPrefix(string(part), "/"+key+"="); ok {
			return value
		}
	}
	return ""
}
