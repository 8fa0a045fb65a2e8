package charts

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A Stretch is an interval of time with the response times of the tasks due in it.
type Stretch struct {
	Span // in seconds
	Bars []Bin
	Mark float64 // a quantile of the responses, in seconds, or NaN
	Tip  string
}

// A Bin counts response times from From to To, in seconds.
type Bin struct {
	Span
	Count int64
}

// Heat draws the number of requests by response time (Y, logarithmic) and time of the run (X,
// seconds) as colours. mark names the quantile drawn as a line. Gaps are shaded.
func Heat(title, mark string, stretches []Stretch, gaps []Span) (*Chart, error) {
	h := heat{mark: mark}
	low, high, end := math.Inf(1), 0.0, 0.0
	for _, s := range stretches {
		s.Bars = slices.Clone(s.Bars)
		for i, b := range s.Bars {
			s.Bars[i].From = max(b.From, 1e-9) // a logarithmic axis has no 0
			s.Bars[i].To = max(b.To, 1e-9)
		}
		s.Bars = slices.DeleteFunc(s.Bars, func(b Bin) bool {
			return b.Count <= 0 || !logarithm.shows(b.From) || !logarithm.shows(b.To)
		})
		if len(s.Bars) == 0 || !counting.shows(s.From) || !counting.shows(s.To) || s.From >= s.To {
			continue
		}
		for _, b := range s.Bars {
			low, high = min(low, b.mid()), max(high, b.mid())
		}
		h.stretches, end = append(h.stretches, s), max(end, s.To)
	}
	if len(h.stretches) == 0 {
		return nil, &EmptyError{Chart: title, Notes: []string{"no response can be drawn"}}
	}
	slices.SortStableFunc(h.stretches, func(a, b Stretch) int {
		return cmp.Compare(a.From, b.From)
	})
	c := &Chart{Title: title, tall: true}
	p := newPlot("", "time since the start, when requests were due (s)",
		"response time (log scale)")
	logSeconds(p, low, high)
	p.X.Tick.Marker = linearTicks{Count, 6}
	p.X.Min, p.X.Max = h.stretches[0].From, end
	h.count(p.Y.Min, p.Y.Max)
	p.Add(unrecorded(gaps), h)
	c.legend = h.legend(p)
	c.Panels = []*plot.Plot{p}
	return c, nil
}

func (b Bin) mid() float64 { return math.Sqrt(b.From * b.To) }

type heat struct {
	mark      string
	stretches []Stretch
	rows      int
	counts    [][]int64 // by stretch, then by row from the lowest
	steps     []int64   // smallest count of each colour
}

// Rows must be distinguishable, and not finer than a histogram with two digits.
const (
	maxHeatRows = 44
	minHeatRow  = 1.03 // ratio to the row below
)

func (h *heat) count(low, high float64) {
	whole := math.Log(high / low)
	h.rows = min(max(int(whole/math.Log(minHeatRow)), 1), maxHeatRows)
	most := int64(0)
	for _, s := range h.stretches {
		counts := make([]int64, h.rows)
		for _, b := range s.Bars {
			at := int(math.Log(b.mid()/low) / whole * float64(h.rows))
			at = min(max(at, 0), h.rows-1)
			counts[at] += b.Count
			most = max(most, counts[at])
		}
		h.counts = append(h.counts, counts)
	}
	h.steps = heatSteps(most)
}

func heatSteps(most int64) (steps []int64) {
	var round []int64
	for ten := int64(1); ten <= most; ten *= 10 {
		for _, v := range []int64{ten, 2 * ten, 5 * ten} {
			if v <= most {
				round = append(round, v)
			}
		}
	}
	n := min(len(round), len(heatTints))
	for i := range n {
		steps = append(steps, round[i*len(round)/n])
	}
	return steps
}

func (h *heat) tint(i int) role {
	if len(h.steps) == 1 {
		return heatTints[len(heatTints)/2]
	}
	return heatTints[i*(len(heatTints)-1)/(len(h.steps)-1)]
}

func (h *heat) step(n int64) int {
	at, found := slices.BinarySearch(h.steps, n)
	if !found {
		at--
	}
	return at
}

func (h heat) Plot(c draw.Canvas, p *plot.Plot) {
	x, _ := p.Transforms(&c)
	each := c.Size().Y / vg.Length(h.rows)
	for i, s := range h.stretches {
		left, right := x(max(s.From, p.X.Min)), x(min(s.To, p.X.Max))
		cells := make([]vg.Path, len(h.steps))
		for from := 0; from < h.rows; {
			n := h.counts[i][from]
			to := from + 1
			if n == 0 {
				from = to
				continue
			}
			k := h.step(n)
			for to < h.rows && h.counts[i][to] > 0 && h.step(h.counts[i][to]) == k {
				to++ // one box for adjacent cells of equal colour
			}
			area := box(left, c.Min.Y+vg.Length(from)*each, right, c.Min.Y+vg.Length(to)*each)
			cells[k].Move(area[0])
			for _, pt := range area[1:] {
				cells[k].Line(pt)
			}
			cells[k].Close()
			from = to
		}
		group(&c, nil, "pb-pt", s.Tip, func() {
			for k, path := range cells {
				if len(path) > 0 {
					c.SetColor(h.tint(k))
					c.Fill(path)
				}
			}
		})
	}
	h.drawMark(c, p)
}

func (h heat) drawMark(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	var parts [][]vg.Point
	last := math.Inf(-1)
	for _, s := range h.stretches {
		if !logarithm.shows(s.Mark) {
			continue
		}
		if s.From > last+1e-9 || parts == nil {
			parts = append(parts, nil)
		}
		last = s.To
		at, part := y(clampToAxis(p.Y, s.Mark)), &parts[len(parts)-1]
		*part = append(*part, vg.Point{X: x(s.From), Y: at},
			vg.Point{X: x(min(s.To, p.X.Max)), Y: at})
	}
	c.StrokeLines(draw.LineStyle{Color: paper, Width: 4}, parts...)
	c.StrokeLines(heatMark, parts...)
}

var heatMark = draw.LineStyle{Color: ink, Width: 1.7}

func (h heat) legend(p *plot.Plot) (all []entry) {
	add := func(name string, sample draw.LineStyle) {
		all = append(all, entry{names: []string{name}, sample: &sample, y: p.Y.Max, last: true})
	}
	if slices.ContainsFunc(h.stretches, func(s Stretch) bool { return logarithm.shows(s.Mark) }) {
		add(h.mark, heatMark)
	}
	for i := range slices.Backward(h.steps) {
		from, name := h.steps[i], ""
		switch {
		case i == len(h.steps)-1:
			name = fmt.Sprintf("%d or more requests", from)
		case h.steps[i+1] == from+1:
			name = strconv.FormatInt(from, 10)
		default:
			name = fmt.Sprintf("%d to %d", from, h.steps[i+1]-1)
		}
		add(name, draw.LineStyle{Color: h.tint(i), Width: 11})
	}
	return all
}
