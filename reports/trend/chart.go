package trend

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/poolbench/poolbench/internal/files"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/charts"
	"github.com/poolbench/poolbench/reports/results"
)

const maxLines = 8

// Chart draws one metric of at most eight benchmarks, those with the largest changes, through the
// results. A ring and the change in percent mark each new level. Several are drawn relative to
// their first level, unless one of these is 0.
func Chart(t *Trend, unit string) (*charts.Chart, error) {
	var shown []*Series
	for i := range t.Series {
		if s := &t.Series[i]; s.Unit == unit && len(s.Values) > 0 {
			shown = append(shown, s)
		}
	}
	all := len(shown)
	slices.SortStableFunc(shown, func(a, b *Series) int {
		return cmp.Compare(b.largest(), a.largest())
	})
	shown = shown[:min(all, maxLines)]
	relative := len(shown) > 1 && !slices.ContainsFunc(shown, func(s *Series) bool {
		return s.levels[0] <= 0
	})

	short, shared := results.ShortNames(text.Texts(shown, func(s *Series) string {
		return s.Benchmark
	}))
	plane := charts.Plane{
		X: charts.Axis{Label: "result", Name: "result",
			Reach: []float64{1, float64(len(t.Results))}, Marks: wholeMarks(len(t.Results))},
		Y: charts.Axis{Label: unit,
			Format: func(v float64) string { return text.Metric(unit, v) }},
	}
	if relative {
		plane.Y = charts.Axis{Label: unit + ", of the first level", Format: func(v float64) string {
			return fmt.Sprintf("%.4g%%", 100*v)
		}}
	}
	for style, s := range shown {
		base := 1.0
		if relative {
			base = s.levels[0]
		}
		line := charts.Series{Name: short[s.Benchmark], Style: style}
		for i, at := range s.At {
			line.X, line.Y = append(line.X, float64(at+1)), append(line.Y, s.Values[i]/base)
			if len(s.Suspect)+len(s.Uncertain) > 0 {
				line.Doubted = append(line.Doubted, slices.Contains(s.Suspect, at) ||
					slices.Contains(s.Uncertain, at))
			}
		}
		plane.Series = append(plane.Series, line)
		for _, c := range s.Changes {
			value := s.Values[slices.Index(s.At, c.At)]
			ring := charts.Annotation{Sign: charts.Ring, X: float64(c.At + 1), Y: value / base,
				Text: []string{text.Change(float64(c.Ratio))}}
			if !slices.ContainsFunc(plane.Remarks,
				func(r charts.Annotation) bool {
					return r.X == ring.X && r.Y == ring.Y && r.Text[0] == ring.Text[0]
				}) {
				// equal strategies are one line
				plane.Remarks = append(plane.Remarks, ring)
			}
		}
	}
	chart, err := charts.Planes(unit+" through the results", []charts.Plane{plane})
	if err != nil {
		return nil, err
	}
	chart.Subtitle = fmt.Sprintf("%d: %s; %d: %s", 1, t.Results[0], len(t.Results),
		t.Results[len(t.Results)-1])
	if shared != "" {
		chart.Subtitle += " · " + shared
	}
	if all > len(shown) {
		chart.Subtitle += fmt.Sprintf(" · the %d of %d benchmarks that changed most", len(shown),
			all)
	}
	chart.Alt = chart.Title + ". " + t.Summary()
	return chart, nil
}

func (t *Trend) units() []string {
	return text.Texts(t.Series, func(s Series) string { return s.Unit })
}

func (s *Series) largest() (size float64) {
	for _, c := range s.Changes {
		size = max(size, c.size())
	}
	return size
}

// wholeMarks returns about six whole numbers from 1 to n.
func wholeMarks(n int) (marks []float64) {
	step := max(1, (n+4)/6)
	for at := 1; at <= n; at += step {
		marks = append(marks, float64(at))
	}
	return marks
}

// WriteCharts draws every metric into dir, which is created if needed, as SVG and PNG.
func WriteCharts(dir string, t *Trend) (paths []string, err error) {
	if err := files.MakeDir(dir); err != nil {
		return nil, err
	}
	names := make(map[string]bool)
	for _, unit := range text.Distinct(t.units()) {
		chart, err := Chart(t, unit)
		if err != nil {
			return paths, err
		}
		name := "trend-" + charts.FileName(unit)
		for n := 2; names[name]; n++ { // B/s and b_s
			name = fmt.Sprintf("trend-%s-%d", charts.FileName(unit), n)
		}
		names[name] = true
		images, err := chart.Files(dir, name)
		paths = append(paths, images...)
		if err != nil {
			return paths, err
		}
	}
	return paths, nil
}
