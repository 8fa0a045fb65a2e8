package reports

import (
	"errors"
	"strings"

	"github.com/poolbench/poolbench/reports/charts"
)

// A Figure is a chart drawn by someone who knows what the runs were made for, with its words.
type Figure struct {
	Study   string // that it belongs to; "" where it is of none
	Name    string // of its files, without extension: letters, digits and dashes
	Caption string // what to see in it, in a few sentences
	*charts.Chart
}

// A Drawer makes figures of the results of a run directory; none where they are about something else. Its figures come before
// the charts that a report makes of any results, and like them are drawn again whenever the report is.
type Drawer func(*Results) ([]Figure, error)

// addStudies adds the figures of the drawers.
func (r *Report) addStudies(in *reportInput, draw []Drawer, taken map[string]bool) error {
	for _, d := range draw {
		figures, err := d(in.results)
		if _, empty := errors.AsType[*charts.EmptyError](err); empty {
			continue
		} else if err != nil {
			return err
		}
		for _, f := range figures {
			if f.Alt == "" {
				f.Alt = f.Title + ". " + f.Caption
			}
			shown, err := r.add(figure{name: slug(f.Name), chart: f.Chart, caption: f.Caption}, f.Subtitle, taken)
			if err != nil {
				return err
			}
			r.page.Studies = append(r.page.Studies, shown)
			for _, note := range f.Notes {
				r.page.Notes = append(r.page.Notes, f.Title+": "+strings.TrimPrefix(note, ": ")+".")
			}
		}
	}
	return nil
}
