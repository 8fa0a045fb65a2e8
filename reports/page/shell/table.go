package shell

// A Table is a figure of numbers: for what a chart would only let guess, as three numbers of each
// of fourteen ways.
type Table struct {
	Of    string   // what its rows are
	Heads []string // of the columns
	Parts []TablePart
}

// A TablePart is a part of the rows, under a heading of its own where it has one.
type TablePart struct {
	Title string
	Rows  []TableRow
}

// A TableRow is a row: a cell for each column.
type TableRow struct {
	Name  string
	Cells []TableCell
}

// A TableCell is a number with what stands below it, as its interval. The best of a column or a row
// is set in bold.
type TableCell struct {
	Text, Below string
	Best        bool
}

// Absent is the cell of what was not measured.
var Absent = TableCell{Text: "–"}

// Span is the number of columns, that of the names included.
func (t *Table) Span() int { return len(t.Heads) + 1 }

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
