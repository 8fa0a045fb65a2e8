package compare

import (
	"slices"

	"golang.org/x/perf/benchproc"

	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/results"
)

func (g *grid) residueByColumn(cols []benchproc.Key) (shared []results.Pair, varying []Variation) {
	all := make(map[benchproc.Key]struct{})
	for _, keys := range g.residues {
		for key := range keys {
			all[key] = struct{}{}
		}
	}
	allKeys := sortedKeys(all)
	nonSingular := benchproc.NonSingularFields(allKeys)
	byColumn := make([][]benchproc.Key, len(cols))
	for i, col := range cols {
		byColumn[i] = sortedKeys(g.residues[col])
	}
	for _, field := range g.residue.FlattenedFields() {
		if !slices.Contains(nonSingular, field) {
			if value := allKeys[0].Get(field); value != "" && field.Name != ".fullname" {
				shared = append(shared, results.Pair{Key: field.Name, Value: value})
			}
			continue
		}
		v := Variation{Key: field.Name}
		for i := range cols {
			v.Values = append(v.Values, text.Distinct(text.Texts(byColumn[i],
				func(key benchproc.Key) string { return key.Get(field) })))
		}
		varying = append(varying, v)
	}
	return shared, varying
}
