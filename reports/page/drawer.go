package page

import (
	"errors"
	"strings"

	"github.com/poolbench/poolbench/reports/charts"
	"github.com/poolbench/poolbench/reports/results"
)

// A Figure is a chart drawn by someone who knows what the runs were made for, with its words.
type Figure struct {
	Study   string // that it belongs to; "" where it is of none
	Name    string // of its files, without extension: letters, digits and dashes
	Caption string // what to see in it, in a few sentences
	*charts.Chart
}

// A Drawer makes figures of the results of a run directory; none where they are about something
// else. Like the charts that a report makes of any results, they are drawn again whenever the
// report is. A study with a figure of its own needs no such charts, and has none.
type Drawer func(*results.Results) ([]Figure, error)

// drawFigures has the drawers draw.
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

// addFigures puts the figures of the drawers where they belong: in the section of their study, or
// before everything else where the study has not spoken yet.
func (r *Report) addFigures(in *reportInput, studies []reportStudy) error {
	for _, f := range in.figures {
		if f.Alt == "" {
			f.Alt = f.Title + ". " + f.Caption
		}
		into := &r.page.Figures
		for i := range studies {
			if studies[i].Study == f.Study {
				into = &studies[i].Figures
			}
		}
		if err := r.add(into, figure{name: charts.FileName(f.Name), chart: f.Chart,
			caption: f.Caption, own: true}, f.Subtitle); err != nil {
			return err
		}
		for _, note := range f.Notes {
			r.page.Notes = append(r.page.Notes, f.Title+": "+strings.TrimPrefix(note, ": ")+".")
		}
	}
	return nil
}
