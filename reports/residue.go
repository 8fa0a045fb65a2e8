package reports

import (
	"slices"

	"golang.org/x/perf/benchproc"
)

// residueByColumn splits what no projection takes up into that which all runs share and that which varies.
func (g *grid) residueByColumn(cols []benchproc.Key) (shared []Pair, varying []Variation) {
	all := make(map[benchproc.Key]struct{})
	for _, keys := range g.residues {
		for key := range keys {
			all[key] = struct{}{}
		}
	}
	allKeys := sortedKeys(all)
	nonSingular := benchproc.NonSingularFields(allKeys)
	for _, field := range g.residue.FlattenedFields() {
		if !slices.Contains(nonSingular, field) {
			if value := allKeys[0].Get(field); value != "" && field.Name != ".fullname" {
				shared = append(shared, Pair{field.Name, value})
			}
			continue
		}
		v := Variation{Key: field.Name}
		for _, col := range cols {
			var values []string
			for _, key := range sortedKeys(g.residues[col]) {
				if value := key.Get(field); !slices.Contains(values, value) {
					values = append(values, value)
				}
			}
			v.Values = append(v.Values, values)
		}
		varying = append(varying, v)
	}
	return shared, varying
}
