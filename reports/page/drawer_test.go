package page

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/internal/rundir"
	"github.com/poolbench/poolbench/reports/charts"
	"github.com/poolbench/poolbench/reports/internal/resultstest"
	"github.com/poolbench/poolbench/reports/results"
)

func TestDrawnFigures(t *testing.T) {
	dir := smallRun(t)
	draw := func(r *results.Results) ([]Figure, error) {
		if len(r.Runs) != 48 {
			t.Errorf("the drawer sees %d runs", len(r.Runs))
		}
		c, err := charts.Planes("Costs",
			[]charts.Plane{
				{Panel: charts.Panel{Series: []charts.Series{{Name: "a", X: []float64{1, 2, 0},
					Y: []float64{1, 2, 3}}}}, X: charts.Axis{Log: true}}})
		return []Figure{{Name: "study cost", Title: c.Title, Caption: "See there.", Chart: c}}, err
	}
	nothing := func(*results.Results) ([]Figure, error) {
		return nil, &charts.EmptyError{Chart: "of other runs"}
	}
	r, err := Load(dir, nothing, draw)
	if err != nil {
		t.Fatal(err)
	}
	if first := r.charts[0]; first.Name != "study-cost" ||
		first.Alt != "Costs. See there." {
		t.Errorf("the first chart is %s: %s", first.Name, first.Alt)
	}
	var page bytes.Buffer
	if err := r.WriteHTML(&page); err != nil {
		t.Fatal(err)
	}
	html := page.String()
	mustContain(t, html, `<figure id="study-cost" class="own">`,
		"<figcaption>See there.</figcaption>", "Costs: 1 point of a omitted")
	if strings.Index(html, "study-cost") > strings.Index(html, `<section id="group-`) {
		t.Error("the figure comes after the charts of any run")
	}
	// An interrupted study keeps its figure. Complete runs that do not belong to the study do not
	// show its figure.
	silent := func(r *results.Results) ([]Figure, error) {
		figures, err := draw(r)
		figures[0].Study = "silent"
		return figures, err
	}
	if r, err = Load(dir, silent); err != nil {
		t.Fatal(err)
	}
	if html := pageOf(t, r); strings.Contains(html, `<section id="asked"`) {
		t.Error("complete runs show the figure of a study that has not spoken")
	}
	resultstest.Edit(t, dir, rundir.ResultsFile, func(text string) string {
		return text[:strings.LastIndex(text, "# complete")]
	})
	if r, err = Load(dir, silent); err != nil {
		t.Fatal(err)
	}
	mustContain(t, sectionOf(t, pageOf(t, r), "asked"), `<figure id="study-cost" class="own">`)
	broken := errors.New("broken")
	if _, err := Load(dir, func(*results.Results) ([]Figure, error) {
		return nil, broken
	}); !errors.Is(err, broken) {
		t.Errorf("a drawer's error is %v", err)
	}
}
