package compare

import (
	"slices"

	"golang.org/x/perf/benchproc"

	"github.com/poolbench/poolbench/internal/statistics"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/results"
)

func (g *grid) pair(
	row *Row, table, key benchproc.Key, cols []benchproc.Key, unit string, confidence float64,
) {
	base := cols[row.Base]
	for i, cell := range row.Cells {
		if cell == nil || cell.Versus == nil {
			continue
		}
		at := gridPair{table, key, base, cols[i]}
		pairing, known := g.pairs[at]
		if !known {
			pairing = results.Paired(g.runs[gridRun{table, gridCellKey{key, base}}],
				g.runs[gridRun{table, gridCellKey{key, cols[i]}}], g.unpairedKeys...)
			g.pairs[at] = pairing
		}
		if old, new := pairing.Values(unit); len(old) > 0 {
			paired := statistics.OfPairs(old, new, confidence,
				text.KindOf(unit) != text.Shares, virtual(pairing))
			cell.paired = &paired
		}
		cell.pairing = pairing
	}
}

// virtual reports whether the seeds are the pairs' only source of chance.
func virtual(p results.Pairing) bool {
	return !slices.ContainsFunc(slices.Concat(p.Old, p.New), func(r *results.Run) bool {
		return r.Key("clock") != "virtual"
	})
}
