package page

import (
	"errors"
	"slices"
	"strings"

	"github.com/poolbench/poolbench/reports/charts"
	"github.com/poolbench/poolbench/reports/page/shell"
	"github.com/poolbench/poolbench/reports/results"
)

// A Figure is a chart or a table with its text, made by a Drawer.
type Figure struct {
	Study           string // its study, or ""
	Name            string // of its files, without extension: letters, digits and dashes
	Title, Subtitle string
	Caption         string        // the finding, in a few sentences
	Notes           []string      // omissions, in addition to those of the chart
	Chart           *charts.Chart // nil for a table
	Table           *shell.Table  // nil for a chart. A table has no files
}

// A FigureFunc makes figures from the results of a run directory, or returns none. A study with a
// figure of its own has no standard charts.
type FigureFunc func(*results.Results) ([]Figure, error)

func (in *reportInput) drawFigures() error {
	for _, d := range in.draw {
		figures, err := d(in.results)
		if _, empty := errors.AsType[*charts.EmptyError](err); empty {
			continue
		} else if err != nil {
			return err
		}
		in.figures = append(in.figures, figures...)
	}
	return nil
}

// If a study was cut off and has no finding, its figure comes first.
func (r *Report) addFigures(in *reportInput, studies []reportStudy) error {
	for _, f := range in.figures {
		into := &r.page.Figures
		at := slices.IndexFunc(studies, func(s reportStudy) bool { return s.Study == f.Study })
		switch {
		case at >= 0:
			into = &studies[at].Figures
			if f.Chart != nil && studies[at].Spark == "" {
				studies[at].Spark = shell.HTML(f.Chart.Spark())
			}
		case f.Study != "" && in.results.Partial == "":
			continue
		}
		if err := r.addDrawn(into, f); err != nil {
			return err
		}
		notes := f.Notes
		if f.Chart != nil {
			notes = slices.Concat(f.Chart.Notes, notes)
		}
		for _, note := range notes {
			r.page.Notes = append(r.page.Notes, f.Title+": "+strings.TrimPrefix(note, ": ")+".")
		}
	}
	return nil
}

func (r *Report) addDrawn(to *[]reportFigure, f Figure) error {
	name := charts.FileName(f.Name)
	if f.Table != nil {
		*to = append(*to, reportFigure{ID: r.unique(name), Title: f.Title, Subtitle: f.Subtitle,
			Caption: f.Caption, Table: f.Table, Own: true})
		return nil
	}
	if f.Chart.Alt == "" {
		f.Chart.Alt = f.Title + ". " + f.Caption
	}
	return r.add(to, figure{name: name, chart: f.Chart, caption: f.Caption, own: true}, f.Subtitle)
}
