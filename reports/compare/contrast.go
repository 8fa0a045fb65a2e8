package compare

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/poolbench/poolbench/reports/results"
)

// A contrast compares a column of a row with the row's base, in every metric that both have.
type contrast struct {
	table  string
	row    string
	facets []facet
	alike  []string // names of rows or columns with equal values, including this one as the first
	tasks  *TaskDifference
	parts  *Between
}

func (k *contrast) base() int   { return k.facets[0].row.Base }
func (k *contrast) column() int { return k.facets[0].column }

func (c *Comparison) contrasts() (all []*contrast) {
	type key struct {
		table, row   string
		base, column int
	}
	of := map[key]*contrast{}
	for f := range c.facets {
		at := key{fmt.Sprint(f.table.Key), f.row.Name, f.row.Base, f.column}
		if of[at] == nil {
			of[at] = &contrast{table: at.table, row: f.row.Name}
			all = append(all, of[at])
		}
		of[at].facets = append(of[at].facets, f)
	}
	for _, k := range all {
		i := slices.IndexFunc(c.Tasks, func(d TaskDifference) bool {
			return d.Benchmark == k.row && d.Column == c.Columns[k.column()] &&
				d.Base == c.Columns[k.base()]
		})
		if i >= 0 {
			k.tasks = &c.Tasks[i]
		}
		i = slices.IndexFunc(c.Parts, func(d Between) bool {
			return d.Benchmark == k.row && d.Column == c.Columns[k.column()] &&
				d.Base == c.Columns[k.base()]
		})
		if i >= 0 {
			k.parts = &c.Parts[i]
		}
	}
	return all
}

func several(all []*contrast) bool {
	return slices.ContainsFunc(all, func(k *contrast) bool {
		return k.column() != all[0].column() || k.base() != all[0].base()
	})
}

// merged joins contrasts with equal values on both sides: rows or, with several columns, the
// columns of a row.
func (c *Comparison) merged(all []*contrast, name func(row string) string) []*contrast {
	columns := several(all)
	var out []*contrast
	for _, group := range results.Gather(all, func(k *contrast) string {
		var b strings.Builder
		if columns {
			fmt.Fprint(&b, k.table, k.row, k.base())
		}
		for _, f := range k.facets {
			fmt.Fprint(&b, f.table.Unit, f.base().Sample.Values, f.cell().Sample.Values)
		}
		return b.String()
	}) {
		first := *group[0]
		for _, k := range group {
			if columns {
				first.alike = append(first.alike, c.Columns[k.column()])
			} else {
				first.alike = append(first.alike, name(k.row))
			}
		}
		out = append(out, &first)
	}
	return out
}

// rank orders contrasts: worse ones first, then better ones, each by the largest change.
func (k *contrast) rank() (word int, size float64) {
	word = 3
	for _, f := range k.facets {
		switch at := slices.Index([]string{"worse", "better", "differs"}, f.word()); {
		case at >= 0 && at < word:
			word, size = at, f.size()
		case at == word:
			size = max(size, f.size())
		}
	}
	return word, size
}

func byRank(a, b *contrast) int {
	wordA, sizeA := a.rank()
	wordB, sizeB := b.rank()
	return cmp.Or(cmp.Compare(wordA, wordB), cmp.Compare(sizeB, sizeA))
}
