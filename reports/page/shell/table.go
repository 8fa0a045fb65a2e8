package shell

// A Table is a figure of numbers, for values that need more precision than a chart.
type Table struct {
	Of    string // subject of its rows
	Heads []string
	Parts []TablePart
}

// A TablePart is a group of rows, with an optional heading.
type TablePart struct {
	Title string
	Rows  []TableRow
}

// A TableRow contains a cell for each column.
type TableRow struct {
	Name  string
	Cells []TableCell
}

// A TableCell is a number with a second line, such as its interval. The best one is bold.
type TableCell struct {
	Text, Below string
	Best        bool
}

// Absent is the cell of a missing measurement.
var Absent = TableCell{Text: "–"}

// Span returns the number of columns.
func (t *Table) Span() int { return len(t.Heads) + 1 }

// maxRows is the number of rows of a table that are not folded. Less than minFolded rows are not
// worth a fold.
const (
	maxRows   = 10
	minFolded = 4
)

func (t *Table) size() (n int) {
	for _, p := range t.Parts {
		n += len(p.Rows)
	}
	return n
}

// fold divides a long table. rest is nil if the whole table is open.
func (t *Table) fold() (open, rest *Table) {
	if t.size() < maxRows+minFolded {
		return t, nil
	}
	open, rest = &Table{Of: t.Of, Heads: t.Heads}, &Table{Of: t.Of, Heads: t.Heads}
	left := maxRows
	for _, p := range t.Parts {
		n := min(left, len(p.Rows))
		left -= n
		if n > 0 {
			open.Parts = append(open.Parts, TablePart{p.Title, p.Rows[:n]})
		}
		if n < len(p.Rows) {
			rest.Parts = append(rest.Parts, TablePart{p.Title, p.Rows[n:]})
		}
	}
	return open, rest
}

// Empty reports whether no cell has a number.
func (t *Table) Empty() bool {
	for _, p := range t.Parts {
		for _, r := range p.Rows {
			for _, c := range r.Cells {
				if c.Text != Absent.Text {
					return false
				}
			}
		}
	}
	return true
}
