package cli

import (
	"math"
	"path/filepath"

	"github.com/poolbench/poolbench/internal/rundir"
)

// A capacityDocument is what `poolbench capacity --format json` prints.
type capacityDocument struct {
	head
	Dir        string         `json:"dir"`
	Results    string         `json:"results"`
	Report     string         `json:"report,omitempty"`
	Objective  string         `json:"objective"`
	Axis       string         `json:"axis"` // load or rate: what is searched
	From       float64        `json:"from"` // the range
	To         float64        `json:"to"`
	Confidence float64        `json:"confidence"`
	Cut        string         `json:"interrupted,omitempty"`
	Answers    []capacityLine `json:"answers"`
	Failed     []failure      `json:"failed,omitempty"`
}

// A capacityLine is the answer for one scenario.
type capacityLine struct {
	Name     string `json:"name"`
	Strategy string `json:"strategy"`
	Outcome  string `json:"outcome"` // between, at least, nowhere, unknown
	// the highest that is surely met; absent where there is none
	Met         *float64    `json:"met,omitempty"`
	Missed      *float64    `json:"missed,omitempty"` // the lowest above it that is surely missed
	MissedBelow []float64   `json:"missed_below,omitempty"`
	Runs        int         `json:"runs"`
	Tried       []probeLine `json:"tried"`
}

// A probeLine is a load or a rate that was tried.
type probeLine struct {
	At      float64 `json:"at"`
	Met     int     `json:"met"` // runs
	Missed  int     `json:"missed"`
	Untold  int     `json:"untold"`
	Verdict string  `json:"verdict"`
}

func (a *app) showCapacityJSON(f *searched, report string) error {
	s := f.search
	doc := capacityDocument{
		head: newHead("capacity"), Dir: f.path, Results: filepath.Join(f.path, rundir.ResultsFile),
		Report:    report,
		Objective: s.Objectives.String(), Axis: f.axis(), From: s.Lo, To: s.Hi,
		Confidence: s.Confidence, Answers: []capacityLine{}, Failed: f.failed,
	}
	if doc.Confidence == 0 {
		doc.Confidence = 0.95
	}
	if f.cut != nil {
		doc.Cut = f.cut.Error()
	}
	for _, answer := range f.answers {
		line := capacityLine{
			Name: s.Result(answer).Name, Strategy: answer.Scenario.Strategy.String(),
			Outcome: answer.Outcome().String(),
			Met:     orAbsent(answer.Met), Missed: orAbsent(answer.Missed),
			MissedBelow: answer.MissedBelow, Runs: answer.Runs(), Tried: []probeLine{},
		}
		for _, p := range answer.Probes {
			line.Tried = append(line.Tried,
				probeLine{p.At, p.Met, p.Missed, p.Untold, p.Verdict.String()})
		}
		doc.Answers = append(doc.Answers, line)
	}
	return a.json(doc)
}

func orAbsent(v float64) *float64 {
	if math.IsNaN(v) {
		return nil
	}
	return &v
}
