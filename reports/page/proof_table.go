package page

import "github.com/poolbench/poolbench/reports/page/shell"

// A proofTable is a section with a table.
type proofTable struct {
	ID, Title, Text string
	Heads           []string
	Rows            [][]string
	Said            bool // the last column is words
}

func (t proofTable) add(to *shell.Page) { to.Add(true, t.ID, t.Title, t.section()) }
