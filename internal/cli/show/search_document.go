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

// SearchResult contains a search and its answers.
type SearchResult struct {
	*execute.Execution
	Search  capacity.Search
	Answers []capacity.Answer
}

// A SearchDocument is the output of `poolbench capacity --format json`.
type SearchDocument struct {
	Head
	Objective  string  `json:"objective"`
	Axis       string  `json:"axis"` // searched axis: load, rate, limit or queue
	From       float64 `json:"from"` // range of the search
	To         float64 `json:"to"`
	Confidence float64 `json:"confidence"`
	Cut        string  `json:"interrupted,omitempty"`
	// about a rate that differs from that of the target, or why the search of a server stopped
	Warnings []string         `json:"warnings,omitempty"`
	Answers  []SearchLine     `json:"answers"`
	Failed   []rundir.Failure `json:"failed,omitempty"`
}

// A SearchLine is the answer for one scenario.
type SearchLine struct {
	Name     string `json:"name"`
	Strategy string `json:"strategy"`
	Outcome  string `json:"outcome"` // between, at least, nowhere, unknown
	// the highest value that certainly meets the objective, or the smallest such limit; absent if
	// there is none
	Met *float64 `json:"met,omitempty"`
	// the lowest value above it that certainly misses the objective, or the largest such limit
	// below it
	Missed      *float64  `json:"missed,omitempty"`
	MissedBelow []float64 `json:"missed_below,omitempty"`
	Runs        int       `json:"runs"`
	Calculated  int       `json:"calculated"` // runs calculated from their plans
	// calculated runs confirmed by running the strategy's code
	Confirmed int           `json:"confirmed"`
	Tried     []SearchProbe `json:"tried"`
	// on each objective at each value tried, if the question concerns the long run
	Decisions []Decision `json:"decisions,omitempty"`
}

// A SearchProbe is a value that was tried.
type SearchProbe struct {
	At      float64 `json:"at"`
	Met     int     `json:"met"` // number of runs that met the objective
	Missed  int     `json:"missed"`
	Untold  int     `json:"untold"`
	Verdict string  `json:"verdict"`
}

// A Decision concerns one objective at one value, with its evidence.
type Decision struct {
	At        float64  `json:"at"`
	Objective string   `json:"objective"`
	Verdict   string   `json:"verdict"`
	Value     *float64 `json:"value"` // null if infinite or unknown
	Low       *float64 `json:"low"`
	High      *float64 `json:"high"`
	Reason    string   `json:"reason,omitempty"`
	Next      string   `json:"next,omitempty"` // flag that would decide it
}

func decisionsOf(p capacity.Probe, list objectives.List) (all []Decision) {
	for i, d := range p.Decisions {
		all = append(all, Decision{p.At, list[i].String(), d.Verdict.String(),
			text.JSONNumber(d.Value), text.JSONNumber(d.Low), text.JSONNumber(d.High), d.Reason,
			d.Next})
	}
	return all
}

func showCapacityJSON(f *SearchResult) error {
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
