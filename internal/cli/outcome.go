package cli

import (
	"math"
	"path/filepath"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/finding"
	"github.com/poolbench/poolbench/internal/rundir"
)

// A runDocument is what `poolbench run --format json` prints.
type runDocument struct {
	head
	Dir      string            `json:"dir"`
	Results  string            `json:"results"`          // the file in the Go benchmark format
	Report   string            `json:"report,omitempty"` // absent where there is none
	Planned  int               `json:"planned"`          // runs
	Complete bool              `json:"complete"`         // every planned run has a result
	Cut      string            `json:"interrupted,omitempty"`
	Runs     []runLine         `json:"runs"`
	Failed   []failure         `json:"failed,omitempty"`
	Findings []finding.Finding `json:"findings,omitempty"` // of studies

	// those that the scenarios were held to
	Objectives []objectiveLine `json:"objectives,omitempty"`
}

// A runLine is one result. Times are in seconds, shares in fractions of 1; a metric that the run
// could not tell is absent.
type runLine struct {
	Name    string             `json:"name"`
	Seed    uint64             `json:"seed"`
	Tasks   int                `json:"tasks"`
	Metrics map[string]float64 `json:"metrics"`
	Broken  []string           `json:"broken_laws,omitempty"`
	Verdict string             `json:"verdict"`           // VALID, SUSPECT or INVALID
	Reasons []string           `json:"reasons,omitempty"` // that it is not VALID for
}

func newRunLine(r *bench.Result) runLine {
	line := runLine{Name: r.Name, Seed: r.Seed, Tasks: r.Tasks, Metrics: map[string]float64{},
		Broken: r.Broken, Verdict: r.Verdict.String()}
	for _, m := range r.Metrics {
		if !math.IsNaN(m.Value) && !math.IsInf(m.Value, 0) { // JSON has no word for them
			line.Metrics[m.Unit] = m.Value
		}
	}
	for _, reason := range r.Reasons {
		line.Reasons = append(line.Reasons, reason.String())
	}
	return line
}

func (a *app) showRunJSON(e *execution, report string) error {
	doc := runDocument{
		head: newHead("run"), Dir: e.path, Results: filepath.Join(e.path, rundir.ResultsFile),
		Report:  report,
		Planned: e.plan.runs(), Complete: len(e.records) == e.plan.runs(), Runs: []runLine{},
		Failed: e.failed, Findings: e.findings,
	}
	if e.cut != nil {
		doc.Cut = e.cut.Error()
	}
	for _, rec := range e.records {
		doc.Runs = append(doc.Runs, newRunLine(rec.result))
	}
	for _, j := range e.judged() {
		doc.Objectives = append(doc.Objectives, newObjectiveLine(j))
	}
	return a.json(doc)
}
