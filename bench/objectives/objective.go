package objectives

import (
	"strings"

	"github.com/poolbench/poolbench/bench"
)

// An Objective is a bound on one metric of a run. It is made by Parse.
type Objective struct {
	Unit  string  // of the metric, as bench.Metrics has it
	Bound float64 // in that unit: seconds, shares of 1, tasks per second
	op    string  // one of operators
	text  string  // the canonical spelling of the bound
}

// A List is objectives that are to be met together.
type List []Objective

// String is the canonical spelling, which Parse reads: p99-response<50ms. It has no spaces and no
// slashes, so that it can be part of the name of a result.
func (o Objective) String() string { return short(o.Unit) + o.op + o.text }

// String joins the canonical spellings with commas.
func (l List) String() string {
	texts := make([]string, len(l))
	for i, o := range l {
		texts[i] = o.String()
	}
	return strings.Join(texts, ",")
}

// meets reports whether a value is within the bound.
func (o Objective) meets(v float64) bool {
	switch o.op {
	case "<":
		return v < o.Bound
	case "<=":
		return v <= o.Bound
	case ">":
		return v > o.Bound
	}
	return v >= o.Bound
}

// short is the metric as people say it: its unit without the part that says what it is counted in.
// The plain ops/s, of which nothing would be left, is the throughput.
func short(unit string) string {
	if unit == "ops/s" {
		return "throughput"
	}
	for _, suffix := range []string{"-ops/s", "-sec/op", "/op", "-sec"} {
		if name, ok := strings.CutSuffix(unit, suffix); ok {
			return name
		}
	}
	return unit
}

// units are the metrics that a run can be held to: not what theory says, which is no doing of the
// run, nor what a search for capacity reports; and not ns/op, which would be taken for a time that
// a task takes.
func units() (all []string) {
	for _, m := range bench.Metrics() {
		switch {
		case m.Unit == "ns/op", strings.HasPrefix(m.Unit, "theory-"),
			strings.HasPrefix(m.Unit, "capacity-"):
		default:
			all = append(all, m.Unit)
		}
	}
	return all
}

// Names are the metrics by the names that Parse takes, in the order of bench.Metrics.
func Names() (all []string) {
	for _, unit := range units() {
		all = append(all, short(unit))
	}
	return all
}
