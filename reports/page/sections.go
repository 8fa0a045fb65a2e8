package page

import (
	"fmt"
	"strings"

	"github.com/poolbench/poolbench/reports/charts"
)

// addSearches adds a figure for each search for capacity.
func (r *Report) addSearches(in *reportInput) error {
	for _, s := range in.searches {
		f, notes, err := s.figure()
		if err != nil {
			return err
		}
		r.page.Notes = append(r.page.Notes, notes...)
		if f == nil {
			continue
		}
		if err := r.add(&r.page.Capacity, *f, strings.Join(s.facts, " · ")); err != nil {
			return err
		}
	}
	return nil
}

// section makes the section of a group, with charts where it needs them.
func (r *Report) section(in *reportInput, g *reportGroup) (section reportSection, err error) {
	id := "group-" + strings.Join(g.facts(), "-")
	if g.study >= 0 { // which may have dozens that differ in a word of many
		id = "group-" + in.results.Findings[g.study].Study
	}
	section = reportSection{
		ID:    r.unique(charts.FileName(id)),
		Title: g.title(),
		Facts: g.subjects(),
		Runs:  runsOf(g.cells),
		Table: g.table(),
	}
	if checks, ok := g.checks(); ok {
		section.Checks = &checks
	}
	if evidence, ok := g.evidence(); ok {
		all := g.doubted("")
		section.Evidence, section.Doubts, section.Doubted = &evidence, doubtLines(all), len(all)
	}
	if inside, ok := g.inside(); ok {
		section.Inside = &inside
	}
	if !in.needsCharts(g) {
		if !g.foreign() {
			section.withoutSwatches()
		}
		return section, nil
	}
	for _, s := range g.sweeps() {
		figures, notes, err := in.chart(g, s)
		if err != nil {
			return section, err
		}
		for _, note := range notes {
			r.page.Notes = append(r.page.Notes, fmt.Sprintf("%s, %s.", subtitle(g, s), note))
		}
		for _, f := range figures {
			f.own = g.study >= 0
			under := s.fixed
			if g.study >= 0 {
				under = subtitle(g, s)
			}
			if err := r.add(&section.Figures, f, under); err != nil {
				return section, err
			}
		}
	}
	return section, nil
}

// withoutSwatches takes the pieces of lines from the tables: where there are no lines, they would
// point at nothing.
func (s *reportSection) withoutSwatches() {
	for _, t := range []*reportTable{&s.Table, s.Checks, s.Evidence, s.Inside} {
		if t == nil {
			continue
		}
		for _, b := range t.Bodies {
			for i := range b.Rows {
				b.Rows[i].Swatch = ""
			}
		}
	}
}

// addVariance adds a figure for each set of workloads that differ in variance alone.
func (r *Report) addVariance(to *[]reportFigure, groups []*reportGroup) error {
	for _, set := range varianceSets(groups) {
		f, err := set.figure()
		if err != nil {
			return err
		}
		f.own = groups[0].study >= 0
		if err := r.add(to, *f, set.title); err != nil {
			return err
		}
	}
	return nil
}
