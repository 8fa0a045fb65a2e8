package compare

import (
	"strings"

	"golang.org/x/perf/benchproc"
)

type gaps struct {
	grid *grid
	// tables without their unit, and the columns that have runs there; nil: all count
	in    map[[2]benchproc.Key]bool
	found []Missing
	seen  map[Missing]bool
}

// newGaps takes every column to be due in every table when everywhere is set. Whoever splits the
// tables himself has said that a column need not be in all of them.
func newGaps(g *grid, everywhere bool) *gaps {
	s := &gaps{grid: g, seen: make(map[Missing]bool)}
	if everywhere {
		return s
	}
	s.in = make(map[[2]benchproc.Key]bool)
	for run := range g.runs {
		s.in[[2]benchproc.Key{run.table, run.at.col}] = true
	}
	return s
}

// note takes note of an empty cell: the metric is missing from runs that there are, or the
// benchmark has none.
func (s *gaps) note(at gridRun, lack Missing) {
	if s.in != nil && !s.in[[2]benchproc.Key{at.table, at.at.col}] {
		return
	}
	if len(s.grid.runs[at]) == 0 {
		lack.Unit = ""
	}
	if !s.seen[lack] {
		s.seen[lack] = true
		s.found = append(s.found, lack)
	}
}

// RowName is the name of a row for a reader who does not see the table's key.
func (t *Table) RowName(row Row) string {
	name := row.Name
	var rest []string
	for _, p := range t.Key {
		switch {
		case p.Value == "":
		case p.Key == "pkg":
			name = p.Value + "." + name
		default:
			rest = append(rest, p.Key+": "+p.Value)
		}
	}
	if len(rest) > 0 {
		name += " (" + strings.Join(rest, ", ") + ")"
	}
	return name
}
