package outcome

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/poolbench/poolbench/internal/cli/terminal"
	"github.com/poolbench/poolbench/internal/text/quantity"
	"github.com/poolbench/poolbench/reports/results"
)

// showSweep prints one table for all groups that differ in the swept axis alone: strategies down,
// its values across, in each cell the p99 of the response.
func showSweep(p *terminal.Printer, groups []*group) error {
	axis := sweptAxis(groups)
	note := "p99 response"
	if slices.ContainsFunc(groups, (*group).losesTasks) {
		note += "; in brackets the share of tasks that completed, where not all did"
	}
	p.Prose("%s\n", note)
	title := func(g *group) string { return Heading(results.Without(g.keys, axis)) }
	for _, block := range results.Gather(groups, title) {
		p.Prose("%s\n", title(block[0])+Repetitions(block[0].rows))
		rows, notes := sweepTable(axis, block)
		if err := p.Table(rows); err != nil {
			return err
		}
		var sure certainty
		var shown []results.Shown
		for _, g := range block {
			place := results.Readable(results.Lookup(g.keys, axis))
			for _, r := range g.rows {
				sure.Add(r.Strategy+" at "+place, r.Cell)
				shown = append(shown, results.Shown{Cell: r.Cell, Unit: "p99-response-sec"})
			}
		}
		for _, note := range slices.Concat(notes, results.UncertainLines(shown), sure.notes(),
			labelNotes(block[0].rows)) {
			p.Say("  ", note, pageWidth)
		}
		fmt.Fprintln(p.Stdout)
	}
	return nil
}

// sweepTable also names the strategies that share a row.
func sweepTable(axis string, block []*group) (rows [][]string, notes []string) {
	var strategies []string
	heads := []string{axis}
	for _, g := range block {
		heads = append(heads, cmp.Or(results.Readable(results.Lookup(g.keys, axis)), "–"))
		for _, r := range g.rows {
			if !slices.Contains(strategies, r.Strategy) {
				strategies = append(strategies, r.Strategy)
			}
		}
	}
	rows = [][]string{heads}
	names, notes := alike(block)
	for _, s := range strategies {
		if names[s] == "" {
			continue
		}
		cells := []string{names[s]}
		for _, g := range block {
			cells = append(cells, g.cell(s))
		}
		rows = append(rows, cells)
	}
	return rows, notes
}

// cell is the p99 of the response, with the share of tasks that completed where not all did.
func (g *group) cell(strategy string) string {
	r := Row{Cell: g.cellOf(strategy)}
	if r.Cell == nil {
		return ""
	}
	text := r.Show("p99-response-sec")
	if lost := r.Lost(); lost > 0 {
		text += " (" + quantity.WholeShare(1-lost) + ")"
	}
	return text
}

// cellOf are the runs of a strategy; nil where it has none.
func (g *group) cellOf(strategy string) results.Cell {
	for _, r := range g.rows {
		if r.Strategy == strategy {
			return r.Cell
		}
	}
	return nil
}

func (g *group) losesTasks() bool {
	return slices.ContainsFunc(g.rows, func(r Row) bool { return r.Lost() > 0 })
}

// sweptAxis is the axis with the most values; of several, the first that a scenario's name has.
func sweptAxis(groups []*group) (axis string) {
	values := map[string][]string{}
	most := 0
	for _, g := range groups {
		for _, k := range g.keys {
			if !slices.Contains(values[k.Key], k.Value) {
				values[k.Key] = append(values[k.Key], k.Value)
			}
			if n := len(values[k.Key]); n > most {
				axis, most = k.Key, n
			}
		}
	}
	return axis
}
