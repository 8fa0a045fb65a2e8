// Package search shows what came of a search for capacity: tables, and the JSON document.
package search

import (
	"cmp"

	"github.com/poolbench/poolbench/bench/capacity"
	"github.com/poolbench/poolbench/bench/objectives"
	"github.com/poolbench/poolbench/internal/cli/execution"
	"github.com/poolbench/poolbench/internal/cli/outcome"
	"github.com/poolbench/poolbench/internal/cli/question"
	"github.com/poolbench/poolbench/internal/files/rundir"
	"github.com/poolbench/poolbench/internal/text/jsondoc"
)

// Found is what has become of a search.
type Found struct {
	*execution.Execution
	Search  capacity.Search
	Answers []capacity.Answer
}

// A Document is what `poolbench capacity --format json` prints.
type Document struct {
	outcome.Head
	Objective  string  `json:"objective"`
	Axis       string  `json:"axis"` // load, rate, limit or queue: what is searched
	From       float64 `json:"from"` // the range
	To         float64 `json:"to"`
	Confidence float64 `json:"confidence"`
	Cut        string  `json:"interrupted,omitempty"`
	// of a rate that is not the target's, or why the search of a server stopped
	Warnings []string         `json:"warnings,omitempty"`
	Answers  []Line           `json:"answers"`
	Failed   []rundir.Failure `json:"failed,omitempty"`
}

// A Line is the answer for one scenario.
type Line struct {
	Name     string `json:"name"`
	Strategy string `json:"strategy"`
	Outcome  string `json:"outcome"` // between, at least, nowhere, unknown
	// the highest that is surely met, or the smallest limit; absent where there is none
	Met *float64 `json:"met,omitempty"`
	// the lowest above it that is surely missed, or the largest limit below it
	Missed      *float64  `json:"missed,omitempty"`
	MissedBelow []float64 `json:"missed_below,omitempty"`
	Runs        int       `json:"runs"`
	Calculated  int       `json:"calculated"` // of the runs, from their plans
	Confirmed   int       `json:"confirmed"`  // runs of the strategy's code that say the same
	Tried       []Probe   `json:"tried"`
	// on each objective at each value tried, where the question is about the long run
	Decisions []Decision `json:"decisions,omitempty"`
}

// A Probe is a load or a rate that was tried.
type Probe struct {
	At      float64 `json:"at"`
	Met     int     `json:"met"` // runs
	Missed  int     `json:"missed"`
	Untold  int     `json:"untold"`
	Verdict string  `json:"verdict"`
}

// A Decision is that on an objective at a value, with its evidence.
type Decision struct {
	At        float64  `json:"at"`
	Objective string   `json:"objective"`
	Verdict   string   `json:"verdict"`
	Value     *float64 `json:"value"` // null where it is infinite or unknown
	Low       *float64 `json:"low"`
	High      *float64 `json:"high"`
	Reason    string   `json:"reason,omitempty"`
	Next      string   `json:"next,omitempty"` // the flag that would decide
}

// decisionsOf are those of a probe.
func decisionsOf(p capacity.Probe, list objectives.List) (all []Decision) {
	for i, d := range p.Decisions {
		all = append(all, Decision{p.At, list[i].String(), d.Verdict.String(),
			jsondoc.Finite(d.Value), jsondoc.Finite(d.Low), jsondoc.Finite(d.High), d.Reason,
			d.Next})
	}
	return all
}

func showCapacityJSON(f *Found) error {
	s := f.Search
	doc := Document{
		Head:      outcome.HeadOf(f.Execution, "capacity"),
		Objective: s.Objectives.String(), Axis: s.Over.String(), From: s.Lo, To: s.Hi,
		Confidence: cmp.Or(s.Confidence, 0.95), Cut: f.Interruption(),
		Warnings: question.OwnRates(f.Plan),
		Answers:  []Line{}, Failed: f.Failed,
	}
	for _, answer := range f.Answers {
		line := Line{
			Name: s.Result(answer).Name, Strategy: answer.Scenario.Strategy.String(),
			Outcome: answer.Outcome().String(),
			Met:     jsondoc.Finite(answer.Met), Missed: jsondoc.Finite(answer.Missed),
			MissedBelow: answer.MissedBelow, Runs: answer.Runs(), Calculated: answer.Calculated,
			Confirmed: answer.Confirmed, Tried: []Probe{},
		}
		for _, p := range answer.Probes {
			line.Tried = append(line.Tried,
				Probe{p.At, p.Met, p.Missed, p.Untold, p.Verdict.String()})
			line.Decisions = append(line.Decisions, decisionsOf(p, s.Objectives)...)
		}
		doc.Answers = append(doc.Answers, line)
	}
	return f.JSON(doc)
}
