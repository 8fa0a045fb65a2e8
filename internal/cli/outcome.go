package cli

import (
	"encoding/json"
	"path/filepath"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/attack"
	"github.com/poolbench/poolbench/bench/finding"
	"github.com/poolbench/poolbench/internal/cli/question"
	"github.com/poolbench/poolbench/internal/files/rundir"
	"github.com/poolbench/poolbench/internal/text/jsondoc"
)

// A writtenHead opens a document about results that are on disk.
type writtenHead struct {
	head
	Dir     string `json:"dir"`
	Results string `json:"results"`          // the file in the Go benchmark format
	Report  string `json:"report,omitempty"` // absent where there is none
}

func headOf(e *execution, kind string) writtenHead {
	dir := e.dir.Path()
	return writtenHead{newHead(kind), dir, filepath.Join(dir, rundir.ResultsFile), e.report}
}

// A runDocument is what run, attack and gateway print with --format json.
type runDocument struct {
	writtenHead
	Planned  int               `json:"planned"`  // runs
	Complete bool              `json:"complete"` // every planned run has a result
	Cut      string            `json:"interrupted,omitempty"`
	Warnings []string          `json:"warnings,omitempty"` // of a rate that is not the target's
	Runs     []runLine         `json:"runs"`
	Failed   []rundir.Failure  `json:"failed,omitempty"`
	Findings []finding.Finding `json:"findings,omitempty"` // of studies

	// those that the scenarios were held to
	Objectives []objectiveLine `json:"objectives,omitempty"`
}

// A runLine is one result. Times are in seconds, shares in fractions of 1; a metric that the run
// could not tell is absent.
type runLine struct {
	Name    string             `json:"name"`
	Seed    json.Number        `json:"seed"`
	Tasks   int                `json:"tasks"`
	Metrics map[string]float64 `json:"metrics"`
	Verdict string             `json:"verdict"` // VALID, SUSPECT or INVALID
	// that it is not VALID for: the check and what it found
	Reasons []string `json:"reasons,omitempty"`

	// of a load: what the server answered, and what came instead
	Statuses []attack.Count `json:"statuses,omitempty"`
	Errors   []attack.Count `json:"errors,omitempty"`
	Resumed  bool           `json:"resumed,omitempty"` // both are since --resume
	// how requests went, where that is not HTTP/1.1 on connections of the attack's own
	Over   string      `json:"over,omitempty"`
	Agents []agentLine `json:"agents,omitempty"` // that shared it
}

func newRunLine(r record) runLine {
	verdict, _ := r.Verdict()
	line := runLine{Name: r.Name, Seed: json.Number(r.Seed), Tasks: r.Iters, Metrics: r.Values,
		Verdict: verdict.String()}
	for _, doubt := range r.Doubts {
		line.Reasons = append(line.Reasons, doubt.Text)
	}
	if r.answers != nil {
		line.Statuses, line.Errors = r.answers.Statuses, r.answers.Errors
		line.Resumed, line.Over = r.answers.Resumed, r.answers.Over
		line.Agents = agentLines(r.answers.Agents)
	}
	return line
}

// metricMap leaves out what JSON has no word for.
func metricMap(metrics []bench.Metric) map[string]float64 {
	m := map[string]float64{}
	for _, metric := range metrics {
		if jsondoc.Finite(metric.Value) != nil {
			m[metric.Unit] = metric.Value
		}
	}
	return m
}

func document(e *execution, kind string) runDocument {
	doc := runDocument{writtenHead: headOf(e, kind), Planned: e.planned,
		Complete: e.done == e.planned, Cut: e.interruption(), Runs: []runLine{},
		Warnings: question.OwnRates(e.plan), Failed: e.failed, Findings: e.findings}
	doc.Version = 2
	for _, rec := range e.records {
		doc.Runs = append(doc.Runs, newRunLine(rec))
	}
	for _, j := range e.judged() {
		doc.Objectives = append(doc.Objectives, newObjectiveLine(j))
	}
	return doc
}
