package show

import (
	"encoding/json"
	"path/filepath"

	"github.com/poolbench/poolbench/bench/attack"
	"github.com/poolbench/poolbench/bench/attack/checks"
	"github.com/poolbench/poolbench/internal/cli/execute"
	"github.com/poolbench/poolbench/internal/cli/options"
	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/rundir"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/results"
	"github.com/poolbench/poolbench/reports/why"
)

type Head struct {
	text.Head
	Dir     string `json:"dir"`
	Results string `json:"results"`          // file in the Go benchmark format
	Report  string `json:"report,omitempty"` // absent without a report
}

func HeadOf(e *execute.Execution, kind string) Head {
	dir := e.Dir.Path()
	return Head{text.NewHead(kind), dir, filepath.Join(dir, rundir.ResultsFile), e.Report}
}

// A Document is the output of run, attack and gateway with --format json.
type Document struct {
	Head
	Planned  int    `json:"planned"`  // planned runs
	Complete bool   `json:"complete"` // whether every planned run has a result
	Cut      string `json:"interrupted,omitempty"`
	// warnings about rates that differ from that of the target
	Warnings []string         `json:"warnings,omitempty"`
	Runs     []RunLine        `json:"runs"`
	Failed   []rundir.Failure `json:"failed,omitempty"`
	Findings []decide.Finding `json:"findings,omitempty"` // findings of studies

	Objectives []objectiveLine `json:"objectives,omitempty"`
}

// Times are in seconds, shares are fractions of 1. A metric that the run could not measure is
// absent.
type RunLine struct {
	Name    string             `json:"name"`
	Seed    json.Number        `json:"seed"`
	Tasks   int                `json:"tasks"`
	Metrics map[string]float64 `json:"metrics"`
	// metrics whose relative 95 % error exceeds 25 %, with that error; null without a bound
	Uncertain map[string]results.Number `json:"uncertain,omitempty"`

	Verdict string `json:"verdict"` // VALID, SUSPECT or INVALID
	// why the run is not VALID
	Reasons []string `json:"reasons,omitempty"`
	// causes of its p99, ranked; absent without responses
	Why []why.Cause `json:"why,omitempty"`

	// for a load: the server's answers by status, and the errors
	Statuses []attack.Count `json:"statuses,omitempty"`
	Errors   []attack.Count `json:"errors,omitempty"`
	// whether both cover only the time since --resume
	Resumed bool `json:"resumed,omitempty"`
	// by URL if there are several, or by step of the sessions
	URLs []urlLine `json:"by_url,omitempty"`
	// the first failed answers, if there are checks
	Failures checks.Failures `json:"failures,omitempty"`
	// the rule that ended it early, with the reason
	Stopped string `json:"stopped,omitempty"`
	// protocol or connections, unless HTTP/1.1 on the attack's own connections
	Over   string      `json:"over,omitempty"`
	Agents []AgentLine `json:"agents,omitempty"` // agents that shared the load
}

func newRunLine(r execute.Record) RunLine {
	verdict, _ := r.Verdict()
	line := RunLine{Name: r.Name, Seed: json.Number(r.Seed), Tasks: r.Iters, Metrics: r.Values,
		Verdict: verdict.String()}
	if a, ok := why.Explain(results.Cell{r.Run}); ok {
		line.Why = a.Causes
	}
	for unit, share := range r.Uncertain {
		if line.Uncertain == nil {
			line.Uncertain = map[string]results.Number{}
		}
		line.Uncertain[unit] = results.Number(share)
	}
	line.Reasons = text.Texts(r.Doubts, func(d results.Doubt) string { return d.Text })
	if r.Answers != nil {
		line.Statuses, line.Errors = r.Answers.Statuses, r.Answers.Errors
		line.Resumed, line.Over = r.Answers.Resumed, r.Answers.Over
		line.Agents, line.Failures = agentLines(r.Answers.Agents), r.Answers.Failures
		line.Stopped = r.Stopped()
		line.URLs = urlLines(r.Run)
	}
	return line
}

func NewDocument(e *execute.Execution, kind string) Document {
	doc := Document{Head: HeadOf(e, kind), Planned: e.Planned,
		Complete: e.Done == e.Planned, Cut: e.Interruption(), Runs: []RunLine{},
		Warnings: options.OwnRates(e.Plan), Failed: e.Failed, Findings: e.Findings}
	doc.Version = 2
	for _, rec := range e.Records {
		doc.Runs = append(doc.Runs, newRunLine(rec))
	}
	for _, j := range e.Judged() {
		doc.Objectives = append(doc.Objectives, newObjectiveLine(j))
	}
	return doc
}
