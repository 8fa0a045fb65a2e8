package proof

import "github.com/poolbench/poolbench/reports/page/shell"

// A table is a section with a table.
type table struct {
	ID, Title, Text string
	Heads           []string
	Rows            [][]string
	Said            bool // the last column is words
}

func (t table) add(to *shell.Page) { to.Add(true, t.ID, t.Title, t.section()) }
