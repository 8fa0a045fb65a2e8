package charts

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/poolbench/poolbench/internal/text"
)

// Series is one line of a chart.
type Series struct {
	Name  string
	Style int // number of the strategy, from 0

	X, Y []float64 // points, sorted by X when drawn

	// interval around each Y. nil or NaN means none
	Lo, Hi []float64

	// values that depend only on the length of the run, such as the response of an unstable queue.
	// They are arrows at the end of the axis, and do not extend it
	Growing []bool

	// unreliable points, which are hollow. nil: all points are hollow
	Doubted []bool

	Gaps []Span // intervals of X where the line is interrupted

	Theory bool // exact theory: a thick translucent line behind the measured values
}

// A Span is an interval of X.
type Span struct{ From, To float64 }

// Panel is one plot of a chart.
type Panel struct {
	Title  string
	Series []Series
}

// Add adds series to the panel.
func (p *Panel) Add(series ...Series) { p.Series = append(p.Series, series...) }

// EmptyError is the error for a chart without a drawable point.
type EmptyError struct {
	Chart string
	Notes []string // omitted data
}

func (e *EmptyError) Error() string {
	msg := fmt.Sprintf("chart %q has nothing to draw", e.Chart)
	if len(e.Notes) > 0 {
		msg += ": " + strings.Join(e.Notes, "; ")
	}
	return msg
}

// Ticks and pixels outside of the drawable range become inexact.
const (
	tiniest = 1e-15
	hugest  = 1e15
)

type axisKind int

const (
	linear    axisKind = iota // any finite value
	counting                  // ≥ 0
	logarithm                 // > 0
	logZero                   // ≥ 0, with 0 left of the logarithmic part
)

func (k axisKind) shows(v float64) bool {
	switch {
	case math.IsNaN(v) || math.Abs(v) > hugest:
		return false
	case k == linear, k == counting && v >= 0, k == logZero && v == 0:
		return true
	}
	return k != counting && v >= tiniest
}

// The points are sorted by X.
func clean(in []Series, x, y axisKind, where string) (out []Series, notes []string) {
	for _, s := range in {
		if len(s.X) != len(s.Y) || s.Lo != nil && len(s.Lo) != len(s.X) || s.Hi != nil &&
			len(s.Hi) != len(s.X) ||
			s.Growing != nil && len(s.Growing) != len(s.X) ||
			s.Doubted != nil && len(s.Doubted) != len(s.X) {
			panic(fmt.Sprintf("charts: series %q has slices of different lengths: X %d, Y %d, Lo "+
				"%d, Hi %d, Growing %d, Doubted %d",
				s.Name, len(s.X), len(s.Y), len(s.Lo), len(s.Hi), len(s.Growing), len(s.Doubted)))
		}
		kept := Series{Name: s.Name, Style: s.Style, Gaps: s.Gaps, Theory: s.Theory}
		hasBounds := s.Lo != nil && s.Hi != nil
		for _, i := range orderOf(s.X) {
			if !x.shows(s.X[i]) || !y.shows(s.Y[i]) {
				continue
			}
			kept.X = append(kept.X, s.X[i])
			kept.Y = append(kept.Y, s.Y[i])
			if s.Growing != nil {
				kept.Growing = append(kept.Growing, s.Growing[i])
			}
			if s.Doubted != nil {
				kept.Doubted = append(kept.Doubted, s.Doubted[i])
			}
			if !hasBounds {
				continue
			}
			lo, hi := s.Lo[i], s.Hi[i]
			if !y.shows(lo) || !y.shows(hi) || lo > s.Y[i] || hi < s.Y[i] {
				lo, hi = math.NaN(), math.NaN()
			}
			kept.Lo = append(kept.Lo, lo)
			kept.Hi = append(kept.Hi, hi)
		}
		if lost := len(s.X) - len(kept.X); lost > 0 && !s.Theory {
			notes = append(notes, fmt.Sprintf("%s: %s of %s omitted (0 or not a number)", where,
				text.Count(lost, "point"), s.Name))
		}
		if len(kept.X) > 0 {
			out = append(out, kept)
		}
	}
	return out, notes
}

func orderOf(x []float64) []int {
	order := make([]int, len(x))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(x[a], x[b]) })
	return order
}

func equal(a, b Series) bool {
	return slices.Equal(a.X, b.X) && slices.Equal(a.Y, b.Y) && sameBounds(a.Lo, b.Lo) &&
		sameBounds(a.Hi, b.Hi)
}

func sameBounds(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool {
		return x == y || math.IsNaN(x) && math.IsNaN(y)
	})
}

// A line along the end of the axis would look like values.
func (s Series) interrupted(i int) bool {
	return s.grows(i) && s.grows(i+1) || slices.ContainsFunc(s.Gaps, func(g Span) bool {
		mid := (g.From + g.To) / 2
		return s.X[i] < mid && mid < s.X[i+1]
	})
}

func (s Series) grows(i int) bool { return s.Growing != nil && s.Growing[i] }
