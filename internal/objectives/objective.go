package objectives

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/observe"
	"github.com/poolbench/poolbench/internal/text"
)

type Objective struct {
	Unit  string
	Bound float64 // in seconds, shares of 1 or tasks per second
	Op    string  // <, <=, > or >=, so that the condition is: value Op Bound
	text  string
}

// All objectives of a List must be met.
type List []Objective

// String returns the canonical form, which Parse accepts. It contains no spaces and slashes, except
// in a URL, so it may be part of a result's name.
func (o Objective) String() string { return o.Metric() + o.Op + o.text }

func (o Objective) Metric() string { return short(o.Unit) }

func (l List) OfURLs() bool {
	return slices.ContainsFunc(l, func(o Objective) bool {
		_, _, ok := o.url()
		return ok
	})
}

func (o Objective) url() (pattern, unit string, ok bool) {
	unit, marked := strings.CutPrefix(o.Unit, decide.Mark)
	if pattern, unit, ok = metric.CutURL(unit); marked {
		unit = decide.Mark + unit
	}
	return pattern, unit, ok
}

type URL struct {
	Names  []string // names that a pattern may match
	Prefix string   // prefix of its metrics
}

// ForURLs replaces each objective on a URL pattern by one objective for each matching URL. In a
// pattern * matches any text.
func (l List) ForURLs(urls []URL) (all List, err error) {
	for _, o := range l {
		pattern, unit, ok := o.url()
		if !ok {
			all = append(all, o)
			continue
		}
		found, matching := false, glob(pattern)
		for _, u := range urls {
			if slices.ContainsFunc(u.Names, matching.MatchString) {
				found = true
				of := o
				rest, marked := strings.CutPrefix(unit, decide.Mark)
				if of.Unit = u.Prefix + rest; marked {
					of.Unit = decide.Mark + of.Unit
				}
				all = append(all, of)
			}
		}
		if !found {
			return nil, fmt.Errorf("%s: %s", o, unmatched(pattern, urls))
		}
	}
	return all, nil
}

func unmatched(pattern string, urls []URL) string {
	if len(urls) == 0 {
		return "all requests go to one URL, so omit [" + pattern + "]"
	}
	var names []string
	for _, u := range urls {
		names = append(names, u.Names...)
	}
	return fmt.Sprintf("unknown URL %s (known: %s)", pattern, text.List(text.Truncate(names, 8)))
}

func glob(pattern string) *regexp.Regexp {
	return regexp.MustCompile(`(?s)^` +
		strings.ReplaceAll(regexp.QuoteMeta(pattern), `\*`, `.*`) + `$`)
}

func (l List) String() string {
	texts := make([]string, len(l))
	for i, o := range l {
		texts[i] = o.String()
	}
	return strings.Join(texts, ",")
}

func (o Objective) Limit() decide.Bound {
	return decide.Bound{Unit: o.Unit, Op: o.Op, Value: o.Bound}
}

func (o Objective) meets(v float64) bool { return o.Limit().Meets(v) }

// short returns the usual name of a metric: its unit without the unit of measurement.
func short(unit string) string {
	unit, marked := strings.CutPrefix(unit, decide.Mark)
	url, unit, ofURL := metric.CutURL(unit)
	name := metric.Short(unit)
	if marked {
		name = decide.Mark + name
	}
	if ofURL {
		name += "[" + url + "]"
	}
	return name
}

// metrics excludes exact values of theory, predictions for other runs, results of a capacity
// search, shares whose parts can be bounded, evidence of a load test, and ns/op, which could be
// mistaken for the time of a task.
func metrics() (all []observe.MetricInfo) {
	for _, m := range observe.Metrics() {
		switch {
		case m.Unit == metric.NsPerOp, metric.IsTheory(m.Unit),
			metric.IsCapacity(m.Unit), strings.HasPrefix(m.Unit, metric.NextSlot),
			strings.HasPrefix(m.Unit, metric.Even), strings.HasPrefix(m.Unit, metric.NoTarget),
			strings.HasPrefix(m.Unit, decide.Due),
			metric.IsTailShare(m.Unit):
		default:
			all = append(all, m)
		}
	}
	return all
}

// Names returns the names in the order of observe.Metrics.
func Names() (all []string) {
	for _, m := range metrics() {
		all = append(all, short(m.Unit))
	}
	return all
}

type Verdict = decide.Verdict

const (
	Undecided = decide.Undecided
	Met       = decide.Met
	Missed    = decide.Missed
)

// A Run is a *bench.Result, or a run read from a file.
type Run interface {
	Metric(unit string) (value float64, ok bool)
	Invalid() bool // reports whether the numbers are unreliable
}

// The verdict is Undecided if the run is INVALID or lacks the metric, for example a quantile with
// too few tasks.
func (o Objective) Evaluate(r Run) Verdict {
	unit, _ := decide.Completed(o.Unit)
	v, ok := r.Metric(unit)
	lost, isLost := decide.Lost(o.Limit(), r.Metric)
	switch {
	case r.Invalid():
		return Undecided
	case isLost:
		return lost.Verdict
	case !ok, math.IsNaN(v):
		return Undecided
	case o.meets(v):
		return Met
	}
	return Missed
}

// A Resolver, such as a scenario or an attack, reports in advance which metrics its run will lack.
type Resolver interface{ Resolves(unit string) error }

// Decidable returns each error of the resolvers once.
func Decidable[R Resolver](l List, of ...R) error {
	var complaints []error
	seen := map[string]bool{}
	for _, r := range of {
		for _, o := range l {
			unit, _ := decide.Completed(o.Unit)
			if err := r.Resolves(unit); err != nil && !seen[err.Error()] {
				seen[err.Error()] = true
				complaints = append(complaints, fmt.Errorf("objective %v: %w", o, err))
			}
		}
	}
	return errors.Join(complaints...)
}

func (l List) Evaluate(r Run) Verdict {
	all := Met
	for _, o := range l {
		switch o.Evaluate(r) {
		case Missed:
			return Missed
		case Undecided:
			all = Undecided
		}
	}
	return all
}
