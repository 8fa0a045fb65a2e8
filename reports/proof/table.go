package proof

import (
	_ "embed"

	"github.com/poolbench/poolbench/reports/page/shell"
)

var (
	//go:embed table.html.tmpl
	tableText string

	tableTemplate = shell.Template("proof", tableText)
)

// A table is a section with a table.
type table struct {
	ID, Title, Text string
	Heads           []string
	Rows            [][]string
	Said            bool // the last column is words
}

func (t table) add(to *shell.Page) { to.Add(true, t.ID, t.Title, tableTemplate, "table", t) }
