package compare

import (
	"errors"
	"math"
	"slices"
)

func geomeans(rows []Row, columns, base int) []Geomean {
	inBase := 0
	for _, row := range rows {
		if row.Cells[base] != nil {
			inBase++
		}
	}
	out := make([]Geomean, columns)
	for col := range out {
		g := &out[col]
		var centers, ratios []float64
		for _, row := range rows {
			cell := row.Cells[col]
			if cell == nil {
				continue
			}
			center := cell.Summary.Center
			centers = append(centers, center)
			if cell.Versus == nil {
				continue
			}
			ratio := 1.0
			if from := row.Cells[row.Base].Summary.Center; from != center {
				ratio = center / from
			}
			ratios = append(ratios, ratio)
		}
		if col != base && len(ratios) != inBase {
			g.Warnings = append(g.Warnings,
				errors.New("benchmark set differs from baseline; geomeans may not be comparable"))
		}
		if g.Center, g.Ratio = geomean(centers), math.NaN(); math.IsNaN(g.Center) {
			g.Warnings = append(g.Warnings, errors.New("summaries must be >0 to compute geomean"))
		}
		if col == base {
			continue
		}
		// A base of 0 has no ratio. The column shows "?", and the row gives the reason.
		if g.Ratio = geomean(ratios); math.IsNaN(g.Ratio) && !hasInf(ratios) {
			g.Warnings = append(g.Warnings, errors.New("ratios must be >0 to compute geomean"))
		}
	}
	return out
}

// geomean sums in benchstat's order to agree in the last digit.
func geomean(xs []float64) float64 {
	if len(xs) == 0 || hasInf(xs) {
		return math.NaN()
	}
	m := 0.0
	for i, x := range xs {
		if x <= 0 {
			return math.NaN()
		}
		m += (math.Log(x) - m) / float64(i+1)
	}
	return math.Exp(m)
}

func hasInf(xs []float64) bool {
	return slices.ContainsFunc(xs, func(x float64) bool { return math.IsInf(x, 0) })
}
