package capacity

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/objectives"
)

// An Answer is what a search found for one scenario: what was searched is between Met and Missed.
// The words are those of a load; of limits, where the smallest one is searched, Met is the smallest
// that is surely met and Missed the largest below it that is surely missed.
type Answer struct {
	Scenario bench.Scenario // as it was given
	// the highest load, or rate, that is surely met; NaN where there is none
	Met float64
	// the lowest one above it that is surely missed; NaN where there is none
	Missed float64
	// what is surely missed although a higher load is met: the objective is not monotone in the
	// load
	MissedBelow []float64
	Probes      []Probe // all that was tried, by load; limits from the largest on
	Calculated  int     // of the runs, from their plans
	Confirmed   int     // runs by the strategy's own code that confirm the ends of the answer
	// the run that gave no result, and with which the search was given up, or that was other than
	// calculated
	Err error
}

// An Outcome is the kind of an answer.
type Outcome int

// The outcomes.
const (
	Between Outcome = iota // Met and Missed are both there
	AtLeast                // the highest load of the range is met: the capacity is beyond
	Nowhere                // every load tried is missed
	// an end is missing, since what lies there could not be decided, or since a run failed
	Unknown
)

func (o Outcome) String() string {
	return [...]string{"between", "at least", "nowhere", "unknown"}[o]
}

// Outcome says which of its ends the answer has, and why not the other.
func (a Answer) Outcome() Outcome {
	met, missed := !math.IsNaN(a.Met), !math.IsNaN(a.Missed)
	switch {
	case a.Err != nil, len(a.Probes) == 0:
		return Unknown
	case met && missed:
		return Between
	case met && a.Probes[len(a.Probes)-1].At == a.Met:
		return AtLeast
	case !met && !slices.ContainsFunc(a.Probes, func(p Probe) bool {
		return p.Verdict != objectives.Missed
	}):
		return Nowhere
	}
	return Unknown
}

// Runs is how many runs the answer rests on.
func (a Answer) Runs() (n int) {
	for _, p := range a.Probes {
		n += p.runs()
	}
	return n
}

// Untold is how many of the runs could not tell whether they met the objectives.
func (a Answer) Untold() (n int) {
	for _, p := range a.Probes {
		n += p.Untold
	}
	return n
}

// Result puts the answer in the form of a run, for the results of a run directory:
// Capacity/strategy=…/load=LO..HI/…/objective=…. It has the ends that there are, capacity-met-load
// and capacity-missed-load, or -rate in their place.
func (s Search) Result(a Answer) *bench.Result {
	axis := s.Over.String()
	at := func(v float64) string { return fmt.Sprintf("/%s=%v", axis, v) }
	name := strings.TrimPrefix(s.Over.at(a.Scenario, s.Lo).Name(), "Run/")
	name = strings.Replace(name, at(s.Lo), fmt.Sprintf("%s..%v", at(s.Lo), s.Hi), 1)
	if c := s.confidence(); c != defaultConfidence {
		name += fmt.Sprintf("/confidence=%v", c)
	}
	r := &bench.Result{Name: "Capacity/" + name + "/objective=" + s.Objectives.String(),
		Seed: a.Scenario.Seed, Tasks: a.Runs()}
	add := func(unit string, v float64) {
		if !math.IsNaN(v) {
			r.Metrics = append(r.Metrics, bench.Metric{Unit: unit, Value: v})
		}
	}
	add(metric.CapacityMet(axis), a.Met)
	add(metric.CapacityMissed(axis), a.Missed)
	add(metric.CapacityProbes, float64(len(a.Probes)))
	r.Metrics = append(r.Metrics, a.Losses()...)
	if a.Outcome() == Unknown {
		r.Undecided = Undecided(a.Scenario.Strategy.String(), s.Objectives, a.Met, a.Missed,
			func(v float64) string { return fmt.Sprintf("%s %v", axis, v) })
	}
	return r
}

// Undecided words what a search without an answer knows: where the objectives are met and missed,
// NaN being nowhere.
func Undecided(
	name string, of objectives.List, met, missed float64, spell func(float64) string,
) string {
	at := func(v float64) string {
		if math.IsNaN(v) {
			return "no value that was tried"
		}
		return spell(v)
	}
	return fmt.Sprintf("%s: undecided for %v; met at %s, missed at %s", name, of, at(met), at(missed))
}

// Losses are the shares of the tasks that did not complete where the objectives are met.
func (a Answer) Losses() []bench.Metric {
	for _, p := range a.Probes {
		if p.At == a.Met {
			return p.Losses[:]
		}
	}
	return nil
}
