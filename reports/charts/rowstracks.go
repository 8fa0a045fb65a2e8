package charts

import (
	"fmt"
	"math"
	"slices"

	"github.com/poolbench/poolbench/internal/text"
)

func (p RowPanel) clean(rows int) (out RowPanel, notes []string) {
	out = p
	out.Series, out.Levels = nil, p.X.levels(p.Levels)
	shows := p.X.kind().shows
	for _, s := range p.Series {
		if len(s.Values) != rows {
			panic(fmt.Sprintf("charts: series %q has %d values for %d rows", s.Name,
				len(s.Values), rows))
		}
		kept := RowSeries{s.Name, s.Style, make([]RowValue, rows), s.Sure}
		some, lost := 0, 0
		for i, v := range s.Values {
			kept.Values[i] = RowValue{math.NaN(), math.NaN(), math.NaN()}
			switch {
			case math.IsNaN(v.Mid):
			case !shows(v.Mid):
				lost++
			default:
				some++
				kept.Values[i].Mid = v.Mid
				if shows(v.Lo) && shows(v.Hi) && v.Lo <= v.Mid && v.Hi >= v.Mid {
					kept.Values[i] = v
				}
			}
		}
		if lost > 0 {
			notes = append(notes, fmt.Sprintf("%s: %s of %s omitted (0 or not a number)", p.Title,
				text.Count(lost, "point"), s.Name))
		}
		if some > 0 {
			out.Series = append(out.Series, kept)
		}
	}
	return out, notes
}

type track struct {
	name  string
	style int
}

func tracksOf(panels []RowPanel, rows int) (order []track, out [][]track) {
	for _, p := range panels {
		for _, s := range p.Series {
			if l := (track{s.Name, s.Style}); !slices.Contains(order, l) {
				order = append(order, l)
			}
		}
	}
	out = make([][]track, rows)
	for i := range out {
		for _, l := range order {
			if slices.ContainsFunc(panels, func(p RowPanel) bool {
				return slices.ContainsFunc(p.Series, func(s RowSeries) bool {
					return track{s.Name, s.Style} == l && !math.IsNaN(s.Values[i].Mid)
				})
			}) {
				out[i] = append(out[i], l)
			}
		}
	}
	return order, out
}
