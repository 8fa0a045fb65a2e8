package page

import (
	"fmt"
	"strings"

	"github.com/poolbench/poolbench/reports/charts"
)

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

func (r *Report) section(in *reportInput, g *Group) (section reportSection, err error) {
	id := "group-" + strings.Join(factsOf(g), "-")
	if g.Study >= 0 { // dozens of groups of a study may differ in one word
		id = "group-" + in.study(g)
	}
	section = reportSection{
		ID: r.unique(charts.FileName(id)), Title: title(g), Facts: subjects(g),
		Runs: runsOf(g.Cells), Table: Results(g), Checks: Checks(g),
		Evidence: Evidence(g),
		Inside:   inside(g), Steps: steps(g), Labels: Labels(g),
		OverTime: in.heatTable(g),
	}
	if section.Evidence != nil {
		all := Doubted(g, "")
		section.Doubts, section.Doubted = doubtLines(all), len(all)
	}
	section.Failed, section.FailedMore = in.failedRows(g)
	if !in.needsCharts(g) && !in.needsTimeline(g) {
		if !Foreign(g) {
			section.withoutSwatches()
		}
		return section, nil
	}
	for _, s := range g.Sweeps() {
		figures, notes, err := in.chart(g, s)
		if err != nil {
			return section, err
		}
		for _, note := range notes {
			r.page.Notes = append(r.page.Notes, fmt.Sprintf("%s, %s.", subtitle(g, s), note))
		}
		for _, f := range figures {
			f.own = g.Study >= 0
			under := s.Fixed
			if g.Study >= 0 {
				under = subtitle(g, s)
			}
			if err := r.add(&section.Figures, f, under); err != nil {
				return section, err
			}
		}
	}
	return section, nil
}

func (s *reportSection) withoutSwatches() {
	for _, t := range []*Table{&s.Table, s.Checks, s.Evidence, s.Inside} {
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

func (r *Report) addVariance(to *[]reportFigure, groups []*Group) error {
	for _, set := range varianceSets(groups) {
		f, err := set.figure()
		if err != nil {
			return err
		}
		f.own = groups[0].Study >= 0
		if err := r.add(to, *f, set.title); err != nil {
			return err
		}
	}
	return nil
}
