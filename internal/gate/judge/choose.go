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

// A Candidate is a metric that may be judged, with the values that runs of both sides have of it.
type Candidate struct {
	Metric
	Values [2][]float64 // of the base, of the head
	Runs   int          // so many values each side must have; 0: at least one
	Excuse string       // why it is not judged, where that is known
	Ours   bool         // of a run of poolbench, whose Unit lines know every direction
}

// A Choice sorts out which metrics a gate judges. Which it does not is in the report, with the
// reason; so is what must not pass for a verdict.
type Choice struct {
	Report  *verdict.Report
	Sides   [2]string // what the report calls them
	chosen  int
	refused []refusal
	tests   RankSums // of metrics of an unknown direction
}

// A refusal is a metric of benchmarks whose lack of a verdict must not pass for one.
type refusal struct {
	first  Metric
	reason string
	more   int // benchmarks
}

// Takes says whether the metric is judged.
func (c *Choice) Takes(m Candidate) bool {
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

// why says why there is no verdict on a metric; "" when there is one.
func (c *Choice) why(m Candidate) string {
	asked := len(c.Report.Options.Metrics) > 0
	old, new := m.Values[0], m.Values[1]
	switch {
	case m.Better != verdict.LowerIsBetter && m.Better != verdict.HigherIsBetter:
		if asked {
			c.refuse(m, "no Unit line says whether higher or lower is better")
		} else if !m.Ours && c.differ(old, new) {
			c.refuse(m, "it differs, and its direction is not known: say --better "+m.Unit+
				"=lower or =higher")
		}
		return "direction not known"
	case m.Excuse != "":
		return m.Excuse
	case !asked && setAside(m.Unit) != "":
		return setAside(m.Unit)
	case !asked && echoesPlan(m.Benchmark, m.Unit):
		return "echo of the plan of an open-loop run below saturation"
	case len(old) == 0 && !asked:
		return "absent from " + c.Sides[0] // there is nothing to hold it against
	case len(old) == 0:
		return c.refuse(m, "absent from "+c.Sides[0])
	case len(new) == 0:
		// what was measured and no longer can be may be worse than any number
		return c.refuse(m, "absent from "+c.Sides[1])
	case min(len(old), len(new)) < m.Runs:
		return c.refuse(m, "absent from some of the runs")
	case min(slices.Min(old), slices.Min(new)) < 0:
		return c.refuse(m, "negative values, which have no ratio")
	}
	return ""
}

// differAt is the p at which values of an unknown direction differ: five against five can reach it.
const differAt = 0.01

// differ reports whether values of both sides differ by the rank test.
func (c *Choice) differ(old, new []float64) bool {
	if len(old) == 0 || len(new) == 0 {
		return false
	}
	if c.tests == nil {
		c.tests = make(RankSums)
	}
	return c.tests.Of(old, new).TwoSided() <= differAt
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

// Close reports the refused metrics, one line per metric and reason, so that a fault of all
// benchmarks does not bury a fault of one.
func (c *Choice) Close() {
	into := &c.Report.Unclear
	if len(c.Report.Options.Metrics) > 0 {
		// who asks for a metric is not to be told that all is well without it
		into = &c.Report.Faults
	}
	for _, r := range c.refused {
		more := ""
		if r.more > 0 {
			more = fmt.Sprintf(" and of %d more", r.more)
		}
		*into = append(*into, fmt.Sprintf("%v%s cannot be judged: %s", r.first, more, r.reason))
	}
	if c.chosen == 0 {
		c.Report.Faults = append(c.Report.Faults, "nothing left to judge")
	}
}

// setAside says why a metric with a direction is gated only by name; "" when it is gated anyway.
func setAside(unit string) string {
	switch {
	case unit == metric.BrokenLaws, unit == metric.Verdict, unit == metric.P99Lag,
		strings.HasSuffix(unit, "-hiccup-sec"):
		return "it describes the measurement, not the code measured"
	case metric.IsMax(unit):
		return "largest of a sample, never twice the same (ask for it by name)"
	}
	return ""
}

// echoesPlan reports whether a metric of a benchmark follows from the plan of arrivals alone. An
// open loop below saturation completes tasks as fast as they are planned to arrive, whatever the
// strategy.
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

// axis is the value of a key in the name of a benchmark.
func axis(benchmark, key string) string {
	_, parts := benchfmt.Name(benchmark).Parts()
	for _, part := range parts {
		if value, ok := strings.CutPrefix(string(part), "/"+key+"="); ok {
			return value
		}
	}
	return ""
}
