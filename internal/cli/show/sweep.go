package show

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/poolbench/poolbench/internal/cli/terminal"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/results"
)

const p99 = metric.P99Response

// showSweep prints one table for all groups that differ only in the swept axis, whose values are
// columns. A study has a table for each deciding metric.
func showSweep(p *terminal.Printer, groups []*group, decides []string) error {
	axis := sweptAxis(groups)
	title := func(g *group) string { return Heading(results.Without(g.keys, axis)) }
	blocks := results.Gather(groups, title)
	var notes []string
	if len(decides) == 0 {
		notes = append(notes, "p99 response")
	}
	if slices.ContainsFunc(blocks, func(block []*group) bool {
		return slices.ContainsFunc(block, (*group).losesTasks) &&
			slices.ContainsFunc(unitsOf(block, decides), isTime)
	}) {
		notes = append(notes, "in brackets the share of tasks that completed, unless all tasks "+
			"completed")
	}
	if len(notes) > 0 {
		p.Prose("%s\n", strings.Join(notes, "; "))
	}
	for _, block := range blocks {
		p.Prose("%s\n", title(block[0])+Repetitions(block[0].rows))
		units := unitsOf(block, decides)
		names, notes := alike(block)
		for _, rows := range sweepTables(axis, units, block, names, len(decides) > 0) {
			if err := p.Table(rows); err != nil {
				return err
			}
		}
		var sure certainty
		var shown []results.ShownMetric
		for _, g := range block {
			if !slices.Contains(units, p99) {
				break // no table to explain
			}
			place := results.Readable(results.Lookup(g.keys, axis))
			for _, r := range g.rows {
				sure.Add(r.Strategy+" at "+place, r.Cell)
				shown = append(shown, results.ShownMetric{Cell: r.Cell, Unit: metric.P99Response})
			}
		}
		if len(decides) == 0 {
			for _, g := range block {
				notes = append(notes, limitNotes(g.keys, g.rows)...)
			}
		}
		for _, note := range slices.Concat(text.Distinct(notes), results.UncertainLines(shown),
			sure.notes(), labelNotes(block[0].rows)) {
			p.Paragraph("  ", note, pageWidth)
		}
		fmt.Fprintln(p.Stdout)
	}
	return nil
}

func unitsOf(block []*group, decides []string) []string {
	units := slices.DeleteFunc(slices.Clone(decides), func(unit string) bool {
		return !slices.ContainsFunc(block, func(g *group) bool { return g.has(unit) })
	})
	if len(units) == 0 {
		return []string{p99}
	}
	return units
}

// A time covers only completed tasks.
func isTime(unit string) bool { return strings.HasSuffix(unit, "-sec") }

func headOf(unit string) string {
	if unit == p99 {
		return "p99 response"
	}
	return columnOf(unit).Head
}

// sweepTables returns a table for each metric, or one with a column for each metric if the axis has
// a single value. names contains the strategies that have a row.
func sweepTables(
	axis string, units []string, block []*group, names map[string]string, titled bool,
) (tables [][][]string) {
	var strategies []string
	heads := []string{axis}
	for _, g := range block {
		heads = append(heads, cmp.Or(results.Readable(results.Lookup(g.keys, axis)), "–"))
		for _, r := range g.rows {
			if !slices.Contains(strategies, r.Strategy) && names[r.Strategy] != "" {
				strategies = append(strategies, r.Strategy)
			}
		}
	}
	if titled && len(block) == 1 {
		rows := [][]string{append([]string{heads[1]}, text.Texts(units, headOf)...)}
		for _, s := range strategies {
			rows = append(rows, append([]string{names[s]}, text.Texts(units,
				func(unit string) string { return block[0].cell(s, unit) })...))
		}
		return [][][]string{rows}
	}
	for _, unit := range units {
		rows := [][]string{slices.Clone(heads)}
		if titled {
			rows[0][0] = headOf(unit) + " by " + axis
		}
		for _, s := range strategies {
			rows = append(rows, append([]string{names[s]}, text.Texts(block,
				func(g *group) string { return g.cell(s, unit) })...))
		}
		tables = append(tables, rows)
	}
	return tables
}

// If not all tasks completed, cell adds the share of completed tasks to a time.
func (g *group) cell(strategy, unit string) string {
	r := Row{Cell: g.cellOf(strategy)}
	if r.Cell == nil {
		return ""
	}
	s := r.Show(unit)
	if lost := r.Lost(); lost > 0 && isTime(unit) {
		s += " (" + text.WholeShare(1-lost) + ")"
	}
	return s
}

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

// sweptAxis returns the axis with the most values. Among equal ones it returns the first in a
// scenario's name.
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
