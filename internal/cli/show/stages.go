package show

import (
	"fmt"
	"slices"
	"strings"

	"github.com/poolbench/poolbench/bench/arrivals"
	"github.com/poolbench/poolbench/internal/cli/terminal"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/results"
)

var stageColumns = []Column{
	{"offered", metric.Offered, true},
	{"goodput", metric.Goodput, true},
	{"mean response", metric.MeanResponse, true},
	{"p99", metric.P99Response, true},
	{"shed", metric.Shed, false},
	{"failed", metric.Failed, false},
}

const maxStagesShown = 6

func showStages(p *terminal.Printer, g *group, rows []Row) error {
	at := arrivalStages(results.Lookup(g.keys, "arrival"))
	if len(at) < 2 {
		return nil
	}
	if len(at) > maxStagesShown {
		p.Paragraph("  ", fmt.Sprintf("results.txt has the results of each of the %d stages", len(at)),
			pageWidth)
		return nil
	}
	shown := slices.Clone(stageColumns)
	shown = slices.DeleteFunc(shown, func(c Column) bool {
		return !c.always && !slices.ContainsFunc(rows, func(r Row) bool {
			for k := range at {
				if v, ok := r.Estimate(stageUnit(k, c.Unit)); ok && v.Mid != 0 {
					return true
				}
			}
			return false
		})
	})
	lines := [][]string{slices.Concat([]string{"strategy", "stage"}, Heads(shown),
		[]string{"backlog at its end", "recovered after"})}
	for _, r := range rows {
		if len(r.Cell) == 0 {
			continue
		}
		for k, s := range at {
			stage := strings.Replace(s.String(), "x", " for ", 1)
			line := []string{r.Strategy, fmt.Sprintf("%d: %s", k+1, stage)}
			for _, c := range shown {
				line = append(line, r.Show(stageUnit(k, c.Unit)))
			}
			lines = append(lines, append(line, r.backlog(k), r.recovery(k)))
		}
	}
	return p.Table(lines)
}

var loadStageColumns = []Column{
	{Head: "offered", Unit: metric.Offered},
	{Head: "failed", Unit: metric.Failed},
	{Head: "p50", Unit: metric.P50Response},
	{Head: "p95", Unit: metric.P95Response},
	{Head: "p99", Unit: metric.P99Response},
	{Head: "open at its end", Unit: metric.BacklogTasks},
}

func (e *loadSeries) showStages(r Row) error {
	if len(r.Cell) == 0 {
		return nil
	}
	stages := results.StagesOf(r.Cell[0])
	if len(stages) < 2 {
		return nil
	}
	of := "stage"
	if len(e.loads) > 1 {
		of = r.Strategy + ": stage"
	}
	lines := [][]string{append([]string{of}, Heads(loadStageColumns)...)}
	for k, s := range stages {
		line := []string{s.Name}
		for _, c := range loadStageColumns {
			if c.Unit == metric.BacklogTasks {
				line = append(line, r.backlog(k))
				continue
			}
			line = append(line, r.Show(s.Prefix+c.Unit))
		}
		lines = append(lines, line)
	}
	e.Prose("\n")
	return e.Table(lines)
}

func arrivalStages(arrival string) []arrivals.Stage {
	v, err := arrivals.Parse(results.Readable(arrival))
	if err != nil {
		return nil
	}
	return v.Stages()
}

func stageUnit(k int, unit string) string { return fmt.Sprintf("stage%d-%s", k+1, unit) }

func (r Row) backlog(k int) string {
	v, ok := r.Estimate(stageUnit(k, metric.BacklogTasks))
	if !ok {
		return "–"
	}
	return fmt.Sprintf("%.0f", v.Mid)
}

// recovery returns the time until the response time was back at its level in the first stage.
func (r Row) recovery(k int) string {
	recovered, known := r.Estimate(stageUnit(k, metric.Recovered))
	after, ok := r.Estimate(stageUnit(k, metric.Recovery))
	switch {
	case !known:
		return "–"
	case recovered.Mid < 1 || !ok:
		return "never in the run"
	case after.Mid == 0:
		return "at once"
	}
	return text.Seconds(after.Mid)
}
