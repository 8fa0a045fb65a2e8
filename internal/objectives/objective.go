package objectives

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/observe"
)

// An Objective is a bound on one metric of a run. It is made by Parse.
type Objective struct {
	Unit  string  // of the metric, as observe.Metrics has it
	Bound float64 // in that unit: seconds, shares of 1, tasks per second
	Op    string  // how a value that meets it stands to it: <, <=, > or >=
	text  string  // the canonical spelling of the bound
}

// A List is objectives that are to be met together.
type List []Objective

// String is the canonical spelling, which Parse reads: p99-response<50ms. It has no spaces and no
// slashes, so that it can be part of the name of a result.
func (o Objective) String() string { return o.Metric() + o.Op + o.text }

// Metric is what it bounds, by the name that Parse takes.
func (o Objective) Metric() string { return short(o.Unit) }

// String joins the canonical spellings with commas.
func (l List) String() string {
	texts := make([]string, len(l))
	for i, o := range l {
		texts[i] = o.String()
	}
	return strings.Join(texts, ",")
}

// Limit returns the bound as a run directory stores it.
func (o Objective) Limit() decide.Bound {
	return decide.Bound{Unit: o.Unit, Op: o.Op, Value: o.Bound}
}

// meets reports whether a value is within the bound.
func (o Objective) meets(v float64) bool { return o.Limit().Meets(v) }

// short is the metric as people say it: its unit without the part that says what it is counted in.
// The plain ops/s, of which nothing would be left, is the throughput.
func short(unit string) string {
	if unit == metric.Throughput {
		return "throughput"
	}
	for _, suffix := range []string{"-ops/s", "-sec/op", "/op", "-sec"} {
		if name, ok := strings.CutSuffix(unit, suffix); ok {
			return name
		}
	}
	return unit
}

// units returns the metrics that an objective may bound. Excluded are exact values of theory,
// predictions for other runs, results of a capacity search, shares whose parts have bounds of their
// own, evidence of a load test, and ns/op, which would be mistaken for the time of a task.
func units() (all []string) {
	for _, m := range observe.Metrics() {
		switch {
		case m.Unit == metric.NsPerOp, metric.IsTheory(m.Unit),
			metric.IsCapacity(m.Unit), strings.HasPrefix(m.Unit, metric.NextSlot),
			strings.HasPrefix(m.Unit, metric.Even), strings.HasPrefix(m.Unit, metric.NoTarget),
			strings.HasPrefix(m.Unit, decide.Due),
			metric.IsTailShare(m.Unit):
		default:
			all = append(all, m.Unit)
		}
	}
	return all
}

// Names are the metrics by the names that Parse takes, in the order of observe.Metrics.
func Names() (all []string) {
	for _, unit := range units() {
		all = append(all, short(unit))
	}
	return all
}

// A Verdict on an objective.
type Verdict = decide.Verdict

// The verdicts of package decide.
const (
	Undecided = decide.Undecided
	Met       = decide.Met
	Missed    = decide.Missed
)

// A Run is what is held to an objective: one that was just made, a *bench.Result, or one that was
// read from a file.
type Run interface {
	Metric(unit string) (value float64, ok bool)
	Invalid() bool // its numbers cannot be relied on
}

// Of judges one run. It is undecided where the run lacks the metric, a quantile that its tasks do
// not resolve for instance, or is INVALID, breaks a law for instance, so that its numbers are not
// to be believed.
func (o Objective) Of(r Run) Verdict {
	unit, _ := decide.Completed(o.Unit) // the latencies of a run are of completed tasks
	v, ok := r.Metric(unit)
	switch {
	case !ok, math.IsNaN(v), r.Invalid():
		return Undecided
	case o.meets(v):
		return Met
	}
	return Missed
}

// A Resolver knows, before it is run, which metrics it cannot tell: a scenario, or an attack.
type Resolver interface{ Resolves(unit string) error }

// Decidable reports the objectives that one of those cannot decide, each once.
func Decidable[R Resolver](l List, of ...R) error {
	var complaints []error
	seen := map[string]bool{}
	for _, r := range of {
		for _, o := range l {
			if err := r.Resolves(o.Unit); err != nil && !seen[err.Error()] {
				seen[err.Error()] = true
				complaints = append(complaints, fmt.Errorf("objective %v: %w", o, err))
			}
		}
	}
	return errors.Join(complaints...)
}

// Of judges one run by all objectives: missed when one is, met when all are.
func (l List) Of(r Run) Verdict {
	all := Met
	for _, o := range l {
		switch o.Of(r) {
		case Missed:
			return Missed
		case Undecided:
			all = Undecided
		}
	}
	return all
}
