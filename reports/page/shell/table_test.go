package shell

import (
	"fmt"
	"strings"
	"testing"
)

// A long table is folded after its first rows, and no row is lost.
func TestLongTable(t *testing.T) {
	for _, c := range []struct {
		parts  []int
		folded string
	}{
		{[]int{3}, ""}, {[]int{13}, ""}, {[]int{14}, "4 more rows"}, {[]int{36}, "26 more rows"},
		{[]int{10, 26}, "26 more rows"}, {[]int{4, 4, 8}, "6 more rows"},
	} {
		table, total := &Table{Of: "row", Heads: []string{"x"}}, 0
		for i, rows := range c.parts {
			part := TablePart{Title: fmt.Sprint("part ", i)}
			for range rows {
				part.Rows = append(part.Rows, TableRow{Name: "r", Cells: []TableCell{{Text: "1"}}})
			}
			table.Parts, total = append(table.Parts, part), total+rows
		}
		html, err := Text(Figure{Table: table})
		if err != nil {
			t.Fatal(err)
		}
		open, rest, folded := strings.Cut(string(html), "<summary>")
		if folded != (c.folded != "") || folded && !strings.HasPrefix(rest, c.folded) {
			t.Errorf("%v: %.40q", c.parts, rest)
		}
		if n := strings.Count(open, "<th>r</th>"); folded && n != maxRows {
			t.Errorf("%v: %d rows are open", c.parts, n)
		}
		if n := strings.Count(string(html), "<th>r</th>"); n != total {
			t.Errorf("%v: %d rows", c.parts, n)
		}
	}
}
