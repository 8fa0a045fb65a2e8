package page

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/poolbench/poolbench/internal/files/rundir"
	"github.com/poolbench/poolbench/reports/charts"
	"github.com/poolbench/poolbench/reports/page/front"
	"github.com/poolbench/poolbench/reports/page/shell"
	"github.com/poolbench/poolbench/reports/results"
)

// Explorer is the section of a page that draws several results together: a strategy is a series in
// each of them, held against the one of the first. Groups of the results that differ in nothing but
// their configuration lines, such as the commit, are one scenario. It is the zero Section where
// no name has a strategy.
func Explorer(inputs []results.Input) (s shell.Section, err error) {
	all := &results.Results{}
	in := &reportInput{results: all, curves: make(map[*reportCell]front.Curve),
		timelines: make(map[*results.Run][]interval)}
	scenarios := make(map[string]*reportGroup)
	var order []*reportGroup
	var labels []string
	for _, input := range inputs {
		if !slices.Contains(labels, input.Label) {
			labels = append(labels, input.Label)
		}
		part, err := readPart(input, len(inputs))
		if err != nil {
			return s, err
		}
		all.Runs = append(all.Runs, part.results.Runs...)
		for _, unit := range part.results.Metrics {
			if !slices.Contains(all.Metrics, unit) {
				all.Metrics = append(all.Metrics, unit)
			}
		}
		for _, name := range part.results.Strategies {
			if !slices.Contains(all.Strategies, name) {
				all.Strategies = append(all.Strategies, name)
			}
		}
		for _, g := range part.groups {
			if g.foreign() {
				continue
			}
			id := strings.Join([]string{g.base, pairsText(g.keys), part.study(g)}, "\x00")
			of := scenarios[id]
			if of == nil {
				of = &reportGroup{study: -1, base: g.base, keys: g.keys}
				scenarios[id], order = of, append(order, of)
			}
			of.take(g, slices.Index(labels, input.Label), all)
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
		g.sort()
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

// A reportPart is one of several results.
type reportPart struct {
	*reportInput
	groups []*reportGroup
}

// readPart sorts a result into groups and reads its curves and courses, where it is a directory
// that has them; of many results fewer scenarios have them.
func readPart(input results.Input, parts int) (*reportPart, error) {
	runs, _ := splitSearches(input.Results)
	p := &reportPart{&reportInput{results: runs}, groupRuns(runs)}
	cells := detailed(p.groups)
	p.detailed = cells[:min(len(cells), mostDetailed/parts)]
	if input.Results.Dir == "" || len(p.detailed) == 0 {
		return p, nil
	}
	if err := p.readDistributions(filepath.Join(input.Results.Dir, rundir.DistributionsFile),
		nil); err != nil {
		return nil, err
	}
	return p, p.readTimeline(filepath.Join(input.Results.Dir, rundir.TimelineFile), nil)
}

// study is the name of the study of a group.
func (p *reportPart) study(g *reportGroup) string {
	if g.study < 0 {
		return ""
	}
	return p.results.Findings[g.study].Study
}

// cycle is the number of colours: styles that differ by so many have the same.
var cycle = len(charts.Specification().Palette)

// take adds the cells of a group of the results with the index k: a strategy has one colour in all
// results, and the dash and the marker of its results. What is there already has more repetitions:
// results of one label are pooled.
func (g *reportGroup) take(from *reportGroup, k int, all *results.Results) {
	for _, c := range from.cells {
		same := slices.IndexFunc(g.cells, func(o *reportCell) bool {
			return o.strategy == c.strategy && o.source == k && o.place() == c.place()
		})
		if same >= 0 {
			g.cells[same].Cell = append(slices.Clip(g.cells[same].Cell), c.Cell...)
			continue
		}
		c.source, c.style = k, max(slices.Index(all.Strategies, c.strategy), 0)+k*cycle
		g.cells = append(g.cells, c)
	}
}
