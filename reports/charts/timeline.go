package charts

import "gonum.org/v1/plot"

// Timeline draws counts (Y) over the time of a run (X, seconds): such as what was in flight in one
// panel and what was queued in another. The panels have y axes of their own. Series of more than a
// few hundred points are thinned, keeping the highest of each stretch: peaks are what a timeline is
// read for. A limit above 0 is drawn as a line in the first panel.
func Timeline(title string, limit float64, panels []Panel) (*Chart, error) {
	cleaned, notes := cleanPanels(panels, counting, counting)
	_, xmax, _, _ := rangeOf(cleaned)
	names := []string{"limit"}
	var bound []Level
	if limit > 0 && len(cleaned) > 0 && len(cleaned[0].Series) > 0 {
		bound = []Level{{Name: names[0], Y: limit}}
	}
	next := bound // of the panel that is built next
	c, err := newChart(title, cleaned, notes, func(panel Panel) *plot.Plot {
		p := newPlot(panel.Title, "time since the start (s)", "tasks")
		_, _, ymin, ymax := rangeOf([]Panel{panel})
		for _, l := range next {
			ymax = max(ymax, l.Y)
		}
		for i, s := range panel.Series {
			panel.Series[i] = thin(s, mostPoints)
		}
		p.Add(levels{next, names},
			&lines{series: panel.Series,
				marked: func(s Series, i int) bool { return i == len(s.X)-1 }})
		p.X.Tick.Marker, p.Y.Tick.Marker = linearTicks{Count, 5}, linearTicks{Count, 4}
		p.X.Min, p.X.Max = 0, max(xmax, tiniest)
		p.Y.Min, p.Y.Max = linearRange(ymin, ymax)
		next = nil
		return p
	})
	if err == nil && len(bound) > 0 {
		c.legend = append(c.legend, entry{names: names, sample: levelStyle(0), y: limit,
			last: len(c.Panels) == 1})
	}
	return c, err
}

// mostPoints that a line of a timeline keeps: about one a point of the narrow layout's width.
const mostPoints = 300

// thin keeps the highest point of each of at most n stretches, and the last point.
func thin(s Series, n int) Series {
	if len(s.X) <= n {
		return s
	}
	out := Series{Name: s.Name, Style: s.Style}
	for i := range n {
		from, to := i*len(s.X)/n, (i+1)*len(s.X)/n
		top := from
		for j := from; j < to; j++ {
			if s.Y[j] > s.Y[top] {
				top = j
			}
		}
		if i == n-1 {
			top = len(s.X) - 1
		}
		out.X, out.Y = append(out.X, s.X[top]), append(out.Y, s.Y[top])
	}
	return out
}
