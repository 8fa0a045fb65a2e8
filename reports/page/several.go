package page

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/poolbench/poolbench/internal/rundir"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/page/front"
	"github.com/poolbench/poolbench/reports/page/shell"
	"github.com/poolbench/poolbench/reports/results"
)

// Explorer returns a page section that compares several results. A strategy is one series per
// result, compared with its series in the first one. Groups that differ only in configuration, such
// as the commit, are one scenario. Without a strategy in any name, the Section is zero.
func Explorer(inputs []results.Input) (s shell.Section, err error) {
	all := &results.Results{}
	in := &reportInput{results: all, curves: make(map[*Cell]front.Curve),
		timelines: make(map[*results.Run][]interval)}
	scenarios := make(map[string]*Group)
	var order []*Group
	labels := text.Distinct(results.LabelsOf(inputs))
	for _, input := range inputs {
		part, err := readPart(input, len(inputs))
		if err != nil {
			return s, err
		}
		all.Runs = append(all.Runs, part.results.Runs...)
		all.Metrics = text.Distinct(append(all.Metrics, part.results.Metrics...))
		all.Strategies = text.Distinct(append(all.Strategies, part.results.Strategies...))
		for _, g := range part.groups {
			if Foreign(g) {
				continue
			}
			id := strings.Join([]string{g.Base, pairsKey(g.Keys), part.study(g)}, "\x00")
			of := scenarios[id]
			if of == nil {
				of = &Group{Study: -1, Base: g.Base, Keys: g.Keys}
				scenarios[id], order = of, append(order, of)
			}
			addCells(of, g, slices.Index(labels, input.Label), all)
		}
		maps.Copy(in.curves, part.curves)
		maps.Copy(in.timelines, part.timelines)
	}
	units, err := results.MergeUnits(inputs)
	if err != nil {
		return s, err
	}
	all.Units = units
	var ids []string
	for i, g := range order {
		g.Sort()
		ids = append(ids, fmt.Sprint("together-", i+1))
	}
	data := in.data(order, ids)
	data.Title = strings.Join(labels, ", ")
	if len(labels) > 1 {
		data.Sources = labels
	}
	body, err := front.Section(data)
	if body == "" {
		return s, err
	}
	return shell.Section{ID: "explore", Title: "Explore", Body: body, CSS: front.CSS(),
		JS: front.Script()}, err
}

type reportPart struct {
	*reportInput
	groups []*Group
}

// With many results, fewer scenarios have curves.
func readPart(input results.Input, parts int) (*reportPart, error) {
	runs, _ := splitSearches(input.Results)
	p := &reportPart{&reportInput{results: runs}, Groups(runs)}
	cells := p.detailedCells(p.groups)
	p.detailed = cells[:min(len(cells), maxDetailed/parts)]
	if input.Results.Dir == "" || len(p.detailed) == 0 {
		return p, nil
	}
	if err := p.readDistributions(filepath.Join(input.Results.Dir, rundir.DistributionsFile),
		nil); err != nil {
		return nil, err
	}
	return p, p.readTimeline(filepath.Join(input.Results.Dir, rundir.TimelineFile), nil)
}

// A strategy has one colour in all results, but different dashes and markers. Results with the same
// label are pooled.
func addCells(g *Group, from *Group, k int, all *results.Results) {
	for _, c := range from.Cells {
		same := slices.IndexFunc(g.Cells, func(o *Cell) bool {
			return o.Strategy == c.Strategy && o.Source == k && o.Place() == c.Place()
		})
		if same >= 0 {
			g.Cells[same].Cell = append(slices.Clip(g.Cells[same].Cell), c.Cell...)
			continue
		}
		c.Source, c.Style = k, max(slices.Index(all.Strategies, c.Strategy), 0)+k*cycle
		g.Cells = append(g.Cells, c)
	}
}
