package page

import "github.com/poolbench/poolbench/reports/page/shell"

type factTable struct {
	ID, Title, Text string
	Heads           []string
	Rows            [][]string
	Said            bool // the last column contains text
}

func (t factTable) add(to *shell.Page) { to.Add(true, t.ID, t.Title, t.section()) }
