package compare

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/poolbench/poolbench/reports/results"
)

// A contrast compares a cell's column with the row's base, in every metric that both have.
type contrast struct {
	table  string
	row    string
	facets []facet
	alike  []string // names of rows or columns with equal values, including this one as the first
	tasks  *TaskDifference
	parts  *ColumnDifference
}

func (k *contrast) base() int   { return k.facets[0].row.Base }
func (k *contrast) column() int { return k.facets[0].column }

func (c *Comparison) contrasts() (all []*contrast) {
	type key struct {
		table, row   string
		base, column int
	}
	var facets []facet
	for f := range c.facets {
		facets = append(facets, f)
	}
	for _, group := range results.Gather(facets, func(f facet) key {
		return key{fmt.Sprint(f.table.Key), f.row.Name, f.row.Base, f.column}
	}) {
		k := &contrast{table: fmt.Sprint(group[0].table.Key), row: group[0].row.Name, facets: group}
		base, column := c.Columns[k.base()], c.Columns[k.column()]
		for i, d := range c.Tasks {
			if d.Benchmark == k.row && d.Column == column && d.Base == base {
				k.tasks = &c.Tasks[i]
			}
		}
		for i, d := range c.Parts {
			if d.Benchmark == k.row && d.Column == column && d.Base == base {
				k.parts = &c.Parts[i]
			}
		}
		all = append(all, k)
	}
	return all
}

func several(all []*contrast) bool {
	return slices.ContainsFunc(all, func(k *contrast) bool {
		return k.column() != all[0].column() || k.base() != all[0].base()
	})
}

// merged joins contrasts with equal values on both sides.
func (c *Comparison) merged(all []*contrast) (out []*contrast) {
	columns := several(all)
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
			name := c.name(k.row)
			if columns {
				name = c.Columns[k.column()]
			}
			first.alike = append(first.alike, name)
		}
		out = append(out, &first)
	}
	return out
}

func (k *contrast) shown() []facet {
	return slices.DeleteFunc(slices.Clone(k.facets), func(f facet) bool {
		return f.loss() && f.equal() && f.cell().Sample.Values[0] == 0 &&
			f.base().Sample.Values[0] == 0
	})
}

func (k *contrast) equal() bool {
	return !slices.ContainsFunc(k.facets, func(f facet) bool { return !f.equal() })
}

// Worse contrasts come first, then better ones, each by the largest change.
func (k *contrast) rank() (order int, size float64) {
	order = len(words)
	for _, f := range k.facets {
		switch at := f.order(); {
		case at < order:
			order, size = at, f.size()
		case at == order:
			size = max(size, f.size())
		}
	}
	return order, size
}

const many = 3

func byRank(a, b *contrast) int {
	orderA, sizeA := a.rank()
	orderB, sizeB := b.rank()
	return cmp.Or(cmp.Compare(min(len(b.alike)/many, 1), min(len(a.alike)/many, 1)),
		cmp.Compare(orderA, orderB), cmp.Compare(sizeB, sizeA))
}
