package show

import (
	"cmp"

	"github.com/poolbench/poolbench/internal/capacity"
	"github.com/poolbench/poolbench/internal/cli/execute"
	"github.com/poolbench/poolbench/internal/cli/options"
	"github.com/poolbench/poolbench/internal/objectives"
	"github.com/poolbench/poolbench/internal/rundir"
	"github.com/poolbench/poolbench/internal/text"
)

// Found is a search with its answers.
type Found struct {
	*execute.Execution
	Search  capacity.Search
	Answers []capacity.Answer
}

// A SearchDocument is the output of `poolbench capacity --format json`.
type SearchDocument struct {
	Head
	Objective  string  `json:"objective"`
	Axis       string  `json:"axis"` // load, rate, limit or queue: what is searched
	From       float64 `json:"from"` // the range
	To         float64 `json:"to"`
	Confidence float64 `json:"confidence"`
	Cut        string  `json:"interrupted,omitempty"`
	// about a rate that differs from the target's, or why the search of a server stopped
	Warnings []string         `json:"warnings,omitempty"`
	Answers  []SearchLine     `json:"answers"`
	Failed   []rundir.Failure `json:"failed,omitempty"`
}

// A SearchLine is the answer for one scenario.
type SearchLine struct {
	Name     string `json:"name"`
	Strategy string `json:"strategy"`
	Outcome  string `json:"outcome"` // between, at least, nowhere, unknown
	// the highest value that is surely met, or the smallest limit; absent if there is none
	Met *float64 `json:"met,omitempty"`
	// the lowest above it that is surely missed, or the largest limit below it
	Missed      *float64      `json:"missed,omitempty"`
	MissedBelow []float64     `json:"missed_below,omitempty"`
	Runs        int           `json:"runs"`
	Calculated  int           `json:"calculated"` // of the runs, from their plans
	Confirmed   int           `json:"confirmed"`  // runs of the strategy's code that say the same
	Tried       []SearchProbe `json:"tried"`
	// on each objective at each value tried, if the question is about the long run
	Decisions []Decision `json:"decisions,omitempty"`
}

// A SearchProbe is a load or a rate that was tried.
type SearchProbe struct {
	At      float64 `json:"at"`
	Met     int     `json:"met"` // runs
	Missed  int     `json:"missed"`
	Untold  int     `json:"untold"`
	Verdict string  `json:"verdict"`
}

// A Decision is about one objective at one value, with its evidence.
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

func decisionsOf(p capacity.Probe, list objectives.List) (all []Decision) {
	for i, d := range p.Decisions {
		all = append(all, Decision{p.At, list[i].String(), d.Verdict.String(),
			text.JSONNumber(d.Value), text.JSONNumber(d.Low), text.JSONNumber(d.High), d.Reason,
			d.Next})
	}
	return all
}

func showCapacityJSON(f *Found) error {
	s := f.Search
	doc := SearchDocument{
		Head:      HeadOf(f.Execution, "capacity"),
		Objective: s.Objectives.String(), Axis: s.Over.String(), From: s.Lo, To: s.Hi,
		Confidence: cmp.Or(s.Confidence, 0.95), Cut: f.Interruption(),
		Warnings: options.OwnRates(f.Plan),
		Answers:  []SearchLine{}, Failed: f.Failed,
	}
	for _, answer := range f.Answers {
		line := SearchLine{
			Name: s.Result(answer).Name, Strategy: answer.Scenario.Strategy.String(),
			Outcome: answer.Outcome().String(),
			Met:     text.JSONNumber(answer.Met), Missed: text.JSONNumber(answer.Missed),
			MissedBelow: answer.MissedBelow, Runs: answer.Runs(), Calculated: answer.Calculated,
			Confirmed: answer.Confirmed, Tried: []SearchProbe{},
		}
		for _, p := range answer.Probes {
			line.Tried = append(line.Tried,
				SearchProbe{p.At, p.Met, p.Missed, p.Untold, p.Verdict.String()})
			line.Decisions = append(line.Decisions, decisionsOf(p, s.Objectives)...)
		}
		doc.Answers = append(doc.Answers, line)
	}
	return f.JSON(doc)
}
